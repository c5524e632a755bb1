// Adds a watermark to pages of a PDF: a text, or the first page of another PDF. Yields one output. All pages show the
// same object.

import { type Matrix, multiply } from "../document/content/matrix.ts";
import { EngineFailure, type FailureReason } from "../document/contract/failure.ts";
import { type Context, defineOperation, type Input, type Run } from "../document/contract/operation.ts";
import { selectPages } from "../document/contract/pages.ts";
import { optional, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { cmyk, rgb } from "../document/contract/parameters/color.ts";
import { FONT_SIZE, OPACITY } from "../document/contract/parameters/loose-json.ts";
import { integer, number } from "../document/contract/parameters/number.ts";
import { trueFalse } from "../document/contract/parameters/on-off.ts";
import { listedPages } from "../document/contract/parameters/pages.ts";
import { text } from "../document/contract/parameters/text.ts";
import { addLayer } from "../document/layers/new-layer.ts";
import { copyForm, type PageForm, readPageForm } from "../document/layers/page-form.ts";
import { Budget } from "../document/objects/budget.ts";
import { memoryLimitsOf } from "../document/objects/memory-limits.ts";
import type { Reference } from "../document/objects/values.ts";
import { writeFile } from "../document/objects/writer.ts";
import { isClassic, withdrawClaims } from "../document/pages/claims.ts";
import { type OpenPdf, openPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import { aligned, HORIZONTAL, type MarkBox, VERTICAL } from "../document/pages/overlay/alignment.ts";
import { Overlay, opacityState } from "../document/pages/overlay/overlay.ts";
import type { PageSize } from "../document/pages/page-size.ts";
import { boxOf } from "../document/typesetting/layout.ts";
import { DEFAULT_FONT, fontNamed, inkOf } from "../document/typesetting/look.ts";
import { Typesetter } from "../document/typesetting/typesetter.ts";

const OFFSET = { min: -1_000_000, max: 1_000_000 };
const ANGLE = { min: -36_000, max: 36_000 };
const LONGEST_TEXT = 10_000;
const LONGEST_NAME = 100;
const MAX_SCALE = 1000;

const parameters = {
  watermarkText: optional("The text, which can have several lines.", text({ max: LONGEST_TEXT })),
  font: parameter("The font of the text.", text({ max: LONGEST_NAME }), DEFAULT_FONT),
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
  pages: parameter("The pages to mark.", { ...listedPages, joint: "," }, "1-last"),
  behindPage: parameter("Draws the watermark behind the content of the page.", trueFalse, "false"),
  layer: optional("Name of a layer that viewers can hide. Without it, there is no layer.", text({ max: LONGEST_NAME })),
};
export type AddWatermarkParams = Params<typeof parameters>;

interface Mark extends MarkBox {
  readonly reference: Reference;
  readonly scale: number;
}

/** @throws OutOfRange if a page or the font does not exist, before any output */
const run: Run<AddWatermarkParams> = async function* ([input, other], params, context) {
  const budget = new Budget(memoryLimitsOf(context.heapLimitBytes).objectBytes);
  const form = other && (await readOther(other, params, budget, context));
  using pdf = await openPdf(await input!.bytes(), context, { budget });
  const { file, notices } = pdf;
  const overlay = new Overlay(file);
  const numbers = new Set(selectPages(params.pages, overlay.pageCount));
  const mark = form ? fileMark(pdf, form, params, context) : await textMark(pdf, params, context);
  const layer = params.layer === undefined ? undefined : addLayer(file, params.layer);
  const state = params.opacity === 1 || !form ? undefined : opacityState(file, params.opacity);
  const marks = { layer, state, isBehind: params.behindPage };
  for (const number of mark.scale > 0 ? numbers : []) {
    context.signal.throwIfAborted();
    const size = overlay.sizeOf(number);
    overlay.draw(number, mark.reference, matrixOf(mark, size, params), marks);
  }
  overlay.finish();
  notices.push(...withdrawClaims(file, (family) => family !== "PDF/UA"));
  yield pdfOutput(writeFile(file, undefined, { classic: isClassic(file) }), notices);
};

export const addWatermark = defineOperation({ name: "add-watermark", parameters, run });

/** Returns the matrix that scales, turns and aligns a mark. */
function matrixOf({ scale, ...mark }: Mark, size: PageSize, params: AddWatermarkParams): Matrix {
  const { horizontalAlignment: horizontal, verticalAlignment: vertical, x, y, rotation } = params;
  const { left, bottom, width, height } = mark;
  const scaled = { left: left * scale, bottom: bottom * scale, width: width * scale, height: height * scale };
  return multiply([scale, 0, 0, scale, 0, 0], aligned(scaled, size, { horizontal, vertical, x, y, rotation }));
}

async function textMark(pdf: OpenPdf, params: AddWatermarkParams, { typefaces, signal }: Context): Promise<Mark> {
  const { watermarkText = "", textColorRgb, textColorCmyk, opacity, horizontalAlignment: align } = params;
  const look = {
    ...fontNamed(params.font, "font"),
    ...inkOf({ rgb: textColorRgb, cmyk: textColorCmyk }),
    ...{ text: watermarkText, size: params.textSize, opacity, align },
  };
  const typesetter = await Typesetter.open(pdf, typefaces, [watermarkText]);
  const { reference, block } = await typesetter.add(look, signal);
  pdf.notices.push(...typesetter.finish());
  return { reference, ...boxOf(block), scale: 1 };
}

function fileMark({ file }: OpenPdf, form: PageForm, params: AddWatermarkParams, { signal }: Context): Mark {
  const { watermarkFileScale: scale } = params;
  return { reference: copyForm(form, file, signal), left: 0, bottom: 0, ...form.size, scale };
}

/** Messages about another PDF that cannot be read. */
const FAULTS: Readonly<Partial<Record<FailureReason, string>>> = {
  damaged: "is damaged",
  "not-a-pdf": "is not a PDF",
  "password-protected": "needs a password",
};

/** @throws EngineFailure that names the other PDF if it cannot be read */
async function readOther(
  other: Input,
  { opacity }: AddWatermarkParams,
  budget: Budget,
  context: Context,
): Promise<PageForm> {
  try {
    return await readPageForm(await other.bytes(), context, { budget, isFaded: opacity < 1 });
  } catch (error) {
    const fault = error instanceof EngineFailure ? FAULTS[error.reason] : undefined;
    if (fault === undefined) throw error;
    const { reason, detail } = error as EngineFailure;
    throw new EngineFailure(reason, detail, { cause: error, why: `${other.name} ${fault}.` });
  }
}
