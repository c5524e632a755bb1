// Fills the areas of applied marks.
import { inverse } from "../content/matrix.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serializeNumber } from "../objects/serialize.ts";
import { Dictionary, Name, PdfStream, plainBody } from "../objects/values.ts";
import { Overlay } from "../pages/overlay/overlay.ts";
import { shownSpace } from "../pages/page-size.ts";
import { placesOf } from "../pages/page-tree.ts";
import { pageDictionary, type SourcePage } from "../pages/pages.ts";
import { isMark, type Mark, pathOf } from "./marks.ts";
import { boundsOfQuads } from "./quads.ts";

/** Removes the marks of pages. */
export function removeMarks(file: PdfFile, pages: readonly SourcePage[]): void {
  for (const { reference } of pages) {
    const page = file.dictionary(reference);
    const annotations = file.array(page?.get("Annots")) ?? [];
    const kept = annotations.filter((annotation) => !isMark(file, annotation));
    if (page && kept.length < annotations.length) file.put(reference, page.clone().set("Annots", kept));
  }
}

/**
 * Draws boxes over marked areas.
 * @param marks by page index
 * @param color red, green and blue from 0 to 255
 */
export function fillMarks(file: PdfFile, marks: ReadonlyMap<number, readonly Mark[]>, color: readonly number[]): void {
  const places = placesOf(file);
  const overlay = new Overlay(file);
  const fill = color.map((part) => serializeNumber(part / 255)).join(" ");
  for (const [index, found] of marks) {
    const quads = found.flat();
    const dictionary = Dictionary.of({
      Type: Name.of("XObject"),
      Subtype: Name.of("Form"),
      BBox: boundsOfQuads(quads),
    });
    const content = `${fill} rg ${quads.map((quad) => `${pathOf(quad)} f`).join("\n")}`;
    const form = file.add(new PdfStream(dictionary, plainBody(new Uint8Array(Buffer.from(content)))));
    const matrix = inverse(shownSpace(file, pageDictionary(file, places[index]!)));
    if (matrix) overlay.draw(index + 1, form, matrix);
  }
  overlay.finish();
}
