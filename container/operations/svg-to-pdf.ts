// Converts an SVG drawing to PDF with Chromium, as the image of a page. Chromium runs no script in an image, and loads
// nothing that it refers to (SVG 2, 2.7.4).

import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { EngineFailure, OutOfRange } from "../../src/document/contract/failure.ts";
import { checkElements, checkEntities, missingNamespace, sizeOfSvg } from "../../src/document/formats/svg/drawing.ts";
import { MAX_POINTS } from "../../src/document/formats/to-pdf/page-size.ts";
import { setPageBoxes } from "../../src/operations/set-page-boxes.ts";
import { svgToPdf } from "../../src/operations/to-pdf/svg-to-pdf.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { fileInput } from "../scratch/file-input.ts";
import { limitedExport } from "./limited-export.ts";
import { nativeOperation } from "./native.ts";
import { threadStep } from "./thread-step.ts";

const NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"';
const POINTS_PER_PIXEL = 0.75;
/** Smaller pages are not printed. */
const MIN_POINTS = 3;
/** The browser rounds the sides of the paper to a 300th of an inch; multiples of this length remain as they are. */
const PAPER_STEP_POINTS = 6;

/** @throws EngineFailure `unsupported`, `damaged`, `too-complex`; OutOfRange for a page beyond the limits of PDF */
export const nativeSvgToPdf = nativeOperation(
  svgToPdf,
  { engine: "chromium", timeoutMs: CONTAINER_LIMITS.documentJobMs },
  async function* (job, images, engines) {
    const [input] = job.inputs;
    const drawing = await unpacked(await readFile(input!.path));
    const { html, paper, size } = pageOf(drawing);
    const chromium = await engines.chromium.ready(job.signal);
    const path = join(job.folder, "result.pdf");
    const document = { type: "text/html; charset=utf-8", stream: () => Readable.from([html]) };
    await chromium.printToPdf({ document, isStill: true }, path, { paper, margin: 0, tagged: false }, job.signal);
    const printed = fileInput("result.pdf", (await stat(path)).size, path);
    const margins = { left: 0, bottom: 0, right: paper.width - size.width, top: paper.height - size.height };
    const boxes = { boxes: [{ box: "media" as const, pages: [{ range: "1-last", ...margins }] }] };
    const cut = await threadStep(setPageBoxes, [printed], { boxes }, job, engines);
    yield* limitedExport(cut, images, job, engines);
  },
);

async function unpacked(file: Buffer): Promise<Buffer> {
  const { drawingBytes: maxOutputLength } = CONTAINER_LIMITS;
  const tooLarge = () => new EngineFailure("too-complex", `a drawing of more than ${maxOutputLength} bytes`);
  const isPacked = file[0] === 0x1f && file[1] === 0x8b;
  if (!isPacked && file.length > maxOutputLength) throw tooLarge();
  if (!isPacked) return file;
  try {
    return await promisify(gunzip)(file, { maxOutputLength });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    throw new EngineFailure("damaged", "the compressed drawing", { cause: error });
  }
}

/** Returns a page with the drawing in its lower left corner, and the drawing's size in points. */
function pageOf(drawing: Buffer) {
  const text = textOf(drawing);
  checkEntities(text);
  checkElements(text);
  const pixels = sizeOfSvg(text);
  const [width, height] = [pixels.width, pixels.height].map((side) => side * POINTS_PER_PIXEL) as [number, number];
  if (Math.max(width, height) > MAX_POINTS) {
    throw new OutOfRange("file", `A page of ${Math.ceil(width)} x ${Math.ceil(height)} points`);
  }
  const size = { width: Math.max(MIN_POINTS, width), height: Math.max(MIN_POINTS, height) };
  const paper = { width: roundUp(size.width), height: roundUp(size.height) };
  const above = paper.height - size.height;
  // The page rule declares a document for paper, which is not scaled.
  const style =
    `@page{margin:0}html,body{margin:0;overflow:hidden}body{width:${paper.width}pt;height:${paper.height}pt}` +
    `img{position:absolute;left:0;top:${above}pt;width:${width}pt;height:${height}pt}`;
  const place = missingNamespace(text);
  const named = place === undefined ? drawing : Buffer.from(`${text.slice(0, place)}${NAMESPACE}${text.slice(place)}`);
  const source = `data:image/svg+xml;base64,${named.toString("base64")}`;
  return { paper, size, html: Buffer.from(`<!doctype html><style>${style}</style><img alt="" src="${source}">`) };
}

const roundUp = (points: number): number => Math.ceil(points / PAPER_STEP_POINTS) * PAPER_STEP_POINTS;

/** Returns the text, in which characters other than ASCII can be wrong. */
function textOf(drawing: Buffer): string {
  if (drawing[0] === 0xff && drawing[1] === 0xfe) return new TextDecoder("utf-16le").decode(drawing);
  if (drawing[0] === 0xfe && drawing[1] === 0xff) return new TextDecoder("utf-16be").decode(drawing);
  return new TextDecoder().decode(drawing);
}
