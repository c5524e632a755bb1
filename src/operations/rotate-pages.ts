// Rotates pages of a PDF, in addition to their present rotation. Yields one output.
import * as z from "zod";
import { defineOperation } from "../document/contract/operation.ts";
import { selectPages } from "../document/contract/pages.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { wordFor } from "../document/contract/parameters/choice.ts";
import { listedPages } from "../document/contract/parameters/pages.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";
import { quarterTurns } from "../document/pages/page-size.ts";
import { completePage, placesOf } from "../document/pages/page-tree.ts";

const parameters = {
  angle: parameter("The angle, clockwise.", wordFor({ 90: 1, 180: 2, 270: 3, "-90": 3 }, z.int().min(1).max(3))),
  pages: parameter("The pages to rotate.", listedPages, "all"),
};
export type RotatePagesParams = Params<typeof parameters>;

/** @throws OutOfRange if a page does not exist */
const run = pdfToPdf<RotatePagesParams>(async ({ file }, { angle, pages }, { signal }) => {
  const places = placesOf(file);
  for (const number of new Set(selectPages(pages, places.length, { parameter: "pages" }))) {
    signal.throwIfAborted();
    const place = places[number - 1]!;
    const page = completePage(file, place);
    file.put(place.reference, page.set("Rotate", ((quarterTurns(file, page) + angle) % 4) * 90));
  }
});

export const rotatePages = defineOperation({ name: "rotate-pages", parameters, run });
