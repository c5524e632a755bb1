// Stores the files of one request. Combines small files into packs, and limits the number of concurrent writes.

import type { Bucket } from "../ports/bucket.ts";
import type { FileKind, IdGenerator, NewFile, ReceivedFile, StoredFile } from "./file.ts";
import type { FilePolicy } from "./file-policy.ts";
import type { Reservation } from "./memory-quota.ts";
import { MAX_FILE_BYTES, PackBuilder } from "./packs.ts";
import { type BatchProperties, type BufferedFile, PART_BYTES, putFile, readFile } from "./standalone-files.ts";
import { StoredTally, type Storing } from "./stored-bytes.ts";
import { PartBuffer } from "./uploads/part-buffer.ts";

/** Maximum number of concurrent writes: a Worker can have six connections. */
const MAX_UNCONFIRMED = 6;
const MAX_UNCONFIRMED_BYTES = PART_BYTES;

interface PendingWrite extends PromiseWithResolvers<StoredFile> {
  readonly file: BufferedFile;
}

export interface BatchOptions {
  readonly bucket: Bucket;
  readonly kind: FileKind;
  readonly ids: IdGenerator;
  /** Returns the policy of a file stored now. */
  marks(): FilePolicy;
  /** Memory in which small files wait for others. If it is exhausted, a file is stored immediately. */
  readonly reservation: Reservation;
  remove(ids: readonly string[]): Promise<void>;
  /** Counts the bytes of a received file. @default not counted */
  received?(bytes: number): void;
  /** Counts stored bytes. @default not counted */
  readonly storing?: Storing | undefined;
}

export class Batch {
  readonly #bucket: Bucket;
  readonly #about: BatchProperties;
  readonly #reservation: Reservation;
  readonly #remove: BatchOptions["remove"];
  readonly #received: BatchOptions["received"];
  readonly #tally: StoredTally | undefined;
  readonly #parts = new PartBuffer();
  /** All received files. Some might not be stored yet. */
  readonly #arrived: Promise<StoredFile>[] = [];
  /** Files with `deferStore`, which are stored at the next flush. The caller has reserved their memory. */
  #held: PendingWrite[] = [];
  /** Small files of the current pack, whose write has not started. */
  #waiting: PendingWrite[] = [];
  #pack: PackBuilder;
  /** Writes that have started. */
  readonly #sent: { readonly done: Promise<unknown>; readonly bytes: number }[] = [];

  constructor({ bucket, kind, ids, marks, reservation, remove, received, storing }: BatchOptions) {
    this.#bucket = bucket;
    this.#about = { kind, ids, marks };
    this.#reservation = reservation;
    this.#remove = remove;
    this.#received = received;
    this.#tally = storing && new StoredTally(storing);
    this.#pack = new PackBuilder(this.#about);
  }

  /** Number of received files. */
  get count(): number {
    return this.#arrived.length;
  }

  /**
   * Receives a file; call it for one file at a time. Settles when the file has been read and another write can start.
   * If `body` throws, or any other step fails, no part of the file remains stored.
   * @throws the error of this file, or of an earlier file that could not be stored
   */
  async add(file: NewFile): Promise<ReceivedFile> {
    const body = this.#tally?.passing(file.body) ?? file.body;
    const read = await readFile(this.#bucket, this.#about, { ...file, body }, this.#parts);
    this.#received?.("stored" in read ? read.size : read.bytes.length);
    if ("stored" in read) {
      // At most the last part of a large file is still being written.
      this.#track(read.stored, PART_BYTES);
      this.#arrived.push(read.stored);
      await this.#confirm();
      return read;
    }
    const { name, type, bytes, sha256 } = read;
    const waiting = { ...Promise.withResolvers<StoredFile>(), file: read };
    // A caller might await this promise later, or never. Until then, a rejection must not count as unhandled.
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

  /** Adds a file to the current pack. @returns false if the reservation or the pack has no space for the file */
  #wait(waiting: PendingWrite): boolean {
    const { length } = waiting.file.bytes;
    if (!this.#reservation.tryReserve(length)) return false;
    if (!this.#pack.add(waiting.file)) {
      this.#reservation.release(length);
      return false;
    }
    this.#waiting.push(waiting);
    return true;
  }

  /** Starts writing all buffered files. More files can be added afterward. */
  flush(): void {
    for (const held of this.#held.splice(0)) this.#take(held);
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    const [waiting, pack] = [this.#waiting, this.#pack];
    this.#waiting = [];
    this.#pack = new PackBuilder(this.#about);
    this.#reservation.release(pack.bytes);
    if (waiting.length === 1) this.#sendAlone(waiting[0]!);
    if (waiting.length < 2) return;
    const put = pack.put(this.#bucket);
    for (const [index, { resolve, reject }] of waiting.entries()) put.then((files) => resolve(files[index]!), reject);
    this.#track(put, pack.bytes);
  }

  /**
   * Returns the files when all of them are stored and counted.
   * @throws the error that prevented storing a file; ServiceError if the files exceed the client's storage limit
   */
  async commit(): Promise<StoredFile[]> {
    this.flush();
    await this.#tally?.settle();
    return Promise.all(this.#arrived);
  }

  /** Deletes all files of the batch, including files that are not stored yet. The batch can be used again afterward. */
  async discard(): Promise<void> {
    for (const { reject } of [...this.#held.splice(0), ...this.#waiting]) reject(new Error("the file is discarded"));
    this.#waiting = [];
    this.#reservation.release(this.#pack.bytes);
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

  /** Settles when another write can start. */
  async #confirm(): Promise<void> {
    const bytes = () => this.#sent.reduce((sum, { bytes }) => sum + bytes, 0);
    while (this.#sent.length > MAX_UNCONFIRMED || (this.#sent.length > 1 && bytes() > MAX_UNCONFIRMED_BYTES)) {
      await this.#sent.shift()!.done;
    }
  }
}
