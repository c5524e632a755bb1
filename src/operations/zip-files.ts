// Packs files into a zip archive. Yields one output. Streams: at most half a MiB of a file is in memory.

import { type Context, defineOperation, type Input, type Run } from "../document/contract/operation.ts";
import { writeArchive } from "../document/formats/zip/archive.ts";
import { type EntryWriter, writeEntry } from "../document/formats/zip/entries.ts";
import { EntryNames } from "../document/formats/zip/names.ts";

/** @throws the error of an input */
const run: Run<Record<string, never>> = async function* (inputs, _params, context) {
  yield { extension: "zip", type: "application/zip", body: writeArchive(entries(inputs, context)) };
};

export const zipFiles = defineOperation({ name: "zip-files", parameters: {}, run });

function* entries(inputs: readonly Input[], { signal }: Context): Generator<EntryWriter> {
  const names = new EntryNames();
  const now = new Date();
  for (const input of inputs) {
    signal.throwIfAborted();
    yield writeEntry(input, { name: names.add(input.name), modified: input.modified ?? now });
  }
}
