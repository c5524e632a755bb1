// Measures what a validator needs for a PDF, and whether it can finish. Knows nothing about the rules.

import * as z from "zod";
import { type Output, defineOperation, type Run } from "../../core/operation.ts";
import { acquireMupdf } from "../../engines/mupdf/spare.ts";
import { readOperations } from "../../pdf/content/content.ts";
import { Budget } from "../../pdf/objects/budget.ts";
import { MupdfSource } from "../../pdf/objects/mupdf-source.ts";
import { PdfFile } from "../../pdf/objects/pdf-file.ts";
import { memoryLimitsOf } from "../../pdf/objects/room.ts";
import { PdfaDocument } from "../../pdf/pdfa/archive.ts";
import { ContentCount, type ContentWork } from "../../pdf/pdfa/content/content-count.ts";
import type { ContentStream } from "../../pdf/pdfa/content/content-stream.ts";
import { readContentStreams } from "../../pdf/pdfa/content/content-streams.ts";
import { NO_FONTS } from "../../pdf/pdfa/fonts/font-shelf.ts";

const LEVEL = { part: 2, conformance: "b" } as const;

export const workOutput = (work: ContentWork): Output => ({
  extension: "json",
  type: "application/json",
  body: new TextEncoder().encode(JSON.stringify(work)),
});

/**
 * Yields one output, the {@link ContentWork}.
 * @throws EngineFailure `too-much-content` if a validator could not finish, or the failure that made the document
 * unreadable
 */
const run: Run<Record<string, never>> = async function* ([input], _, context) {
  const { engineBytes, objectBytes } = memoryLimitsOf(context.heapLimitBytes);
  const budget = new Budget(objectBytes);
  const bytes = await input!.bytes();
  const engine = await acquireMupdf({ heapLimitBytes: engineBytes });
  const reopen = () => MupdfSource.open(bytes, engineBytes, budget);
  const source = await MupdfSource.open(bytes, engineBytes, budget, engine);
  try {
    const file = PdfFile.of(source, budget);
    const task = { level: LEVEL, failures: [], signal: context.signal, source, reopen, shelf: NO_FONTS };
    const archive = await PdfaDocument.open(file, task);
    const count = new ContentCount(file);
    count.seeObjects(archive.places.length, archive.annotationCount);
    const see = (stream: ContentStream) => {
      for (const operation of readOperations(stream.bytes)) count.see(operation, stream);
      return undefined;
    };
    await readContentStreams(archive, see, count.call);
    yield workOutput(count.work());
  } finally {
    source.close();
  }
};

export const countContent = defineOperation({ name: "count-content", params: z.object({}), run });
