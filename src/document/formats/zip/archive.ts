// Writes a zip archive, entry by entry.

import type { EntryWriter } from "./entries.ts";
import { centralDirectory, type ZipEntry } from "./records.ts";

/** @param entries in order; each is requested after the previous one was written */
export async function* writeArchive(
  entries: Iterable<EntryWriter> | AsyncIterable<EntryWriter>,
): AsyncGenerator<Uint8Array> {
  const directory: ZipEntry[] = [];
  let offset = 0;
  for await (const written of entries) {
    const start = offset;
    try {
      for (;;) {
        const { done, value } = await written.next();
        if (done) {
          directory.push({ ...value, offset: start });
          break;
        }
        offset += value.length;
        yield value;
      }
    } finally {
      await written.return(undefined as never);
    }
  }
  yield* centralDirectory(directory, offset);
}
