// Takes a picture of an HTML file, or of the page at a URL, with Chromium.

import { createReadStream } from "node:fs";
import { join } from "node:path";
import { WEB_MEDIA_TYPES } from "../../src/operations/draw-web-images.ts";
import { htmlToPicture } from "../../src/operations/html-to-picture.ts";
import { MEDIA_TYPES } from "../../src/operations/rasterize-pdf.ts";
import { fontsIn } from "../fonts/added-fonts.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { nativeOperation } from "./native.ts";
import { pageSource } from "./page-source.ts";

const TYPES = { ...MEDIA_TYPES, webp: WEB_MEDIA_TYPES.webp };

/** @throws EngineFailure, OutOfRange for the reasons of {@link Chromium.takePicture} */
export const nativeHtmlToPicture = nativeOperation(
  htmlToPicture,
  { engine: "chromium", timeoutMs: CONTAINER_LIMITS.documentJobMs },
  async function* (job, params, engines) {
    const { url, kept, isArchive, ...options } = params;
    const chromium = await engines.chromium.ready(job.signal);
    const settings = { ...options, fonts: await fontsIn(job.inputs) };
    const path = join(job.folder, `result.${options.format}`);
    // A window and the state of a visit outlast a document, so pictures are taken in renderers of their own.
    const source = await pageSource(params, job, engines.web);
    await chromium.takePicture(source, path, settings, job.signal);
    const { format } = options;
    yield* encodeOutputs([{ extension: format, type: TYPES[format], body: createReadStream(path) }], job.log);
  },
);
