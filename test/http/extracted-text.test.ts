// Tests POST /extracted-text. The operation's own tests compare its answers with other programs.
// Contract: docs/api.md#extracted-text
import { describe, expect, test } from "vitest";
import { plainPdf } from "../fixtures/pdf-builder.ts";
import { encrypted, textPdf } from "../fixtures/pdfs.ts";
import { type FormFields, keyedClient, privateClient, upload } from "../support/client.ts";

const client = privateClient();
const ask = async (fields: FormFields, at = client) => {
  const { status, body } = await at.post("/extracted-text", fields);
  return { status, body: body as Record<string, unknown> };
};

describe("200", () => {
  test.each([["private", client] as const, ["keyed", keyedClient()] as const])("the text: %s", async (_, at) => {
    const { status, body } = await ask({ file: upload(await textPdf(2)) }, at);
    expect([status, Object.keys(body).sort()]).toEqual([200, ["fullText", "inputId"]]);
    expect(body.fullText).toMatch(/\S\n\S/);
  });

  test("the text by page, and words", async () => {
    const fields = { full_text: "by_page", word_coordinates: "on", word_style: "on", pages: "2" };
    const { body } = await ask({ file: upload(await textPdf(2)), ...fields });
    expect(body.fullText).toEqual({ pages: [{ page: 2, text: expect.any(String) }] });
    const point = { x: expect.any(Number), y: expect.any(Number) };
    expect((body.words as unknown[])[0]).toEqual({
      ...{ text: expect.any(String), page: 2 },
      coordinates: { topLeft: point, topRight: point, bottomLeft: point, bottomRight: point },
      style: {
        color: { space: "DeviceRGB", values: [0, 0, 0] },
        font: { name: expect.any(String), size: expect.any(Number) },
      },
    });
  });

  test("the layout, without the text", async () => {
    const { body } = await ask({
      file: upload(plainPdf("First", "Second")),
      layout: "on",
      full_text: "off",
      pages: "2",
    });
    const { pages } = body.layout as { pages: { page: number; width: number; blocks: Record<string, unknown>[] }[] };
    expect([Object.keys(body), pages.length, pages[0]!.page, pages[0]!.width]).toEqual([
      ["layout", "inputId"],
      1,
      2,
      300,
    ]);
    const [{ box, ...block }] = pages[0]!.blocks as [Record<string, unknown>];
    const line = { box, text: "Second" };
    expect(block).toEqual({ kind: "paragraph", size: 24, text: "Second", lines: [line] });
    expect(box).toEqual([30, expect.any(Number), expect.any(Number), expect.any(Number)]);
  });

  test("a file with the same members", async () => {
    const fields = { output_type: "file", output: "words", full_text: "off", word_coordinates: "on" };
    const { status, body } = await ask({ file: upload(await textPdf(1)), ...fields });
    expect([status, Object.keys(body).sort()]).toEqual([200, ["inputId", "outputId", "outputSize", "outputUrl"]]);
    const response = await fetch(String(body.outputUrl));
    expect(response.headers.get("Content-Disposition")).toContain("words.json");
    expect(Object.keys((await response.json()) as object)).toEqual(["words"]);
  });

  test("no text is an empty text", async () => {
    const { body } = await ask({ file: upload(await textPdf(1)), full_text: "off" });
    expect(body).toEqual({ inputId: expect.any(String) });
  });

  test("a protected document with its password", async () => {
    const file = upload(encrypted(await textPdf(1), "user", "owner"));
    expect((await ask({ file, current_open_password: "user" })).body.fullText).not.toBe("");
    expect((await ask({ file })).status).toBe(401);
  });
});

describe("400", () => {
  test.each([
    [{ full_text: "page" }, "full_text"],
    [{ word_style: "yes" }, "word_style"],
    [{ pages: "3" }, "pages"],
  ])("%o", async (fields, name) => {
    const { status, body } = await ask({ file: upload(await textPdf(2)), ...fields });
    expect([status, body.error]).toEqual([400, expect.stringContaining(name)]);
  });

  test("what is no PDF", async () => {
    expect((await ask({ file: upload("<html>") })).status).toBe(400);
  });
});
