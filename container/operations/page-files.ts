// The files to which an HTML file refers: the other files of its archive, or files that the client sent with it. They
// are read only when the page requests them.

import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { Readable } from "node:stream";
import { ByteReader } from "../../src/document/contract/byte-reader.ts";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { type ArchiveEntry, readContents } from "../../src/document/formats/zip/contents.ts";
import { entryData } from "../../src/document/formats/zip/unpack.ts";
import { leadsOut, websiteIn } from "../../src/document/formats/zip/website.ts";
import { readWhole } from "../../src/operations/in-memory.ts";
import type { ServedDocument, ServedFiles } from "../engines/chromium/network/served-files.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { type FileInput, fileInput } from "../scratch/file-input.ts";

/** Media types by extension, for which browsers do not look at the content: scripts, style sheets, pictures, fonts. */
const TYPES: Readonly<Record<string, string>> = {
  avif: "image/avif",
  css: "text/css",
  csv: "text/csv",
  gif: "image/gif",
  htm: "text/html",
  html: "text/html",
  ico: "image/x-icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  mjs: "text/javascript",
  mp4: "video/mp4",
  otf: "font/otf",
  png: "image/png",
  svg: "image/svg+xml",
  ttf: "font/ttf",
  txt: "text/plain",
  wasm: "application/wasm",
  webm: "video/webm",
  webmanifest: "application/manifest+json",
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
  xht: "application/xhtml+xml",
  xhtml: "application/xhtml+xml",
  xml: "application/xml",
};

const typeOf = (name: string): string => TYPES[extname(name).slice(1).toLowerCase()] ?? "application/octet-stream";

/** Looks up files by path, without a slash at the start. */
class Paths<T> {
  readonly #exact = new Map<string, T>();
  /** By lower-case path, because file systems of Windows and macOS ignore case. */
  readonly #folded = new Map<string, T>();

  add(path: string, file: T): void {
    if (!this.#exact.has(path)) this.#exact.set(path, file);
    const folded = path.toLowerCase();
    if (!this.#folded.has(folded)) this.#folded.set(folded, file);
  }

  find(path: string): T | undefined {
    return this.#exact.get(path) ?? this.#folded.get(path.toLowerCase());
  }
}

/**
 * Files that were sent with a page. A reference finds a file of the same name. If there are several, it finds the one
 * whose last folders agree with it, because many clients send names without folders, or with further ones.
 */
export function sentFiles(inputs: readonly FileInput[]): ServedFiles {
  const byName = Map.groupBy(inputs, ({ name }) => folded(name));
  return {
    find(path) {
      const found = byName.get(folded(basename(path))) ?? [];
      const [file] = found.toSorted((first, second) => agreement(second, path) - agreement(first, path));
      return file && served(file.name, () => createReadStream(file.path));
    },
  };
}

/** Returns a path as file systems of Windows and macOS compare it. */
const folded = (path: string): string => path.normalize("NFC").toLowerCase();

/** Returns a number that is higher, the more segments at the end of a path are those of a file, and the same case. */
function agreement({ name, folder = "" }: FileInput, path: string): number {
  const [own, asked] = [folder + name, path].map((one) => folded(one).split("/").toReversed()) as [string[], string[]];
  const other = own.findIndex((segment, index) => segment !== asked[index]);
  const isExact = basename(path).normalize("NFC") === name.normalize("NFC");
  return 1000 * (other < 0 ? own.length : other) + (isExact ? 500 : 0) - own.length;
}

/** The page of an archive, as a file, and its other files. */
interface ArchivedPage {
  readonly page: FileInput;
  readonly files: ServedFiles;
}

/**
 * Opens an archive. Writes only the page, into a folder.
 * @throws EngineFailure `unsupported` for an archive without a page, or with names that lead out of it; `damaged`,
 *   `password-required`, `too-complex`
 */
export async function openArchive(archive: FileInput, folder: string): Promise<ArchivedPage> {
  const entries = await readContents(archive);
  if (entries.some(({ name }) => leadsOut(name))) {
    const feature = "names of files that lead out of the archive";
    throw new EngineFailure("unsupported", feature, { feature });
  }
  const site = websiteIn(entries);
  if (!site) throw new EngineFailure("unsupported", "an archive without index.html");
  const path = join(folder, "page.html");
  const bytes = await readWhole(dataOf(archive, site.page), CONTAINER_LIMITS.archivedPageBytes);
  await writeFile(path, bytes);
  const files = new Paths<ArchiveEntry>();
  for (const entry of entries) {
    const { kind, name } = entry;
    if (kind === "file" && name.startsWith(site.folder)) files.add(name.slice(site.folder.length), entry);
  }
  return {
    page: fileInput(basename(site.page.name), bytes.length, path),
    files: {
      find(wanted) {
        const entry =
          files.find(wanted) ?? files.find(`${wanted}${wanted === "" || wanted.endsWith("/") ? "" : "/"}index.html`);
        return entry && served(entry.name, () => Readable.from(dataOf(archive, entry)));
      },
    },
  };
}

const served = (name: string, stream: () => NodeJS.ReadableStream): ServedDocument => ({ type: typeOf(name), stream });

/** Reads one entry, without the entries before it. */
async function* dataOf(archive: FileInput, entry: ArchiveEntry): AsyncGenerator<Uint8Array> {
  await using reader = new ByteReader(createReadStream(archive.path, { start: entry.at }));
  for await (const chunk of entryData(reader, { ...entry, at: 0 }, undefined)) yield chunk.slice();
}
