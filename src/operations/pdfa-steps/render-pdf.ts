// Records how the pages of a PDF look and read, for comparison with another PDF later. Yields one output, in the format
// of look-records.ts. Knows nothing about the other document.

import * as z from "zod";
import { type Context, defineOperation, type Input, type Run } from "../../document/contract/operation.ts";
import { acquireMupdf } from "../../document/engines/mupdf/instance/spare.ts";
import { RenderedDocument, spread } from "../../document/pdfa/comparison/document-rendering.ts";
import { encodeCount, encodeRendering } from "../../document/pdfa/comparison/rendering-records.ts";
import { prewarmPdfaEngines, renderOptions } from "./compare-pdfs.ts";

/**
 * Maximum size of all records. Further pictures are left out, and pages that differ are drawn again for the comparison.
 */
const MOST_BYTES = 24 * 2 ** 20;

const paramsSchema = z.object({
  /** Time budget. When it has passed, only some pages of a long document are looked at, spread over all of it. */
  timeMs: z.number(),
});
type LookParams = z.infer<typeof paramsSchema>;

/** @throws EngineFailure the failure that made the document unreadable */
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
    if (performance.now() > ends || bytes > 2 * MOST_BYTES) break;
    const look = await document.look(index, 1);
    if (!look) continue;
    const record = encodeRendering(index, look, bytes < MOST_BYTES);
    bytes += record.length;
    yield record;
  }
}
