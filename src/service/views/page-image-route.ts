// Serves the pages of stored PDFs as images, with the parameters of the image endpoints.

import { LIMITS } from "../../document/contract/limits.ts";
import { optional, type Parameters } from "../../document/contract/parameter.ts";
import { integer } from "../../document/contract/parameters/number.ts";
import type { Size } from "../../document/engines/mupdf/page.ts";
import type { PageRecord } from "../../document/search/page-record.ts";
import { TEXT_VERSION } from "../../document/search/stored-text.ts";
import { rasterizePdf } from "../../operations/rasterize-pdf.ts";
import { exposed } from "../http/contract/declaration/exposure.ts";
import { methodNotAllowed, noSuchPage, outOfRange } from "../http/contract/errors.ts";
import { readFields } from "../http/contract/fields.ts";
import { imageExposure } from "../http/contract/image-fields.ts";
import { openDocument } from "./documents.ts";
import { cacheKey } from "./image-cache.ts";
import type { PageImageParams } from "./image-request.ts";
import { findPage } from "./page-store.ts";
import type { PageServices } from "./pages-service.ts";
import { respondWithPageImage } from "./responses.ts";
import { boxesOn } from "./text/search.ts";
import { QUERY } from "./text/text-routes.ts";
import { findPageText } from "./text/text-store.ts";

const PICTURE_NAME = /^([1-9]\d{0,8})\.(png|jpg)$/;
const POINTS_PER_INCH = 72;

const side = (name: string) =>
  optional(
    `${name} of the picture in pixels, instead of a resolution.`,
    integer({ min: 1, max: LIMITS.pageImageSidePixels }),
  );
const SIDES = { width: side("Width"), height: side("Height") };

/** The parameters of the endpoint that a page image has, too. */
const DRAWN = new Set(["resolution", "color_model", "jpeg_quality"]);

/** The query parameters of a page image: width and height, and the parameters of the endpoint for the format. */
export const PICTURE_FIELDS = { png: fieldsOf("png"), jpg: fieldsOf("jpg") } as const;

function fieldsOf(format: "png" | "jpg"): Parameters {
  const { fields } = exposed(rasterizePdf.parameters, imageExposure(format));
  const drawn = Object.entries(fields).filter(([name]) => DRAWN.has(name));
  return {
    ...SIDES,
    ...Object.fromEntries(drawn),
    highlight: optional("Text to mark, as in a search of the document.", QUERY),
  };
}

interface Values {
  readonly width?: number;
  readonly height?: number;
  readonly resolution: number;
  readonly color_model: PageImageParams["colorModel"];
  readonly jpeg_quality?: number;
  readonly highlight?: string;
}

/**
 * Responds to GET and HEAD of a page.
 * @param name `<page>.png` or `<page>.jpg`
 * @throws ServiceError 404 for an unknown document or page, 400 for an invalid parameter
 */
export async function servePageImage(request: Request, id: string, name: string, service: PageServices) {
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed("GET, HEAD");
  const document = await openDocument(id, service);
  const [, page, extension] = PICTURE_NAME.exec(name) ?? [];
  const number = Number(page);
  if (extension === undefined || number > LIMITS.selectedPages) throw noSuchPage();
  const format = extension as keyof typeof PICTURE_FIELDS;
  const values = readFields(PICTURE_FIELDS[format], sentIn(request), {}) as unknown as Values;
  const version = values.highlight === undefined ? {} : { version: TEXT_VERSION };
  const key = cacheKey(id, document.file.etag, number, { format, ...values, ...version });
  return respondWithPageImage({ request, service, file: document.file, key, name: `page-${number}` }, async () => {
    const found = await findPage(document, number, service, request.signal);
    const params = paramsOf(values, format, found);
    if (values.highlight === undefined) return { page: { document, number, page: found }, params };
    const text = await findPageText(document, number, service, request.signal);
    const highlights = highlightsOf(text, values.highlight);
    return { page: { document, number, page: found }, params: { ...params, highlights } };
  });
}

/** Returns the places of matches on a page, in parts of its width and height from the upper left corner. */
const highlightsOf = (page: PageRecord, query: string): [number, number, number, number][] =>
  boxesOn(page, query).map(([left, bottom, right, top]) => [
    left / page.width,
    1 - top / page.height,
    right / page.width,
    1 - bottom / page.height,
  ]);

function sentIn(request: Request) {
  const { searchParams } = new URL(request.url);
  return { fields: new Map([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)])) };
}

/**
 * @param page size in points
 * @throws ServiceError 400 if the image would be too large
 */
function paramsOf(values: Values, format: PageImageParams["format"], page: Size): PageImageParams {
  const { width, height, resolution, color_model: colorModel, jpeg_quality: jpegQuality = 75 } = values;
  const dpiOf = (pixels: number, points: number) => (pixels / points) * POINTS_PER_INCH;
  const isSized = width !== undefined || height !== undefined;
  const dpi = isSized
    ? Math.min(
        width === undefined ? Number.POSITIVE_INFINITY : dpiOf(width, page.width),
        height === undefined ? Number.POSITIVE_INFINITY : dpiOf(height, page.height),
      )
    : resolution;
  const length = (points: number) => Math.max(1, Math.round((points * dpi) / POINTS_PER_INCH));
  const size = { width: length(page.width), height: length(page.height) };
  const isWithin =
    dpi <= LIMITS.pageImageDpi &&
    Math.max(size.width, size.height) <= LIMITS.pageImageSidePixels &&
    size.width * size.height <= LIMITS.pageImagePixels;
  if (!isWithin) {
    if (width !== undefined) throw outOfRange("width", String(width));
    throw height === undefined ? outOfRange("resolution", String(resolution)) : outOfRange("height", String(height));
  }
  const region = { left: 0, top: 0, ...size };
  return {
    picture: { full: size, region, size, turn: 0, mirrored: false },
    ...{ format, colorModel, bitonal: false, jpegQuality },
    dpi: Math.max(1, Math.round(dpi)),
  };
}
