// Renders the pages of a PDF and extracts their text, for a later comparison with another PDF. Yields one output, in
// the format of rendering-records.ts.

import * as z from "zod";
import { type Context, defineOperation, type Input, type Run } from "../../document/contract/operation.ts";
import { acquireMupdf } from "../../document/engines/mupdf/instance/spare.ts";
import { RenderedDocument, spread } from "../../document/pdfa/comparison/document-rendering.ts";
import { encodeCount, encodeRendering } from "../../document/pdfa/comparison/rendering-records.ts";
import { prewarmPdfaEngines, renderOptions } from "./compare-pdfs.ts";

/**
 * Maximum size of all records. Beyond it, rasters are omitted, and differing pages are rendered again during the
 * comparison.
 */
const MAX_BYTES = 24 * 2 ** 20;

const paramsSchema = z.object({
  /**
   * Time limit in milliseconds. After it, rendering stops; the pages rendered so far are spread over the whole
   * document.
   */
  timeMs: z.number(),
});
type LookParams = z.infer<typeof paramsSchema>;

/** @throws EngineFailure if the document cannot be opened */
const run: Run<LookParams> = async function* ([input], params, context) {
  yield { extension: "looks", type: "application/octet-stream", body: looks(input!, params, context) };
};

export const renderPdf = defineOperation({ name: "look-at-pdf", params: paramsSchema, run });

async function* looks(input: Input, { timeMs }: LookParams, context: Context): AsyncGenerator<Uint8Array> {
  const ends = performance.now() + timeMs;
  const options = renderOptions(context);
  context.defer(() => prewarmPdfaEngines(options));
  using document = RenderedDocument.open(await input.bytes(), await acquireMupdf(options), options);
  yield encodeCount(document.pageCount);
  let bytes = 0;
  for (const index of spread(document.pageCount)) {
    context.signal.throwIfAborted();
    if (performance.now() > ends || bytes > 2 * MAX_BYTES) break;
    const look = await document.look(index, 1);
    if (!look) continue;
    const record = encodeRendering(index, look, bytes < MAX_BYTES);
    bytes += record.length;
    yield record;
  }
}
