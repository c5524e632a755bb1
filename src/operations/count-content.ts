// Whether a validator can come to the end of a PDF: no output, only the failure. Knows no rule.
import { takeMupdf } from "../engines/mupdf-spare.ts";
import { Archive } from "../pdf/archival/archive.ts";
import { ContentCount } from "../pdf/archival/content-count.ts";
import { readContentStreams } from "../pdf/archival/content-streams.ts";
import { EMPTY_SHELF } from "../pdf/archival/fonts/font-shelf.ts";
import { Budget } from "../pdf/budget.ts";
import { readOperations } from "../pdf/content.ts";
import { MupdfSource } from "../pdf/mupdf-source.ts";
import { PdfFile } from "../pdf/pdf-file.ts";
import { roomOf } from "../pdf/room.ts";
import type { Operation } from "./operation.ts";

const LEVEL = { part: 2, conformance: "b" } as const;

/** @throws EngineFailure `too-complex` where forms in forms are too many, or what made the document unreadable */
export const countContent: Operation<object> = async function* ([input], _, context) {
  const { engineBytes, objectBytes } = roomOf(context.heapLimitBytes);
  const budget = new Budget(objectBytes);
  const bytes = await input!.bytes();
  const engine = await takeMupdf({ heapLimitBytes: engineBytes });
  const reopen = () => MupdfSource.open(bytes, engineBytes, budget);
  const source = await MupdfSource.open(bytes, engineBytes, budget, engine);
  try {
    const file = PdfFile.of(source, budget);
    const task = { level: LEVEL, failures: [], signal: context.signal, source, reopen, shelf: EMPTY_SHELF };
    const archive = await Archive.open(file, task);
    const count = new ContentCount(file);
    await readContentStreams(archive, (stream) => {
      for (const operation of readOperations(stream.bytes)) count.see(operation, stream);
      return undefined;
    });
    count.check();
  } finally {
    source.close();
  }
};
