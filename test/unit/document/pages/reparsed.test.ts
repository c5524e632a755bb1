// Tests our writer's output by reading it with pdf-lib, a second parser in the same process.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ParseSpeeds, PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { writeFile } from "../../../../src/document/objects/writer.ts";
import { hybridPdf } from "../../../fixtures/object-pdfs.ts";
import { labeledPdf, quartersPdf, textPdf, turnedPdf, withoutXref } from "../../../fixtures/pdfs.ts";
import { corpusDir } from "../../../support/corpus.ts";
import { gathered, openPdf } from "../../../support/pdf-objects.ts";

interface Page {
  readonly size: { readonly width: number; readonly height: number };
  readonly rotation: number;
}

async function pagesOf(bytes: Uint8Array, throwOnInvalidObject: boolean): Promise<Page[]> {
  const parseSpeed = ParseSpeeds.Fastest;
  const document = await PDFDocument.load(bytes, { parseSpeed, throwOnInvalidObject, updateMetadata: false });
  return document.getPages().map((page) => ({ size: page.getSize(), rotation: page.getRotation().angle }));
}

async function expectSamePages(bytes: Uint8Array): Promise<void> {
  using opened = await openPdf(bytes);
  const rewritten = await gathered(writeFile(opened.file));
  expect(await pagesOf(rewritten, true)).toEqual(await pagesOf(bytes, false));
}

describe("documents made here have the same pages, and every object parses", () => {
  test.each([
    ["text", () => textPdf(12)],
    ["labels", () => labeledPdf("A", 3)],
    ["a turned and cropped page", turnedPdf],
    ["colors", quartersPdf],
    ["a hybrid-reference file", async () => hybridPdf()],
    ["no cross-reference table", async () => withoutXref(await textPdf(2))],
  ])("%s", async (_, make) => expectSamePages(await make()));
});

describe.skipIf(corpusDir === undefined)("so have documents of the corpus", () => {
  test.each([
    "ColorDodge.pdf",
    "cropped_text.pdf",
    "fancy_fields.pdf",
    "minimal-signed-twice-both-created.pdf",
    "right_to_left_01.pdf",
  ])("%s", async (name) => expectSamePages(readFileSync(join(corpusDir!, "pdf", name))));
});
