// Files of one request on their way into storage: small ones wait for others to be stored with them, and work goes on before all is
// confirmed, but only so far ahead.
import type { Keeping } from "../kept-bytes.ts";
import type { Arrival, Kind, NewFile, StoredFile } from "./file.ts";
import { PART_BYTES, putFile, readFile, type WholeFile } from "./lone-files.ts";
import { LARGEST_FILE_BYTES, PackBuilder } from "./packs.ts";
import { PartBuffer } from "./part-buffer.ts";

/** A Worker has six connections. */
const MAX_UNCONFIRMED = 6;
const MAX_UNCONFIRMED_BYTES = PART_BYTES;

interface Waiting extends PromiseWithResolvers<StoredFile> {
  readonly file: WholeFile;
}

export interface BatchOptions {
  readonly bucket: R2Bucket;
  readonly kind: Kind;
  /** For small files that wait: without it they wait for nothing. */
  readonly room: Keeping;
  remove(ids: readonly string[]): Promise<void>;
}

export class Batch {
  readonly #bucket: R2Bucket;
  readonly #kind: Kind;
  readonly #room: Keeping;
  readonly #remove: BatchOptions["remove"];
  readonly #parts = new PartBuffer();
  /** What came, stored or not. */
  readonly #arrived: Promise<StoredFile>[] = [];
  /** Small files that are not on their way yet. */
  #waiting: Waiting[] = [];
  #pack: PackBuilder;
  /** What is on its way. */
  readonly #sent: { readonly done: Promise<unknown>; readonly bytes: number }[] = [];

  constructor({ bucket, kind, room, remove }: BatchOptions) {
    this.#bucket = bucket;
    this.#kind = kind;
    this.#room = room;
    this.#remove = remove;
    this.#pack = new PackBuilder(kind);
  }

  /** How many files came. */
  get count(): number {
    return this.#arrived.length;
  }

  /**
   * Takes a file in, one at a time; settles once it has been read and there is room for another. When `body` throws, or anything
   * else fails, nothing of it is left.
   * @throws what kept this or an earlier file from being stored
   */
  async receive(file: NewFile): Promise<Arrival> {
    const read = await readFile(this.#bucket, this.#kind, file, this.#parts);
    if ("stored" in read) {
      // Of a large file only the last part is on its way.
      this.#track(read.stored, PART_BYTES);
      this.#arrived.push(read.stored);
      await this.#confirm();
      return read;
    }
    const { name, type, bytes } = read;
    const waiting = { ...Promise.withResolvers<StoredFile>(), file: read };
    // Whoever needs the file awaits it; until then a failure is not one that nobody looks at.
    waiting.promise.catch(() => {});
    this.#arrived.push(waiting.promise);
    if (bytes.length > LARGEST_FILE_BYTES) this.#sendAlone(waiting);
    else if (!this.#wait(waiting)) {
      this.send();
      if (!this.#wait(waiting)) this.#sendAlone(waiting);
    }
    await this.#confirm();
    return { name, type, size: bytes.length, bytes, stored: waiting.promise };
  }

  /** @returns whether there was room for it */
  #wait(waiting: Waiting): boolean {
    const { length } = waiting.file.bytes;
    if (!this.#room.take(length)) return false;
    if (!this.#pack.add(waiting.file)) {
      this.#room.give(length);
      return false;
    }
    this.#waiting.push(waiting);
    return true;
  }

  /** Sends what waits. More may come. */
  send(): void {
    const [waiting, pack] = [this.#waiting, this.#pack];
    this.#waiting = [];
    this.#pack = new PackBuilder(this.#kind);
    this.#room.give(pack.bytes);
    if (waiting.length === 1) this.#sendAlone(waiting[0]!);
    if (waiting.length < 2) return;
    const put = pack.put(this.#bucket);
    for (const [index, { resolve, reject }] of waiting.entries()) put.then((files) => resolve(files[index]!), reject);
    this.#track(put, pack.bytes);
  }

  /**
   * The files, once all are stored.
   * @throws what kept one from being stored
   */
  async settle(): Promise<StoredFile[]> {
    this.send();
    return Promise.all(this.#arrived);
  }

  /** Removes the files, wherever they are on their way. Others may come afterwards. */
  async discard(): Promise<void> {
    for (const { reject } of this.#waiting) reject(new Error("the file is discarded"));
    this.#waiting = [];
    this.#room.give(this.#pack.bytes);
    this.#pack = new PackBuilder(this.#kind);
    this.#sent.length = 0;
    const arrived = await Promise.allSettled(this.#arrived.splice(0));
    await this.#remove(arrived.flatMap((file) => (file.status === "fulfilled" ? [file.value.id] : [])));
  }

  #sendAlone({ file, resolve, reject }: Waiting): void {
    const put = putFile(this.#bucket, this.#kind, file);
    put.then(resolve, reject);
    this.#track(put, file.bytes.length);
  }

  #track(done: Promise<unknown>, bytes: number): void {
    done.catch(() => {});
    this.#sent.push({ done, bytes });
  }

  /** Settles once there is room for more on its way. */
  async #confirm(): Promise<void> {
    const bytes = () => this.#sent.reduce((sum, { bytes }) => sum + bytes, 0);
    while (this.#sent.length > MAX_UNCONFIRMED || (this.#sent.length > 1 && bytes() > MAX_UNCONFIRMED_BYTES)) {
      await this.#sent.shift()!.done;
    }
  }
}
