// Sets boxes of the pages of a PDF (ISO 32000-1, 14.11.2), as margins from the media box. Yields one output.
import * as z from "zod";
import type { Box } from "../document/content/matrix.ts";
import { OutOfRange } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { parseListedPages, selectPages } from "../document/contract/pages.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { json } from "../document/contract/parameters/json.ts";
import type { Dictionary } from "../document/objects/values.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";
import { mediaBox, unitOf } from "../document/pages/page-size.ts";
import { completePage, placesOf } from "../document/pages/page-tree.ts";

/** The smallest and the largest side of a page, in its units (ISO 32000-1, annex C.2). */
const SIDE = { min: 3, max: 14_400 };
const SIDES = ["left", "top", "bottom", "right"] as const;
const KEYS = { media: "MediaBox", crop: "CropBox", bleed: "BleedBox", trim: "TrimBox", art: "ArtBox" } as const;

/** Standards with rules about boxes: PDF/VT is PDF/X with further rules (ISO 16612-2, 6.2). */
const BOX_STANDARDS: ReadonlySet<string> = new Set(["PDF/X", "PDF/VT"]);

const margin = z.number().min(-SIDE.max).max(SIDE.max);
const range = z.string().refine((text) => parseListedPages(text) !== undefined);
const entry = z.object({ range, left: margin, top: margin, bottom: margin, right: margin });
const box = z
  .object({ box: z.enum(["media", "crop", "bleed", "trim", "art"]), pages: z.array(entry).min(1) })
  .superRefine(({ box, pages }, { addIssue }) => {
    if (box === "media") return;
    for (const [index, margins] of pages.entries()) {
      const side = SIDES.find((side) => margins[side] <= 0);
      if (side) addIssue({ code: "custom", path: ["pages", index, side] });
    }
  });

const parameters = {
  boxes: parameter(
    "JSON with the boxes of pages, as margins in points from the current media box.",
    json(z.object({ boxes: z.array(box).min(1) }), { name: "PageBoxes" }),
  ),
};
export type SetPageBoxesParams = Params<typeof parameters>;
type Margins = Readonly<Record<(typeof SIDES)[number], number>>;

const TOO_MANY = `A request sets at most ${LIMITS.boxesSet} boxes.`;

/** @throws OutOfRange if a page does not exist, or if a box would be too small or too large; before any output */
const run = pdfToPdf<SetPageBoxesParams>(async ({ file, notices }, { boxes: { boxes } }, { signal }) => {
  notices.push(...withdrawClaims(file, (family) => BOX_STANDARDS.has(family)));
  const pages = placesOf(file);
  const changed = new Map<number, Dictionary>();
  const copyOf = (number: number): Dictionary => {
    const copy = changed.get(number) ?? completePage(file, pages[number - 1]!);
    changed.set(number, copy);
    return copy;
  };
  let count = 0;
  for (const [index, { box, pages: entries }] of boxes.entries()) {
    for (const [place, given] of entries.entries()) {
      signal.throwIfAborted();
      const name = `boxes.${index}.pages.${place}`;
      const numbers = selectPages(parseListedPages(given.range)!, pages.length, { parameter: `${name}.range` });
      count += numbers.length;
      if (count > LIMITS.boxesSet) throw new OutOfRange(`${name}.range`, given.range, TOO_MANY);
      for (const number of numbers) {
        const page = copyOf(number);
        const before = mediaBox(file, page);
        const after = inset(before, given, unitOf(file, page));
        if (!isRoom(after, before)) throw new OutOfRange(name, JSON.stringify(given), sizeText(number, before));
        page.set(KEYS[box], [...after]);
      }
    }
  }
  for (const [number, page] of changed) file.put(pages[number - 1]!.reference, page);
});

export const setPageBoxes = defineOperation({ name: "set-page-boxes", parameters, run });

/** @param unit size of the page's units in points */
const inset = ([left, bottom, right, top]: Box, margins: Margins, unit: number): Box => [
  left + margins.left / unit,
  bottom + margins.bottom / unit,
  right - margins.right / unit,
  top - margins.top / unit,
];

/**
 * Reports whether a box has a size that viewers accept. If the media box is already too large, a box of at most the
 * same size is accepted.
 */
const isRoom = ([left, bottom, right, top]: Box, before: Box): boolean =>
  isSide(right - left, before[2] - before[0]) && isSide(top - bottom, before[3] - before[1]);
const isSide = (length: number, before: number): boolean => length >= SIDE.min && length <= Math.max(SIDE.max, before);

const sizeText = (number: number, [left, bottom, right, top]: Box): string =>
  `Page ${number} measures ${shown(right - left)} by ${shown(top - bottom)} units, and a box ${SIDE.min} to ${SIDE.max}.`;
const shown = (length: number): number => Number(length.toFixed(2));
