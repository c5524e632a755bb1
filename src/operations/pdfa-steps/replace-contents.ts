// Replaces the page contents of a PDF by the contents of another PDF, and keeps everything else: tags, links, forms,
// outlines, destinations, labels, attachments. Used for documents that another program rewrote without these parts.

import * as z from "zod";
import { decodedBytes, memoryBody } from "../../document/compression/recode-stream.ts";
import { inverse, type Matrix, multiply } from "../../document/content/matrix.ts";
import { EngineFailure } from "../../document/contract/failure.ts";
import type { Notice } from "../../document/contract/notice.ts";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { Copier } from "../../document/objects/copier.ts";
import type { PdfFile } from "../../document/objects/pdf-file.ts";
import { Dictionary, Name, PdfStream } from "../../document/objects/values.ts";
import { writeFile } from "../../document/objects/writer.ts";
import { withdrawClaims } from "../../document/pages/claims.ts";
import { openPdf, pdfOutput } from "../../document/pages/open-pdf.ts";
import { pageDictionary, readPages } from "../../document/pages/pages.ts";
import { displaySpace } from "../../document/pdfa/colors/display-space.ts";
import { restoreUnicode } from "../../document/pdfa/content/text/restore-unicode.ts";

/** Tolerance for positions, in points. */
const TOLERANCE = 0.01;

/**
 * Yields one PDF.
 * @param inputs the document, and the document with the new page contents
 * @throws EngineFailure `damaged` if the page counts differ, or the failure of either document
 */
const run: Run<Record<string, never>> = async function* ([document, drawn], _params, context) {
  using pdf = await openPdf(await document!.bytes(), context, { engineShare: 0.5 });
  const { file: target, budget } = pdf;
  const notices = [...pdf.notices, ...withoutTags(target)];
  using other = await openPdf(await drawn!.bytes(), context, { engineShare: 0.5, budget, asIs: true });
  const source = other.file;
  const { pages } = readPages(target);
  const { pages: newPages, nodes } = readPages(source);
  if (newPages.length !== pages.length) {
    throw new EngineFailure("damaged", `${pages.length} pages have become ${newPages.length}`);
  }
  const excluded = new Set([
    ...newPages.map(({ reference }) => reference.number),
    ...nodes.map(({ number }) => number),
  ]);
  const copier = Copier.between(source, target, { isExcluded: (number) => excluded.has(number) });
  for (const [index, page] of pages.entries()) {
    context.signal.throwIfAborted();
    const after = pageDictionary(target, page);
    const before = pageDictionary(source, newPages[index]!);
    const resources = file(source.dictionary(before.get("Resources")));
    restoreUnicode(target, after, source, resources);
    const copied = copier.dictionary(resources);
    const group = copier.value(before.get("Group") ?? null);
    const content = contentOf(source, before);
    const matrix = between(source, before, target, after);
    if (isIdentity(matrix)) {
      after.set("Resources", copied).set("Contents", target.add(new PdfStream(new Dictionary(), memoryBody(content))));
    } else {
      // Patterns are positioned in the initial space of the content that uses them (8.7.3.1). A form with a Matrix
      // keeps this space.
      const form = Dictionary.of({
        Type: Name.of("XObject"),
        Subtype: Name.of("Form"),
        BBox: [-32_000, -32_000, 32_000, 32_000],
        Matrix: [...matrix],
        Resources: copied,
      });
      const name = target.add(new PdfStream(form, memoryBody(content)));
      after.set("Resources", Dictionary.of({ XObject: Dictionary.of({ Contents: name }) }));
      after.set("Contents", target.add(new PdfStream(new Dictionary(), memoryBody(Buffer.from("/Contents Do")))));
    }
    after.set("Group", group);
    const parent = target.dictionary(page.reference)?.get("Parent");
    target.put(page.reference, parent === undefined ? after : after.set("Parent", parent));
    while (copier.step());
    await source.relieve();
    await target.relieve();
  }
  yield pdfOutput(writeFile(target), notices);
};

export const replaceContents = defineOperation({ name: "replace-contents", params: z.object({}), run });

/** Withdraws the declaration of PDF/UA: the new contents lack the marked content that PDF/UA requires. */
export const withoutTags = (file: PdfFile): readonly Notice[] => withdrawClaims(file, (family) => family === "PDF/UA");

const file = (dictionary: Dictionary | undefined): Dictionary => dictionary?.clone() ?? new Dictionary();

/** Returns the content streams of a page, joined (ISO 32000-1, 7.8.2). */
function contentOf(source: PdfFile, page: Dictionary): Uint8Array {
  const contents = page.get("Contents");
  const parts = (source.array(contents) ?? [contents ?? null]).flatMap((part) => {
    const stream = source.stream(part);
    return stream ? [decodedBytes(source, stream) ?? new Uint8Array(0), Buffer.from("\n")] : [];
  });
  return Buffer.concat(parts);
}

/**
 * Returns the matrix from a page's user space to the user space of a page with the same content, possibly rotated or
 * moved.
 */
function between(source: PdfFile, before: Dictionary, target: PdfFile, after: Dictionary): Matrix {
  const whole = (page: Dictionary) => {
    const copy = page.clone();
    copy.delete("CropBox");
    return copy;
  };
  const from = inverse(displaySpace(source, whole(before)).matrix);
  const to = displaySpace(target, whole(after)).matrix;
  return from ? multiply(from, to) : to;
}

const isIdentity = (matrix: Matrix): boolean =>
  [1, 0, 0, 1, 0, 0].every((value, index) => Math.abs(value - matrix[index]!) < TOLERANCE);
