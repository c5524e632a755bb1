// Estimates the cost of validating a PDF. Rejects a PDF whose validation cannot finish.

import * as z from "zod";
import { readOperations } from "../../document/content/content.ts";
import { defineOperation, type Output, type Run } from "../../document/contract/operation.ts";
import { acquireMupdf } from "../../document/engines/mupdf/instance/spare.ts";
import { MupdfSource } from "../../document/objects/engine/mupdf-source.ts";
import { memoryLimitsOf } from "../../document/objects/memory-limits.ts";
import { openPdf } from "../../document/pages/open-pdf.ts";
import { ContentCount, type ContentWork } from "../../document/pdfa/content/content-count.ts";
import type { ContentStream } from "../../document/pdfa/content/content-stream.ts";
import { readContentStreams } from "../../document/pdfa/content/content-streams.ts";
import { NO_FONTS } from "../../document/pdfa/fonts/font-provider.ts";
import { PdfaDocument } from "../../document/pdfa/pdfa-document.ts";

const LEVEL = { part: 2, conformance: "b" } as const;

export const workOutput = (work: ContentWork): Output => ({
  extension: "json",
  type: "application/json",
  body: new TextEncoder().encode(JSON.stringify(work)),
});

/**
 * Yields one output, the {@link ContentWork}.
 * @throws EngineFailure `too-much-content` if validation cannot finish; also if the document cannot be opened
 */
const run: Run<Record<string, never>> = async function* ([input], _, context) {
  const { engineBytes } = memoryLimitsOf(context.heapLimitBytes);
  const engine = await acquireMupdf({ heapLimitBytes: engineBytes });
  using pdf = await openPdf(await input!.bytes(), context, { engine, asIs: true });
  const { bytes, source, file, budget } = pdf;
  const reopen = () => MupdfSource.open(bytes, engineBytes, budget);
  const task = { level: LEVEL, failures: [], signal: context.signal, source, reopen, fonts: NO_FONTS };
  const archive = await PdfaDocument.open(file, task);
  const count = new ContentCount(file);
  count.seeObjects(archive.places.length, archive.annotationCount);
  const see = (stream: ContentStream) => {
    for (const operation of readOperations(stream.bytes)) count.see(operation, stream);
    return undefined;
  };
  await readContentStreams(archive, see, count.call);
  yield workOutput(count.work());
};

export const countContent = defineOperation({ name: "count-content", params: z.object({}), run });
