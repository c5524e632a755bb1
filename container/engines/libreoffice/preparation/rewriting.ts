// Rewrites documents that Office opens and LibreOffice cannot open completely: web archives, Flat OPC, packages with
// unusual part names, and documents with embedded chunks. Decrypts packages, so that they are rewritten too. Also removes content that LibreOffice would wrongly print:
// hidden content and file paths.

import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { EngineFailure } from "../../../../src/document/contract/failure.ts";
import { countedNotices, type Notice } from "../../../../src/document/contract/notice.ts";
import { decryptedPackage } from "../../../../src/document/formats/ole/encrypted-package.ts";
import { isWebArchive } from "../../../../src/document/formats/text-formats.ts";
import { type ChunkFile, chunksOf, mayHaveChunks } from "./chunks.ts";
import { mayNameFile, withFileName } from "./file-fields.ts";
import { isFlatOpc, partsOfFlatOpc } from "./flat-opc.ts";
import { HiddenSigns, withoutHidden } from "./hidden-content.ts";
import { examine, isExamined, relationsOf } from "./package.ts";
import { respelled, spellingOf } from "./part-names.ts";
import { withoutUnusedLayouts } from "./slide-layouts.ts";
import { pageOfArchive } from "./web-archive.ts";
import { withParts, writeZip, ZipFile } from "./zip-file.ts";

/** A document that LibreOffice can open. Plain data, because it is a message between threads. */
export interface Rewritten {
  readonly path: string;
  /** Paths of documents to insert. Each file has the name of its bookmark. */
  readonly chunks: readonly string[];
  /** True if the document was a web archive with images. */
  readonly hasPictures: boolean;
  readonly notices: readonly Notice[];
}

/** A document to rewrite, and an empty folder for the new files. */
export interface Rewriting {
  readonly path: string;
  readonly folder: string;
  /** Name that fields of the document print. */
  readonly fileName: string;
  /** The password that opens the document, if the client sent one. */
  readonly password: string | undefined;
}

/** Packages with more parts, or more bytes of relationships, are examined in a thread. Few packages are that large. */
const MAX_PARTS_AT_ONCE = 1000;
const MAX_RELATION_BYTES_AT_ONCE = 2 ** 18;

/**
 * Returns the parts of a package to replace, or `all` if the document might need another rewriting. Fast for any
 * document.
 * @throws EngineFailure `damaged`
 */
export async function neededRewriting({
  path,
  password,
}: Pick<Rewriting, "path" | "password">): Promise<"all" | ReadonlyMap<string, Buffer>> {
  const start = await startOf(path);
  if (isArchive(start) || isFlatOpc(start) || (password !== undefined && isCompound(start))) return "all";
  await using zip = await ZipFile.open(path);
  if (!zip) return new Map();
  if (zip.parts.length > MAX_PARTS_AT_ONCE) return "all";
  const signs = new HiddenSigns();
  let namesFile = false;
  const relations = await relationsOf(zip, (content) => {
    signs.look(content);
    namesFile ||= mayNameFile(content);
  });
  if (signs.mayHide || namesFile) return "all";
  const bytes = [...relations.values()].reduce((sum, { length }) => sum + length, 0);
  if (bytes > MAX_RELATION_BYTES_AT_ONCE || mayHaveChunks(relations)) return "all";
  if (spellingOf(namesIn(zip), relations) !== undefined) return "all";
  return isExamined(zip, relations) ? withoutUnusedLayouts(relations) : new Map();
}

/** Replaces parts of a package without other changes, as {@link rewrite} does. Small, so it needs no thread. */
export async function replaceParts(
  { path, folder }: Rewriting,
  parts: ReadonlyMap<string, Buffer>,
): Promise<Rewritten> {
  const to = join(folder, basename(path));
  await using zip = await ZipFile.open(path);
  if (zip) await writeZip(to, withParts(zip, parts));
  return { path: zip ? to : path, chunks: [], hasPictures: false, notices: [] };
}

/** @throws EngineFailure `damaged`, `unsupported`, `too-complex`, `too-large` */
export async function rewrite(rewriting: Rewriting): Promise<Rewritten> {
  const rewriter = new Rewriter(rewriting);
  await rewriter.run();
  const { chunks, hasPictures, notices } = rewriter;
  return { path: rewriter.path, chunks, hasPictures, notices };
}

const namesIn = ({ parts }: ZipFile) => parts.map(({ name }) => name);
const isCompound = (start: Buffer) => start.toString("hex", 0, 4) === "d0cf11e0";
const isArchive = (start: Buffer) => isWebArchive(start.toString("latin1").replace(/^\xef\xbb\xbf/, ""));

class Rewriter implements Rewritten {
  path: string;
  readonly chunks: string[] = [];
  hasPictures = false;
  notices: readonly Notice[] = [];
  readonly #name: string;
  readonly #fileName: string;
  readonly #folder: string;
  readonly #password: string | undefined;
  #written = 0;

  constructor({ path, folder, fileName, password }: Rewriting) {
    this.path = path;
    this.#name = basename(path);
    this.#fileName = fileName;
    this.#folder = folder;
    this.#password = password;
  }

  async run(): Promise<void> {
    const start = await startOf(this.path);
    if (isArchive(start)) return this.#unpackArchive();
    if (this.#password !== undefined && isCompound(start)) await this.#decrypt(this.#password);
    if (isFlatOpc(start)) {
      const parts = partsOfFlatOpc(await readFile(this.path));
      await this.#replace((to) => writeZip(to, parts));
    }
    await this.#respell();
    await this.#correctParts();
    await this.#takeChunks();
  }

  async #decrypt(password: string): Promise<void> {
    const opened = openedWith(await readFile(this.path), password);
    if (opened) await this.#replace((to) => writeFile(to, opened));
  }

  async #respell(): Promise<void> {
    await using zip = await ZipFile.open(this.path);
    if (!zip) return;
    const relations = await relationsOf(zip);
    const spelling = spellingOf(namesIn(zip), relations);
    if (spelling) await this.#replace((to) => writeZip(to, respelled(zip, relations, spelling)));
  }

  async #correctParts(): Promise<void> {
    await using zip = await ZipFile.open(this.path);
    if (!zip) return;
    const signs = new HiddenSigns();
    const parts = new Map<string, Buffer>();
    const relations = await relationsOf(zip, (content, name) => {
      signs.look(content);
      parts.set(name, content);
    });
    const shown = signs.mayHide ? withoutHidden(parts) : new Map<string, Buffer>();
    const named = withFileName(new Map([...parts, ...shown]), this.#fileName);
    const layouts = isExamined(zip, relations) ? withoutUnusedLayouts(relations) : [];
    const changed = new Map([...shown, ...named, ...layouts]);
    if (changed.size > 0) await this.#replace((to) => writeZip(to, withParts(zip, changed)));
  }

  async #unpackArchive(): Promise<void> {
    const page = pageOfArchive(await readFile(this.path));
    this.hasPictures = page.includes("data:image/");
    await this.#replace((to) => writeFile(to, page));
  }

  async #takeChunks(): Promise<void> {
    await using zip = await ZipFile.open(this.path);
    if (!zip) return;
    const chunks = await chunksOf(zip, await relationsOf(zip));
    if (!chunks) return;
    const folder = await this.#replace((to) => writeZip(to, withParts(zip, chunks.changed)));
    let { left } = chunks;
    for (const chunk of chunks.inserted) {
      const path = join(folder, chunk.name);
      await writeChunk(path, chunk);
      const lost = chunk.name.endsWith(".docx") ? await chunksWithin(path) : 0;
      if (lost !== undefined) this.chunks.push(path);
      left += lost ?? 1;
    }
    this.notices = countedNotices("chunks-left-out", left);
  }

  /** @returns the folder of the new document */
  async #replace(write: (to: string) => Promise<void>): Promise<string> {
    const folder = join(this.#folder, String(this.#written++));
    await mkdir(folder);
    const to = join(folder, this.#name);
    await write(to);
    this.path = to;
    return folder;
  }
}

/**
 * @returns undefined for a document that LibreOffice itself opens with the password, or rejects
 * @throws EngineFailure `password-protected` for a wrong password
 */
function openedWith(bytes: Buffer, password: string): Buffer | undefined {
  try {
    return decryptedPackage(bytes, password);
  } catch (error) {
    if (error instanceof EngineFailure && error.reason === "password-protected") throw error;
    return undefined;
  }
}

async function writeChunk(path: string, chunk: ChunkFile): Promise<void> {
  await ("parts" in chunk ? writeZip(path, chunk.parts) : writeFile(path, chunk.content));
}

/**
 * Returns the number of nested chunks, which are not inserted.
 * @returns undefined if the package cannot be read: LibreOffice would silently insert nothing
 */
async function chunksWithin(path: string): Promise<number | undefined> {
  await using zip = await ZipFile.open(path);
  if (!zip || zip.parts.length === 0) return undefined;
  const { damaged, relations } = await examine(zip);
  if (damaged !== undefined) return undefined;
  const chunks = await chunksOf(zip, relations);
  return chunks ? chunks.inserted.length + chunks.left : 0;
}

const SNIFFED_BYTES = 4096;

async function startOf(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
