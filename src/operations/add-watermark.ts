// Adds a watermark to pages of a PDF: a text, or the first page of another PDF. Yields one output. All pages show the
// same object.

import { EngineFailure } from "../document/contract/failure.ts";
import { defineOperation, type Input } from "../document/contract/operation.ts";
import { type PageSelection, resolvePages } from "../document/contract/pages.ts";
import { optional, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { cmyk, rgb } from "../document/contract/parameters/color.ts";
import { FONT_SIZE, OPACITY } from "../document/contract/parameters/loose-json.ts";
import { integer, number } from "../document/contract/parameters/number.ts";
import { trueFalse } from "../document/contract/parameters/on-off.ts";
import { pages } from "../document/contract/parameters/pages.ts";
import { text } from "../document/contract/parameters/text.ts";
import { addPageForm } from "../document/layers/page-form.ts";
import { Dictionary, Name, type Reference } from "../document/objects/values.ts";
import { aligned, HORIZONTAL, type MarkBox, VERTICAL } from "../document/pages/alignment.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { type OpenPdf, pdfToPdf } from "../document/pages/open-pdf.ts";
import { Overlay } from "../document/pages/overlay.ts";
import { pageSize } from "../document/pages/page-size.ts";
import { addLayer } from "../document/layers/new-layer.ts";
import { fontNamed, inkOf } from "../document/typesetting/look.ts";
import { Typesetter } from "../document/typesetting/typesetter.ts";

const OFFSET = { min: -1_000_000, max: 1_000_000 };
const ANGLE = { min: -36_000, max: 36_000 };
const LONGEST_TEXT = 10_000;
const LONGEST_NAME = 100;
const MAX_SCALE = 1000;

const parameters = {
  watermarkText: optional("The text, which can have several lines.", text({ max: LONGEST_TEXT })),
  font: parameter("The font of the text.", text({ max: LONGEST_NAME }), "Arial"),
  textSize: parameter("The font size in points.", number(FONT_SIZE), "72"),
  textColorRgb: optional("The color of the text: red, green and blue. Black without a color.", rgb),
  textColorCmyk: optional("The color of the text: cyan, magenta, yellow and black.", cmyk),
  watermarkFileScale: parameter("The scale of the other PDF's page.", number({ min: 0, max: MAX_SCALE }), "0.5"),
  opacity: parameter("The opacity.", number(OPACITY), "0.5"),
  horizontalAlignment: parameter("The side of the page.", choice(HORIZONTAL), "center"),
  verticalAlignment: parameter("The edge of the page.", choice(VERTICAL), "center"),
  x: parameter("Distance to the right of the aligned position, in points.", integer(OFFSET), "0"),
  y: parameter("Distance above the aligned position, in points.", integer(OFFSET), "0"),
  rotation: parameter("Clockwise angle in degrees.", integer(ANGLE), "0"),
  pages: parameter("The pages to mark.", pages, "1-last"),
  behindPage: parameter("Draws the watermark behind the content of the page.", trueFalse, "false"),
  layer: optional("Name of a layer that viewers can hide. Without it, there is no layer.", text({ max: LONGEST_NAME })),
};
export type AddWatermarkParams = Params<typeof parameters>;

interface Mark extends MarkBox {
  readonly reference: Reference;
  readonly scale: number;
}

/** Fraction of the engines' memory for the document; the rest is for the other PDF. */
const DOCUMENT_SHARE = 0.6;

/** @throws OutOfRange if a page or the font does not exist, before any output */
const run = pdfToPdf<AddWatermarkParams>(
  async (pdf, params, context) => {
    const { file, notices } = pdf;
    const { others, signal } = context;
    const overlay = new Overlay(file);
    const numbers = distinct(params.pages, overlay.pageCount);
    const [other] = others;
    const mark = other ? await fileMark(pdf, other, params, context) : await textMark(pdf, params, context);
    const layer = params.layer === undefined ? undefined : addLayer(file, params.layer);
    const state = params.opacity === 1 || !other ? undefined : file.add(stateOf(params.opacity));
    const alignment = { ...params, horizontal: params.horizontalAlignment, vertical: params.verticalAlignment };
    for (const number of mark.scale > 0 ? numbers : []) {
      signal.throwIfAborted();
      const { left, bottom, width, height, scale } = mark;
      const box = { left: left * scale, bottom: bottom * scale, width: width * scale, height: height * scale };
      const placed = aligned(box, pageSize(file, overlay.pages[number - 1]!), alignment);
      const [a, b, c, d, e, f] = placed;
      const matrix = [a * scale, b * scale, c * scale, d * scale, e, f] as const;
      overlay.draw(number, mark.reference, matrix, { layer, state, isBehind: params.behindPage });
    }
    overlay.finish();
    notices.push(...withdrawClaims(file, (family) => family !== "PDF/UA"));
  },
  { engineShare: DOCUMENT_SHARE },
);

export const addWatermark = defineOperation({ name: "add-watermark", parameters, run });

const distinct = (selection: PageSelection, pageCount: number): ReadonlySet<number> =>
  new Set(resolvePages(selection, pageCount));

const stateOf = (opacity: number): Dictionary =>
  Dictionary.of({ Type: Name.of("ExtGState"), ca: opacity, CA: opacity });

type JobContext = Parameters<Parameters<typeof pdfToPdf>[0]>[2];

async function textMark(pdf: OpenPdf, params: AddWatermarkParams, { typefaces, signal }: JobContext): Promise<Mark> {
  const { watermarkText = "", textColorRgb, textColorCmyk, opacity, horizontalAlignment: align } = params;
  const look = {
    ...fontNamed(params.font, "font"),
    ...inkOf({ rgb: textColorRgb, cmyk: textColorCmyk }),
    ...{ text: watermarkText, size: params.textSize, opacity, align },
  };
  const typesetter = await Typesetter.open(pdf, typefaces, [watermarkText]);
  const { reference, block } = await typesetter.add(look, signal);
  pdf.notices.push(...typesetter.finish());
  const { width, ascent, descent } = block;
  return { reference, left: 0, bottom: -descent, width, height: ascent + descent, scale: 1 };
}

/** @throws EngineFailure that names the other PDF if it cannot be read */
async function fileMark(
  pdf: OpenPdf,
  other: Input,
  { watermarkFileScale: scale }: AddWatermarkParams,
  context: JobContext,
): Promise<Mark> {
  try {
    const { reference, size } = await addPageForm(pdf, await other.bytes(), context, 1 - DOCUMENT_SHARE);
    return { reference, left: 0, bottom: 0, ...size, scale };
  } catch (error) {
    const faults: Readonly<Record<string, string>> = {
      damaged: "is damaged",
      "not-a-pdf": "is not a PDF",
      "password-protected": "needs a password",
    };
    if (!(error instanceof EngineFailure) || !faults[error.reason]) throw error;
    const why = `${other.name} ${faults[error.reason]}.`;
    throw new EngineFailure(error.reason, error.detail, { cause: error, why });
  }
}
