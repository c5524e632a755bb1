// Tests POST /watermarked-pdf: the text and the file as alternatives, and errors.
// Contract: docs/api.md#watermarked-pdf
import { expect, test } from "vitest";
import { encrypted, labeledPdf } from "../fixtures/pdfs.ts";
import { keyedClient, privateClient, upload } from "../support/client.ts";
import { pageTexts } from "../support/pdf-readers.ts";

const client = privateClient();
const pdf = await labeledPdf("P", 2);
const mark = await labeledPdf("Mark", 1);
const file = () => upload(pdf, "book.pdf");

test("a text is added to the selected pages", async () => {
  const fields = { watermark_text: "Draft", text_size: "20", vertical_alignment: "top", pages: "2" };
  const [made] = await client.make("/watermarked-pdf", { file: file(), ...fields, text_color_cmyk: "0,100,100,0" });
  expect(pageTexts(made!.bytes).map((text) => text.includes("Draft"))).toEqual([false, true]);
});

test.each([
  ["odd", [true, false]],
  ["even", [false, true]],
  ["all", [true, true]],
])("pages can be %s", async (pages, marked) => {
  const [made] = await client.make("/watermarked-pdf", {
    file: file(),
    watermark_text: "Draft",
    text_size: "9",
    pages,
  });
  expect(pageTexts(made!.bytes).map((text) => text.includes("Draft"))).toEqual(marked);
});

test("a PDF is added as a file, by id and in JSON, and the inputs are two ids", async () => {
  const { status, body } = await client.post("/watermarked-pdf", {
    file: file(),
    watermark_file: upload(mark, "mark.pdf"),
    ...{ behind_page: "true", layer: "Mark" },
  });
  expect(status).toBe(200);
  const [id, watermark_file_id] = body.inputId as string[];
  const response = await fetch(`${client.url}/watermarked-pdf`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/pdf" },
    body: JSON.stringify({ id, watermark_file_id, watermark_file_scale: 1, opacity: 0.3, x: 5 }),
  });
  expect(response.headers.get("Content-Disposition")).toContain("book_watermarked-pdf.pdf");
  const texts = pageTexts(new Uint8Array(await response.arrayBuffer()));
  expect(texts.map((text) => text.includes("Mark1"))).toEqual([true, true]);
});

const locked = encrypted(mark, "user", "owner");
test.each([
  [{}, "Exactly one of the 'watermark_file' and 'watermark_text' fields is required."],
  [
    { watermark_text: "A", watermark_file: upload(mark, "mark.pdf") },
    "Exactly one of the 'watermark_file' and 'watermark_text' fields is required.",
  ],
  [
    { watermark_text: "A", text_color_rgb: "0,0,0", text_color_cmyk: "0,0,0,100" },
    "Exactly one of the 'text_color_rgb' and 'text_color_cmyk' fields is required.",
  ],
  [{ watermark_text: "A", text_size: "101" }, "101 is not within the acceptable range for text_size."],
  [{ watermark_text: "A", opacity: "-1" }, "-1 is not within the acceptable range for opacity."],
  [
    { watermark_text: "A", font: "Nope" },
    "Nope is not within the acceptable range for font. The requested font was not found.",
  ],
  [{ watermark_text: "A", pages: "3" }, "3 is not within the acceptable range for pages. The document has 2 pages."],
  [{ watermark_file: upload(Buffer.from("GIF89a"), "a.gif") }, expect.stringContaining("a.gif")],
] as const)("%# is refused", async (fields, error) => {
  for (const service of [client, keyedClient()]) {
    const { status, body } = await service.post("/watermarked-pdf", { file: file(), ...fields });
    expect([status, body.error]).toEqual([400, error]);
  }
});

test("another PDF that needs a password gives 401", async () => {
  const { status } = await client.post("/watermarked-pdf", {
    file: file(),
    watermark_file: upload(locked, "locked.pdf"),
  });
  expect(status).toBe(401);
});
