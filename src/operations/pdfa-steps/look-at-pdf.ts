// How the pages of a PDF look and read, for comparing others with it later: one output, of look-records.ts. Knows no other document.

import type { Context, Input, Operation } from "../../core/operation.ts";
import { takeMupdf } from "../../engines/mupdf/spare.ts";
import { LookedAt, spread } from "../../pdf/pdfa/comparison/document-look.ts";
import { encodeCount, encodeLook } from "../../pdf/pdfa/comparison/look-records.ts";
import { type CompareParams, lookOptions, prepareArchivalSpares } from "./compare-pdfs.ts";

/** Of all records. Pictures beyond are left out: what differs there is looked at again when it is compared. */
const MOST_BYTES = 24 * 2 ** 20;

/** @throws EngineFailure what made the document unreadable */
export const lookAtPdf: Operation<CompareParams> = async function* ([input], params, context) {
  yield { extension: "looks", type: "application/octet-stream", body: looks(input!, params, context) };
};

async function* looks(input: Input, { timeMs }: CompareParams, context: Context): AsyncGenerator<Uint8Array> {
  const ends = performance.now() + timeMs;
  const options = lookOptions(context);
  context.defer(() => prepareArchivalSpares(options));
  using document = LookedAt.open(await input.bytes(), await takeMupdf(options), options);
  yield encodeCount(document.pageCount);
  let bytes = 0;
  for (const index of spread(document.pageCount)) {
    context.signal.throwIfAborted();
    if (performance.now() > ends || bytes > 2 * MOST_BYTES) break;
    const look = await document.look(index, 1);
    if (!look) continue;
    const record = encodeLook(index, look, bytes < MOST_BYTES);
    bytes += record.length;
    yield record;
  }
}
