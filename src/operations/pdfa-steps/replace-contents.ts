// Replaces the contents of a PDF's pages by those of another PDF, and keeps everything else: tags, links, forms,
// outlines, destinations, labels, attachments. Intended for documents that another program rewrote, losing these. Knows
// nothing about such programs.

import * as z from "zod";
import { decodedBytes, memoryBody } from "../../document/compression/recode-stream.ts";
import { inverse, type Matrix, multiply } from "../../document/content/matrix.ts";
import { EngineFailure } from "../../document/contract/failure.ts";
import type { Notice } from "../../document/contract/notice.ts";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { Budget } from "../../document/objects/budget.ts";
import { Copier } from "../../document/objects/copier.ts";
import { MupdfSource } from "../../document/objects/engine/mupdf-source.ts";
import { memoryLimitsOf } from "../../document/objects/memory-limits.ts";
import { PdfFile } from "../../document/objects/pdf-file.ts";
import { Dictionary, Name, PdfStream } from "../../document/objects/values.ts";
import { writeFile } from "../../document/objects/writer.ts";
import { withdrawClaims } from "../../document/pages/claims.ts";
import { pageDictionary, readPages } from "../../document/pages/pages.ts";
import { unprotect } from "../../document/pages/unprotect.ts";
import { displaySpace } from "../../document/pdfa/colors/display-space.ts";
import { restoreUnicode } from "../../document/pdfa/content/text/restore-unicode.ts";

/** Tolerance for positions, in points. */
const TOLERANCE = 0.01;

/**
 * Yields one PDF.
 * @param inputs the document, and the document that supplies the contents of its pages
 * @throws EngineFailure `damaged` if the page counts differ, or the failure that either document caused
 */
const run: Run<Record<string, never>> = async function* ([document, drawn], _params, context) {
  const { engineBytes, objectBytes } = memoryLimitsOf(context.heapLimitBytes);
  const budget = new Budget(objectBytes);
  const bytes = await document!.bytes();
  const objects = await MupdfSource.open(bytes, Math.floor(engineBytes / 2), budget);
  const others = await MupdfSource.open(await drawn!.bytes(), Math.floor(engineBytes / 2), budget);
  try {
    const target = PdfFile.of(objects, budget);
    const notices = [...unprotect(target, objects, bytes), ...withoutTags(target)];
    const source = PdfFile.of(others, budget);
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
        after
          .set("Resources", copied)
          .set("Contents", target.add(new PdfStream(new Dictionary(), memoryBody(content))));
      } else {
        // Patterns are positioned in the space of the content that uses them (8.7.3.1), so the content keeps a space of
        // its own.
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
    yield { extension: "pdf", type: "application/pdf", body: writeFile(target), notices: () => notices };
  } finally {
    objects.close();
    others.close();
  }
};

export const replaceContents = defineOperation({ name: "replace-contents", params: z.object({}), run });

/** Contents that were drawn anew have no marks for the structure, which PDF/UA requires. */
export const withoutTags = (file: PdfFile): readonly Notice[] => withdrawClaims(file, (family) => family === "PDF/UA");

const file = (dictionary: Dictionary | undefined): Dictionary => dictionary?.clone() ?? new Dictionary();

/** Returns all content streams of a page as one (ISO 32000-1, 7.8.2). */
function contentOf(source: PdfFile, page: Dictionary): Uint8Array {
  const contents = page.get("Contents");
  const parts = (source.array(contents) ?? [contents ?? null]).flatMap((part) => {
    const stream = source.stream(part);
    return stream ? [decodedBytes(source, stream) ?? new Uint8Array(0), Buffer.from("\n")] : [];
  });
  return Buffer.concat(parts);
}

/** Returns the matrix from a page's space to that of another page that shows the same, possibly rotated or moved. */
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
