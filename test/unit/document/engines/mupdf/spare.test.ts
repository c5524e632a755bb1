// Tests the spare engine, which is created before its job arrives.
import { expect, test } from "vitest";
import { MupdfDocument } from "../../../../../src/document/engines/mupdf/document.ts";
import { acquireMupdf, prepareSpare } from "../../../../../src/document/engines/mupdf/instance/spare.ts";
import { textPdf } from "../../../../fixtures/pdfs.ts";

const LIMITS = { heapLimitBytes: 88 * 2 ** 20 };

test("a spare engine says nothing of a sound document that a fresh one does not say", async () => {
  await prepareSpare(LIMITS);
  const document = MupdfDocument.open(await acquireMupdf(LIMITS), await textPdf(1), LIMITS);
  expect(document.messageCount).toBe(0);
  document.close();
});
