// Prepares documents that Office opens and LibreOffice does not, or not completely: web archives, packages in one file
// of XML, packages with names in another spelling, and documents with others within them. Most stay as they are.

import { open, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { EngineFailure } from "../../../src/core/failure.ts";
import { type Notice, noticesOf } from "../../../src/core/notice.ts";
import { isWebArchive } from "../../../src/core/text-formats.ts";
import type { JobFolder, Scratch } from "../../scratch/scratch.ts";
import { type ChunkFile, chunksOf, withoutChunks } from "./chunks.ts";
import { isFlatOpc, partsOfFlatOpc } from "./flat-opc.ts";
import { examine } from "./package.ts";
import { respelled, spellingOf } from "./part-names.ts";
import { pageOfArchive } from "./web-archive.ts";
import { writeZip, ZipFile } from "./zip-file.ts";

/** A document as LibreOffice can open it. */
export interface Prepared extends AsyncDisposable {
  readonly path: string;
  /** Documents to insert, as paths. Their names are those of their bookmarks. */
  readonly chunks: readonly string[];
  /** True if it was a web archive, and contains pictures now. */
  readonly hasPictures: boolean;
  readonly notices: readonly Notice[];
}

const SNIFFED_BYTES = 4096;

/** @throws EngineFailure `damaged`, `unsupported`, `too-complex` */
export async function prepare(path: string, scratch: Scratch): Promise<Prepared> {
  const preparing = new Preparing(path, scratch);
  try {
    await preparing.run();
  } catch (error) {
    await preparing[Symbol.asyncDispose]();
    throw error;
  }
  return preparing;
}

class Preparing implements Prepared {
  path: string;
  readonly chunks: string[] = [];
  hasPictures = false;
  notices: readonly Notice[] = [];
  readonly #name: string;
  readonly #scratch: Scratch;
  readonly #folders: JobFolder[] = [];

  constructor(path: string, scratch: Scratch) {
    this.path = path;
    this.#name = basename(path);
    this.#scratch = scratch;
  }

  async run(): Promise<void> {
    const start = await startOf(this.path);
    if (isWebArchive(start.toString("latin1").replace(/^\xef\xbb\xbf/, ""))) return this.#unpackArchive();
    if (isFlatOpc(start)) {
      const parts = partsOfFlatOpc(await readFile(this.path));
      await this.#replace((to) => writeZip(to, parts));
    }
    await using zip = await ZipFile.open(this.path);
    if (!zip) return;
    const { damaged, relations } = await examine(zip);
    if (damaged !== undefined) throw new EngineFailure("damaged", `${damaged} in the package cannot be read`);
    const spelling = spellingOf(
      zip.parts.map(({ name }) => name),
      relations,
    );
    if (!spelling) return this.#takeChunks(zip, relations);
    await this.#replace((to) => writeZip(to, respelled(zip, relations, spelling)));
    await using renamed = await ZipFile.open(this.path);
    if (renamed) await this.#takeChunks(renamed, (await examine(renamed)).relations);
  }

  async #unpackArchive(): Promise<void> {
    const page = pageOfArchive(await readFile(this.path));
    this.hasPictures = page.includes("data:image/");
    await this.#replace((to) => writeFile(to, page));
  }

  async #takeChunks(zip: ZipFile, relations: ReadonlyMap<string, Buffer>): Promise<void> {
    const chunks = await chunksOf(zip, relations);
    if (!chunks) return;
    const folder = await this.#replace((to) => writeZip(to, withoutChunks(zip, chunks)));
    let { left } = chunks;
    for (const chunk of chunks.inserted) {
      const path = join(folder, chunk.name);
      await writeChunk(path, chunk);
      const lost = chunk.name.endsWith(".docx") ? await chunksWithin(path) : 0;
      if (lost !== undefined) this.chunks.push(path);
      left += lost ?? 1;
    }
    this.notices = noticesOf("chunks-left-out", left);
  }

  /** @returns the folder of the new document */
  async #replace(write: (to: string) => Promise<void>): Promise<string> {
    const folder = await this.#scratch.folder("prepared");
    this.#folders.push(folder);
    const to = join(folder.path, this.#name);
    await write(to);
    this.path = to;
    return folder.path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#folders.map((folder) => folder[Symbol.asyncDispose]()));
  }
}

async function writeChunk(path: string, chunk: ChunkFile): Promise<void> {
  await ("parts" in chunk ? writeZip(path, chunk.parts) : writeFile(path, chunk.content));
}

/**
 * Returns the number of chunks in a chunk, which are not inserted.
 * @returns undefined if the package cannot be read: LibreOffice would insert nothing, and not say so
 */
async function chunksWithin(path: string): Promise<number | undefined> {
  await using zip = await ZipFile.open(path);
  if (!zip || zip.parts.length === 0) return undefined;
  const { damaged, relations } = await examine(zip);
  if (damaged !== undefined) return undefined;
  const chunks = await chunksOf(zip, relations);
  return chunks ? chunks.inserted.length + chunks.left : 0;
}

async function startOf(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
