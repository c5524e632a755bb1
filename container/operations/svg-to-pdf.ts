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
import { svgToPdf } from "../../src/operations/to-pdf/svg-to-pdf.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { limitedExport } from "./limited-export.ts";
import { nativeOperation } from "./native.ts";

const NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"';
const POINTS_PER_PIXEL = 0.75;
/** Smaller pages are not printed. */
const MIN_POINTS = 3;

/** @throws EngineFailure `unsupported`, `damaged`, `too-complex`; OutOfRange for a page beyond the limits of PDF */
export const nativeSvgToPdf = nativeOperation(
  svgToPdf,
  { engine: "chromium", timeoutMs: CONTAINER_LIMITS.documentJobMs },
  async function* (job, images, engines) {
    const [input] = job.inputs;
    const drawing = await unpacked(await readFile(input!.path));
    const { html, paper } = pageOf(drawing);
    const chromium = await engines.chromium.ready(job.signal);
    const path = join(job.folder, "result.pdf");
    const document = { type: "text/html; charset=utf-8", stream: () => Readable.from([html]) };
    await chromium.printToPdf({ document, isStill: true }, path, { paper, margin: 0, tagged: false }, job.signal);
    yield* limitedExport({ path, size: (await stat(path)).size }, images, job, engines);
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

function pageOf(drawing: Buffer) {
  const text = textOf(drawing);
  checkEntities(text);
  checkElements(text);
  const size = sizeOfSvg(text);
  const [width, height] = [size.width, size.height].map((side) => side * POINTS_PER_PIXEL) as [number, number];
  if (Math.max(width, height) > MAX_POINTS) {
    throw new OutOfRange("file", `A page of ${Math.ceil(width)} x ${Math.ceil(height)} points`);
  }
  const paper = { width: Math.max(MIN_POINTS, width), height: Math.max(MIN_POINTS, height) };
  const box = `width:${size.width}px;height:${size.height}px`;
  // The page rule declares a document for paper, which is not scaled.
  const style = `@page{margin:0}html,body{margin:0;${box};overflow:hidden}img{display:block;${box}}`;
  const place = missingNamespace(text);
  const named = place === undefined ? drawing : Buffer.from(`${text.slice(0, place)}${NAMESPACE}${text.slice(place)}`);
  const source = `data:image/svg+xml;base64,${named.toString("base64")}`;
  return { paper, html: Buffer.from(`<!doctype html><style>${style}</style><img alt="" src="${source}">`) };
}

/** Returns the text, in which characters other than ASCII can be wrong. */
function textOf(drawing: Buffer): string {
  if (drawing[0] === 0xff && drawing[1] === 0xfe) return new TextDecoder("utf-16le").decode(drawing);
  if (drawing[0] === 0xfe && drawing[1] === 0xff) return new TextDecoder("utf-16be").decode(drawing);
  return new TextDecoder().decode(drawing);
}
