// Tests that empty optional fields count as not sent. Browsers send empty fields for inputs that the user left empty.
// Contract: docs/api.md#requests, #json-bodies
import { beforeAll, describe, expect, test } from "vitest";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { beginning } from "../support/beginning.ts";
import { type FormFields, keyedClient, privateClient, upload } from "../support/client.ts";

const client = privateClient();
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await labeledPdf("P", 2);
});

const required = (name: string) => [400, `The '${name}' field is required.`];
const error = async (path: string, fields: FormFields) => {
  const { status, body } = await client.post(path, fields);
  return [status, body.error];
};

describe("an optional field that is empty counts as not sent", () => {
  test("on the image endpoints", async () => {
    const empty = { pages: "", resolution: "", color_model: " ", jpeg_quality: "" };
    const [made, ...more] = await client.make("/jpg", { file: upload(pdf), output: "made", ...empty });
    const [plain] = await client.make("/jpg", { file: upload(pdf), output: "made" });
    expect(more).toHaveLength(1);
    expect(Buffer.from(made!.bytes).equals(plain!.bytes)).toBe(true);
  });

  test("one of several values that make one", async () => {
    const files = await client.make("/png", {
      file: upload(pdf),
      output: "made",
      pages: ["1", ""],
      resolution: "12",
    });
    expect(files).toHaveLength(1);
  });

  test("on /pdf", async () => {
    const fields = ["compression", "downsample", "tagged_pdf", "page_size", "page_margin", "page_orientation"];
    const empty = Object.fromEntries([...fields, "web_layout", "id", "url"].map((name) => [name, ""]));
    const { status } = await client.post("/pdf", { file: upload("<p>page", "a.html"), output: "made", ...empty });
    expect(status).toBe(200);
  });

  test("on /pdfa, /compressed-pdf and /split-pdf", async () => {
    const file = upload(pdf);
    const pdfa = { file, output: "a", output_type: "PDF/A-2b", rasterize_if_errors_encountered: "" };
    expect((await client.post("/pdfa", pdfa)).status).toBe(200);
    const compressed = { file, output: "a", compression_level: "low", profile: "" };
    expect((await client.post("/compressed-pdf", compressed)).status).toBe(200);
    expect(await client.make("/split-pdf", { file, output: "", "pages[]": "" })).toHaveLength(2);
  });

  test("on /flattened-transparencies-pdf", async () => {
    const fields = { file: upload(pdf), output: "a", quality: "" };
    expect((await keyedClient().post("/flattened-transparencies-pdf", fields)).status).toBe(200);
  });

  test("in a JSON body; a list without a value is a list of none", async () => {
    const { body } = await client.post("/png", { file: upload(pdf), output: "a", pages: "1", resolution: "12" });
    const post = async (fields: object) => {
      const headers = { "Content-Type": "application/json" };
      const sent = JSON.stringify({ id: body.inputId, resolution: 12, ...fields });
      const response = await fetch(`${client.url}/png`, { method: "POST", headers, body: sent });
      return { status: response.status, ...((await response.json()) as { error?: string }) };
    };
    expect((await post({ pages: "", color_model: "" })).status).toBe(200);
    expect((await post({ file: "", url: "" })).status).toBe(200);
    expect((await post({ file: [] })).status).toBe(200);
    expect((await post({ pages: [] })).error).toBe(" is not within the acceptable range for pages.");
  });
});

test("an empty file of a form without files counts as not sent", async () => {
  const { body } = await client.post("/png", { file: upload(pdf), output: "a", pages: "1", resolution: "12" });
  const sent = new URLSearchParams({ id: String(body.inputId), file: "", output: "a", pages: "1", resolution: "12" });
  expect((await fetch(`${client.url}/png`, { method: "POST", body: sent })).status).toBe(200);
  sent.set("file", "a.pdf");
  expect((await fetch(`${client.url}/png`, { method: "POST", body: sent })).status).toBe(400);
});

describe("a required field that is empty is still required", () => {
  test.each([
    ["/png", "output", {}],
    ["/pdfa", "output_type", { output: "a" }],
    ["/compressed-pdf", "compression_level", { output: "a" }],
  ])("%s: %s", async (path, name, fields) => {
    for (const value of ["", " "]) {
      expect(await error(path, { file: upload(pdf), ...fields, [name]: value })).toEqual(required(name));
    }
  });

  test("/merged-pdf needs an expression for each input", async () => {
    const sentence = beginning(" is not within the acceptable range for pages[].");
    expect(await error("/merged-pdf", { file: upload(pdf), output: "a", "pages[]": "", "type[]": "file" })).toEqual([
      ...[400, sentence],
    ]);
  });
});
