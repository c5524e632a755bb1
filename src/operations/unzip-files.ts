// Unpacks a zip archive. Yields one output for each file, in the order of their data. Streams: the archive is never in
// memory as a whole.
import { ByteReader } from "../document/contract/byte-reader.ts";
import { EngineFailure } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { detectMediaType } from "../document/contract/media-type.ts";
import { namedNotices } from "../document/contract/notice.ts";
import { defineOperation, type Run, yieldBetweenPages } from "../document/contract/operation.ts";
import { optional, type Params } from "../document/contract/parameter.ts";
import { password } from "../document/contract/parameters/text.ts";
import { type ArchiveEntry, readContents } from "../document/formats/zip/contents.ts";
import { EntryNames } from "../document/formats/zip/names.ts";
import { entryData } from "../document/formats/zip/unpack.ts";

const parameters = { password: optional("The password of encrypted files.", password({ max: 128 })) };
export type UnzipFilesParams = Params<typeof parameters>;

/**
 * Each body must be read before the next output is requested.
 * @throws EngineFailure `damaged` also for an archive without files; `too-complex` for one that would become too large;
 *   the failure of an entry
 */
const run: Run<UnzipFilesParams> = async function* ([input], params, { signal }) {
  const contents = await readContents(input!);
  const entries = contents.filter(({ kind }) => kind === "file");
  const links = contents.filter(({ kind }) => kind === "link").map(({ name }) => ({ name }));
  const notices = [...namedNotices("links-left-out", links)];
  if (entries.length === 0) throw new EngineFailure("damaged", "no files");
  checkSize(entries, input!.size);
  if (params.password === undefined && entries.some(({ encryption }) => encryption)) {
    throw new EngineFailure("password-required", "an encrypted entry");
  }
  const names = new EntryNames();
  await using reader = new ByteReader(input!.stream());
  for (const [index, entry] of entries.entries()) {
    await yieldBetweenPages({ index }, signal);
    const data = entryData(reader, entry, params.password);
    try {
      const first = await data.next();
      const start = first.done ? new Uint8Array(0) : first.value;
      const name = names.add(entry.name);
      yield {
        ...{ name, extension: /(?<=.\.)[^.]+$/.exec(name)?.[0] ?? "", type: detectMediaType(start, name) },
        ...{ body: startingWith(start, data), total: entries.length },
        notices: () => notices.splice(0),
      };
    } finally {
      await data.return(undefined);
    }
  }
};

export const unzipFiles = defineOperation({ name: "unzip-files", parameters, run });

/** Rejects archives whose stated sizes are out of proportion. Entries that become larger than stated are damaged. */
function checkSize(entries: readonly ArchiveEntry[], archiveBytes: number): void {
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  if (bytes <= Math.max(LIMITS.unzippedAnywayBytes, archiveBytes * LIMITS.unzippedRatio)) return;
  const why = `The files in the archive have ${bytes.toLocaleString("en")} bytes, which is out of proportion to its size.`;
  throw new EngineFailure("too-complex", `${bytes} bytes in ${archiveBytes}`, { why });
}

async function* startingWith(start: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start;
  yield* rest;
}
