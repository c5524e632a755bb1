// Removes content that MuPDF cannot decode: other viewers can decode it, or a part of it. poppler judges.
// Contract: docs/api.md#pdf-with-redacted-text-applied
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { applyRedactions } from "../../../../src/operations/apply-redactions.ts";
import { HELVETICA } from "../../../fixtures/form-pdfs.ts";
import { onePage, stream } from "../../../support/hostile-pdfs.ts";
import { CONTEXT, inputOf } from "../../../support/operations.ts";
import { textOf } from "../../../support/pdf-readers.ts";
import { literal, mark, redact } from "../../../support/redactions.ts";

const CONTENT = Buffer.from(`BT /F 20 Tf 50 700 Td (Secret) Tj ET ${"0 0 m ".repeat(50)}`);
const HEX = Buffer.from(`${CONTENT.toString("hex")}>`);
const WRONG_HEADER = deflateSync(CONTENT, { level: 0 }).fill(0xff, 0, 2);

test.each([
  ["a short name of a filter", HEX, "/Filter/AHx"],
  ["a wrong header", WRONG_HEADER, "/Filter/FlateDecode"],
  ["an unknown filter", CONTENT, "/Filter/Other"],
])("%s", async (_, data, filter) => {
  const pdf = onePage(stream(data, filter), "/Font<</F 5 0 R>>", [HELVETICA]);
  expect(Buffer.from(pdf).includes(data)).toBe(true);
  const redacted = await redact(pdf, literal("Secret"));
  expect(textOf(redacted).join("")).not.toContain("Secret");
  expect(Buffer.from(redacted).includes(data)).toBe(false);
});

test("a notice counts the emptied streams", async () => {
  const content = stream(WRONG_HEADER, "/Filter/FlateDecode");
  const pdf = onePage(stream("q Q", ""), "/Font<</F 5 0 R>>/XObject<</X 6 0 R>>", [HELVETICA, content]);
  const marked = await mark(pdf, literal("Secret"));
  for await (const { notices } of applyRedactions.run([inputOf(marked)], { rgbColor: [0, 0, 0] }, CONTEXT))
    expect(notices?.()).toContainEqual({ code: "undecodable-removed", count: 1 });
});
