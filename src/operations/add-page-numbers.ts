// Adds page numbers to pages of a PDF, also as Bates numbers with a prefix and a fixed number of digits. Yields one
// output.

import { OutOfRange } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { selectPages } from "../document/contract/pages.ts";
import { optional, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { cmyk, rgb } from "../document/contract/parameters/color.ts";
import { FONT_SIZE, OPACITY } from "../document/contract/parameters/loose-json.ts";
import { integer, number } from "../document/contract/parameters/number.ts";
import { listedPages } from "../document/contract/parameters/pages.ts";
import { text } from "../document/contract/parameters/text.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";
import { type Alignment, aligned } from "../document/pages/overlay/alignment.ts";
import { Overlay, opacityState } from "../document/pages/overlay/overlay.ts";
import { boxOf } from "../document/typesetting/layout.ts";
import { DEFAULT_FONT, fontNamed, inkOf } from "../document/typesetting/look.ts";
import { Typesetter } from "../document/typesetting/typesetter.ts";

const POSITIONS = ["top-left", "top-center", "top-right", "bottom-left", "bottom-center", "bottom-right"] as const;
const LONGEST_FORMAT = 200;
const LONGEST_NAME = 100;
const MAX_NUMBER = 999_999_999;
const MAX_DIGITS = 15;
const MAX_MARGIN = 10_000;

const parameters = {
  format: parameter(
    "The text, with {page} for the number and {count} for the last number.",
    text({ max: LONGEST_FORMAT }),
    "{page}",
  ),
  start: parameter("The number of the first numbered page.", integer({ min: 0, max: MAX_NUMBER }), "1"),
  digits: parameter(
    "Minimum number of digits; zeros precede shorter numbers.",
    integer({ min: 1, max: MAX_DIGITS }),
    "1",
  ),
  prefix: optional("Text before each number, such as `ABC-` in Bates numbers.", text({ max: LONGEST_NAME })),
  pages: parameter("The pages to number.", listedPages, "all"),
  position: parameter("The place on the page.", choice(POSITIONS), "bottom-center"),
  margin: parameter("Distance from the edges of the page, in points.", number({ min: 0, max: MAX_MARGIN }), "36"),
  font: parameter("The font.", text({ max: LONGEST_NAME }), DEFAULT_FONT),
  textSize: parameter("The font size in points.", number(FONT_SIZE), "10"),
  textColorRgb: optional("The color: red, green and blue. Black without a color.", rgb),
  textColorCmyk: optional("The color: cyan, magenta, yellow and black.", cmyk),
  opacity: parameter("The opacity.", number(OPACITY), "1"),
};
export type AddPageNumbersParams = Params<typeof parameters>;

const TOO_MANY = `A request numbers at most ${LIMITS.textPlaces} pages.`;

/** @throws OutOfRange if a page or the font does not exist, before any output */
const run = pdfToPdf<AddPageNumbersParams>(async (pdf, params, { typefaces, signal }) => {
  const { file, notices } = pdf;
  const overlay = new Overlay(file);
  const selected = new Set(selectPages(params.pages, overlay.pageCount));
  if (selected.size > LIMITS.textPlaces) throw new OutOfRange("pages", params.pages.text, TOO_MANY);
  const look = {
    ...fontNamed(params.font, "font"),
    ...inkOf({ rgb: params.textColorRgb, cmyk: params.textColorCmyk }),
    ...{ size: params.textSize, opacity: params.opacity },
  };
  const numbers = [...selected].sort((one, other) => one - other);
  const labels = numbers.map((_, index) => labelOf(params, index, numbers.length));
  const typesetter = await Typesetter.open(pdf, typefaces, labels);
  const state = params.opacity === 1 ? undefined : opacityState(file, params.opacity);
  for (const [index, page] of numbers.entries()) {
    signal.throwIfAborted();
    const block = await typesetter.layOut({ ...look, text: labels[index]! }, signal);
    const place = aligned(boxOf(block), overlay.sizeOf(page), alignmentOf(params));
    const faded = state ? `/${overlay.nameOf(page, "ExtGState", state)} gs ` : "";
    const written = typesetter.writer((font) => overlay.nameOf(page, "Font", font)).textObject(block.lines, look);
    // A form for each label would take almost twice as many bytes.
    overlay.write(page, `/Artifact BMC ${faded}${written} EMC `, place);
  }
  notices.push(...typesetter.finish());
  overlay.finish();
  notices.push(...withdrawClaims(file, (family) => family !== "PDF/UA"));
});

export const addPageNumbers = defineOperation({ name: "add-page-numbers", parameters, run });

/** @param index index of the page among the numbered pages */
function labelOf({ format, start, digits, prefix = "" }: AddPageNumbersParams, index: number, count: number): string {
  const written = (number: number) => prefix + String(number).padStart(digits, "0");
  const values: Readonly<Record<string, string>> = {
    "{page}": written(start + index),
    "{count}": written(start + count - 1),
  };
  return format.replace(/\{page\}|\{count\}/g, (name) => values[name]!);
}

function alignmentOf({ position, margin }: AddPageNumbersParams): Alignment {
  const [vertical, horizontal] = position.split("-") as ["top" | "bottom", Alignment["horizontal"]];
  const inward = { left: margin, center: 0, right: -margin }[horizontal];
  return { horizontal, vertical, x: inward, y: vertical === "top" ? -margin : margin, rotation: 0 };
}
