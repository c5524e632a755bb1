// Stores the parts of unfinished uploads in a folder, so that uploads survive a restart. Layout:
//   <upload ID>         the bytes of the parts, in order of arrival
//   <upload ID>.parts   the journal: a line of JSON with the key and the properties, then one line for each part
// A part is added to the journal after its bytes have been synced, and acknowledged after the journal has been synced.
// If a crash leaves a truncated line, or bytes without a line, they belong to a part that was not acknowledged.

import { randomBytes, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { BucketMetadata, UploadedPart } from "../../../src/service/ports/bucket.ts";
import { ignoreNotFound, syncFolder } from "./durable.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import { type ByteExtent, writeAll } from "./object-file.ts";

const JOURNAL = ".parts";
const UPLOAD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The first line of a journal. */
interface Beginning {
  readonly key: string;
  readonly options: BucketMetadata;
}

/** A further line of a journal. */
interface PartLine extends UploadedPart, ByteExtent {}

/** An upload and the extents of all its parts. */
export interface WholeUpload {
  readonly path: string;
  /** Remains open until the upload is complete. */
  readonly file: FileHandle;
  readonly pieces: readonly ByteExtent[];
  readonly options: BucketMetadata;
}

export class UnfinishedUploads {
  readonly #folder: string;
  /** Serializes the writes to an upload, because concurrent requests append parts to the same file. */
  readonly #queue = new KeyedMutex();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Opens a folder. Creates it if necessary. Deletes files without a journal and journals without a file, which a crash
   * has left.
   */
  static async open(folder: string): Promise<UnfinishedUploads> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = new Set(await readdir(folder));
    for (const name of names) {
      const other = name.endsWith(JOURNAL) ? name.slice(0, -JOURNAL.length) : name + JOURNAL;
      if (!names.has(other)) await unlink(join(folder, name));
    }
    return new UnfinishedUploads(folder);
  }

  /**
   * Deletes all uploads except those with the given IDs.
   * @returns their number
   */
  async removeExcept(ids: ReadonlySet<string>): Promise<number> {
    const others = (await readdir(this.#folder)).filter((name) => !name.endsWith(JOURNAL) && !ids.has(name));
    for (const id of others) await this.remove(id);
    return others.length;
  }

  /**
   * Creates an upload.
   * @returns its ID
   */
  async create(key: string, options: BucketMetadata): Promise<string> {
    const id = randomUUID();
    try {
      await using _bytes = await open(this.#pathOf(id), "wx", 0o600);
      await using journal = await open(this.#pathOf(id) + JOURNAL, "wx", 0o600);
      await addLine(journal, { key, options } satisfies Beginning);
      await syncFolder(this.#folder);
    } catch (error) {
      await this.remove(id);
      throw error;
    }
    return id;
  }

  /** Stores a part durably. @throws Error if there is no such upload */
  async add(id: string, partNumber: number, bytes: Uint8Array): Promise<UploadedPart> {
    return this.#queue.run(id, async () => {
      await using file = await this.#open(id);
      await using journal = await open(this.#pathOf(id) + JOURNAL, "a");
      const { size: offset } = await file.stat();
      try {
        await writeAll(file, bytes, offset);
        await file.datasync();
      } catch (error) {
        // Removes the bytes of the failed part, which frees space if the disk is full.
        await file.truncate(offset).catch(() => {});
        throw error;
      }
      const part = { partNumber, etag: randomBytes(16).toString("hex") };
      await addLine(journal, { ...part, offset, length: bytes.length } satisfies PartLine);
      return part;
    });
  }

  /**
   * Completes an upload.
   * @param commit moves the file to its final path
   * @throws Error if the upload does not exist for the key, or a part is missing or was replaced
   */
  async complete<T>(
    id: string,
    key: string,
    parts: readonly UploadedPart[],
    commit: (upload: WholeUpload) => Promise<T>,
  ): Promise<T> {
    return this.#queue.run(id, async () => {
      await using file = await this.#open(id);
      const [beginning, ...lines] = await readLines(this.#pathOf(id) + JOURNAL);
      const { key: itsKey, options } = beginning as Beginning;
      if (itsKey !== key) throw noSuchUpload(id);
      const pieces = piecesOf(lines as PartLine[], parts);
      const done = await commit({ path: this.#pathOf(id), file, pieces, options });
      await unlink(this.#pathOf(id) + JOURNAL);
      return done;
    });
  }

  /** Deletes an upload, if it exists. */
  async remove(id: string): Promise<void> {
    if (!UPLOAD_ID.test(id)) return;
    await this.#queue.run(id, async () => {
      await unlink(this.#pathOf(id)).catch(ignoreNotFound);
      await unlink(this.#pathOf(id) + JOURNAL).catch(ignoreNotFound);
    });
  }

  async #open(id: string): Promise<FileHandle> {
    const file = UPLOAD_ID.test(id) ? await open(this.#pathOf(id), "r+").catch(ignoreNotFound) : undefined;
    if (!file) throw noSuchUpload(id);
    return file;
  }

  #pathOf(id: string): string {
    return join(this.#folder, id);
  }
}

const noSuchUpload = (id: string) => new Error(`there is no upload ${JSON.stringify(id)} for that key`);

/** Appends a line durably. Starts with a line break, because a crash might have truncated the previous line. */
async function addLine(journal: FileHandle, value: object): Promise<void> {
  await journal.appendFile(`\n${JSON.stringify(value)}\n`);
  await journal.datasync();
}

async function readLines(path: string): Promise<unknown[]> {
  return (await readFile(path, "utf8")).split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

/** Returns the extents of the object that consists of the given parts. */
function piecesOf(lines: readonly PartLine[], parts: readonly UploadedPart[]): ByteExtent[] {
  if (parts.length === 0) throw new Error("an upload has at least one part");
  const known = new Map(lines.map((line) => [line.partNumber, line]));
  const pieces: ByteExtent[] = [];
  for (const { partNumber, etag } of parts.toSorted((a, b) => a.partNumber - b.partNumber)) {
    const line = known.get(partNumber);
    if (line?.etag !== etag) throw new Error(`part ${partNumber} does not exist`);
    const last = pieces.at(-1);
    if (last && last.offset + last.length === line.offset) {
      pieces.splice(-1, 1, { offset: last.offset, length: last.length + line.length });
    } else pieces.push({ offset: line.offset, length: line.length });
  }
  return pieces;
}
