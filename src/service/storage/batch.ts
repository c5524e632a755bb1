// Stores the files of one request. Small files wait to be stored together, and work continues before earlier files are
// confirmed, up to a limit.

import type { Bucket } from "../ports/bucket.ts";
import type { FileKind, IdGenerator, NewFile, ReceivedFile, StoredFile } from "./file.ts";
import type { FilePolicy } from "./file-policy.ts";
import type { Reservation } from "./memory-quota.ts";
import { MAX_FILE_BYTES, PackBuilder } from "./packs.ts";
import { type BatchProperties, type BufferedFile, PART_BYTES, putFile, readFile } from "./standalone-files.ts";
import { StoredTally, type Storing } from "./stored-bytes.ts";
import { PartBuffer } from "./uploads/part-buffer.ts";

/** Limits unconfirmed writes; a Worker has six connections. */
const MAX_UNCONFIRMED = 6;
const MAX_UNCONFIRMED_BYTES = PART_BYTES;

interface PendingWrite extends PromiseWithResolvers<StoredFile> {
  readonly file: BufferedFile;
}

export interface BatchOptions {
  readonly bucket: Bucket;
  readonly kind: FileKind;
  readonly ids: IdGenerator;
  /** Returns the marks of a file that is stored now. */
  marks(): FilePolicy;
  /** Memory for small files that wait. A file that gets none is stored at once. */
  readonly reservation: Reservation;
  remove(ids: readonly string[]): Promise<void>;
  /** Counts the bytes of a file that was received. @default not counted */
  received?(bytes: number): void;
  /** Counts what is stored. @default not counted */
  readonly storing?: Storing | undefined;
}

export class Batch {
  readonly #bucket: Bucket;
  readonly #about: BatchProperties;
  readonly #room: Reservation;
  readonly #remove: BatchOptions["remove"];
  readonly #received: BatchOptions["received"];
  readonly #tally: StoredTally | undefined;
  readonly #parts = new PartBuffer();
  /** All files received, whether stored or not. */
  readonly #arrived: Promise<StoredFile>[] = [];
  /** Files that are stored only when the batch is sent. Their memory is the caller's concern. */
  #held: PendingWrite[] = [];
  /** Small files whose write has not started. */
  #waiting: PendingWrite[] = [];
  #pack: PackBuilder;
  /** Writes in progress. */
  readonly #sent: { readonly done: Promise<unknown>; readonly bytes: number }[] = [];

  constructor({ bucket, kind, ids, marks, reservation, remove, received, storing }: BatchOptions) {
    this.#bucket = bucket;
    this.#about = { kind, ids, marks };
    this.#room = reservation;
    this.#remove = remove;
    this.#received = received;
    this.#tally = storing && new StoredTally(storing);
    this.#pack = new PackBuilder(this.#about);
  }

  /** Number of files received. */
  get count(): number {
    return this.#arrived.length;
  }

  /**
   * Receives one file at a time. Settles when the file has been read and there is room for another. If `body` throws,
   * or anything else fails, no part of the file remains.
   * @throws the error that kept this or an earlier file from being stored
   */
  async add(file: NewFile): Promise<ReceivedFile> {
    const body = this.#tally?.passing(file.body) ?? file.body;
    const read = await readFile(this.#bucket, this.#about, { ...file, body }, this.#parts);
    this.#received?.("stored" in read ? read.size : read.bytes.length);
    if ("stored" in read) {
      // Only the last part of a large file is still in transit.
      this.#track(read.stored, PART_BYTES);
      this.#arrived.push(read.stored);
      await this.#confirm();
      return read;
    }
    const { name, type, bytes, sha256 } = read;
    const waiting = { ...Promise.withResolvers<StoredFile>(), file: read };
    // The promise is awaited by whoever needs the file; until then its rejection must not count as unhandled.
    waiting.promise.catch(() => {});
    this.#arrived.push(waiting.promise);
    if (file.deferStore) this.#held.push(waiting);
    else this.#take(waiting);
    await this.#confirm();
    return { name, type, size: bytes.length, bytes, sha256, stored: waiting.promise };
  }

  #take(waiting: PendingWrite): void {
    if (waiting.file.bytes.length > MAX_FILE_BYTES) this.#sendAlone(waiting);
    else if (!this.#wait(waiting)) {
      this.#sendWaiting();
      if (!this.#wait(waiting)) this.#sendAlone(waiting);
    }
  }

  /** @returns true if there was room for the file */
  #wait(waiting: PendingWrite): boolean {
    const { length } = waiting.file.bytes;
    if (!this.#room.tryReserve(length)) return false;
    if (!this.#pack.add(waiting.file)) {
      this.#room.release(length);
      return false;
    }
    this.#waiting.push(waiting);
    return true;
  }

  /** Sends the files that wait. More may follow. */
  flush(): void {
    for (const held of this.#held.splice(0)) this.#take(held);
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    const [waiting, pack] = [this.#waiting, this.#pack];
    this.#waiting = [];
    this.#pack = new PackBuilder(this.#about);
    this.#room.release(pack.bytes);
    if (waiting.length === 1) this.#sendAlone(waiting[0]!);
    if (waiting.length < 2) return;
    const put = pack.put(this.#bucket);
    for (const [index, { resolve, reject }] of waiting.entries()) put.then((files) => resolve(files[index]!), reject);
    this.#track(put, pack.bytes);
  }

  /**
   * Returns the files after all of them are stored and counted.
   * @throws the error that kept one from being stored, or that refuses them
   */
  async commit(): Promise<StoredFile[]> {
    this.flush();
    await this.#tally?.settle();
    return Promise.all(this.#arrived);
  }

  /** Removes the files, whatever state they are in. The batch can be used again afterwards. */
  async discard(): Promise<void> {
    for (const { reject } of [...this.#held.splice(0), ...this.#waiting]) reject(new Error("the file is discarded"));
    this.#waiting = [];
    this.#room.release(this.#pack.bytes);
    this.#pack = new PackBuilder(this.#about);
    this.#sent.length = 0;
    const arrived = await Promise.allSettled(this.#arrived.splice(0));
    await this.#remove(arrived.flatMap((file) => (file.status === "fulfilled" ? [file.value.id] : [])));
    this.#tally?.giveBack();
  }

  #sendAlone({ file, resolve, reject }: PendingWrite): void {
    const put = putFile(this.#bucket, this.#about, file);
    put.then(resolve, reject);
    this.#track(put, file.bytes.length);
  }

  #track(done: Promise<unknown>, bytes: number): void {
    done.catch(() => {});
    this.#sent.push({ done, bytes });
  }

  /** Settles when there is room for more writes. */
  async #confirm(): Promise<void> {
    const bytes = () => this.#sent.reduce((sum, { bytes }) => sum + bytes, 0);
    while (this.#sent.length > MAX_UNCONFIRMED || (this.#sent.length > 1 && bytes() > MAX_UNCONFIRMED_BYTES)) {
      await this.#sent.shift()!.done;
    }
  }
}
