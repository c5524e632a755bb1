// Tests the two endpoints for redaction together: the output of the preview is the input of the application.
// Contract: docs/api.md#pdf-with-redacted-text-preview, #pdf-with-redacted-text-applied
import { expect, test } from "vitest";
import { plainPdf } from "../fixtures/pdf-builder.ts";
import { privateClient, upload } from "../support/client.ts";
import { textOf, uncompressed } from "../support/pdf-readers.ts";

const client = privateClient();
const file = () => upload(plainPdf("Call HERON now"), "case.pdf");
const redactions = [{ type: "literal", value: "HERON" }];

test("a preview by its ID, in a color with spaces", async () => {
  const marked = await client.post("/pdf-with-redacted-text-preview", {
    file: file(),
    redactions: JSON.stringify(redactions),
  });
  expect(marked.status).toBe(200);
  const response = await fetch(`${client.url}/pdf-with-redacted-text-applied`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/pdf" },
    body: JSON.stringify({ id: marked.body.outputId, rgb_color: "255, 0, 255" }),
  });
  expect(response.status).toBe(200);
  const text = textOf(new Uint8Array(await response.arrayBuffer())).join("");
  expect(text.trim().split(/\s+/)).toEqual(["Call", "now"]);
});

test("the matches elsewhere are in a notice, and the box is black", async () => {
  const pdf = Buffer.from(plainPdf("Call HERON now"))
    .toString("latin1")
    .replace("/Type /Catalog", "/Type /Catalog /Lang (HERON)");
  const marked = await client.post("/pdf-with-redacted-text-preview", {
    file: upload(Buffer.from(pdf, "latin1"), "case.pdf"),
    redactions: JSON.stringify(redactions),
    output: "marked",
  });
  expect([marked.status, marked.body.notices]).toEqual([200, [expect.objectContaining({ count: 1 })]]);
  const { body } = await client.post("/pdf-with-redacted-text-applied", { id: marked.body.outputId as string });
  expect(body).toEqual({ outputUrl: expect.any(String), outputId: expect.any(String), inputId: marked.body.outputId });
  const applied = Buffer.from(await (await fetch(body.outputUrl as string)).arrayBuffer());
  expect(uncompressed(applied)).not.toContain("HERON");
  expect(uncompressed(applied)).toMatch(/0 0 0 rg/);
});

test.each(["256,0,0", "0,0", "red", "1.5,0,0"])("the color %s is refused", async (rgb_color) => {
  const { status, body } = await client.post("/pdf-with-redacted-text-applied", { file: file(), rgb_color });
  expect([status, body.error]).toEqual([400, expect.stringContaining("rgb_color")]);
});

test.each([
  ["", "The 'redactions' field is required."],
  ["[]", expect.stringContaining("is not within the acceptable range for redactions")],
  ["{}", expect.stringContaining("is not within the acceptable range for redactions")],
  ['[{"type":"regex","value":"(secret"}]', expect.stringMatching(/redactions\.0\.value/)],
  ['[{"type":"preset","value":"name"}]', expect.stringMatching(/redactions\.0\.value/)],
])("%j is refused, without a quotation", async (given, error) => {
  const { status, body } = await client.post("/pdf-with-redacted-text-preview", { file: file(), redactions: given });
  expect([status, body.error]).toEqual([400, error]);
  expect(body.error).not.toContain("(secret");
});
