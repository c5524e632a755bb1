// Collects the outputs of a job in the negotiated format, as stored files or as the response body.

import { EngineFailure } from "../../../document/contract/failure.ts";
import { withExtension, withoutExtension } from "../../../document/contract/file-name.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import type { Notice } from "../../../document/contract/notice.ts";
import type { Output } from "../../../document/contract/operation.ts";
import { writeArchive } from "../../../document/formats/zip/archive.ts";
import {
  BUFFER_BYTES,
  type EntryWriter,
  writeEntry,
  writeSmall,
  writeStream,
} from "../../../document/formats/zip/entries.ts";
import { EntryNames } from "../../../document/formats/zip/names.ts";
import { yieldToEventLoop } from "../../../runtime/delay.ts";
import type { Progress } from "../../ports/jobs.ts";
import type { Batch } from "../../storage/batch.ts";
import type { ReceivedFile } from "../../storage/file.ts";
import type { Reservation } from "../../storage/memory-quota.ts";
import type { Store } from "../../storage/store.ts";
import type { ClientHooks } from "../contract/endpoint.ts";
import { busy, outputTooLarge } from "../contract/errors.ts";
import type { Timing } from "../contract/timing.ts";
import { toInput } from "../requests/inputs.ts";
import type { Negotiation, ResponseFormat } from "./negotiation.ts";

export interface OutputOptions {
  readonly wishes: Negotiation;
  /** Name of the output, or of the archive, without extension. */
  readonly name: string;
  /** True if a number is appended to the output names: `page1`, `page2`. */
  readonly isNumbered: boolean;
  /** True if a number is appended only if there are several outputs. @default false */
  readonly isPlainIfOne?: boolean;
  /** True if outputs keep the names that the operation chose. @default false */
  readonly keepsNames?: boolean;
  /** Returns the name of one of several outputs. @param index from 0 @default the name and a number */
  nameOf?(index: number): string | undefined;
  /** True if the only output is data, which is buffered in memory. @default false */
  readonly isData?: boolean;
  readonly store: Store;
  readonly outputs: Batch;
  /** Memory for a response body that is buffered completely. */
  readonly responseReservation: Reservation;
  readonly timing: Timing;
  readonly signal: AbortSignal;
  /** Called after each output, if the job has several outputs. */
  progress?(progress: Progress): void;
  readonly caller: Pick<ClientHooks, "countProduced"> | undefined;
  /** Maximum total size of the outputs, in bytes. */
  readonly maxBytes: number;
}

/** Name and type of a file that is the response body. */
interface NamedType {
  readonly name: string;
  /** Media type. */
  readonly type: string;
}

/** An output that is data for the response, not a file. */
export interface DataResult {
  readonly kind: "data";
  /** Media type. */
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly lost: readonly Notice[];
}

export type OutputResult =
  | DataResult
  /** The outputs are stored or being stored. */
  | { readonly kind: "stored"; readonly lost: readonly Notice[] }
  /** The output is a complete file in memory. */
  | (NamedType & { readonly kind: "whole"; readonly bytes: Uint8Array; readonly lost: readonly Notice[] })
  /** The job is still producing the output. The job ends when the body ends. */
  | (NamedType & { readonly kind: "stream"; readonly body: AsyncGenerator<Uint8Array> })
  /** The output is complete, and stored. */
  | (NamedType & { readonly kind: "arrival"; readonly file: ReceivedFile; readonly lost: readonly Notice[] });

/**
 * Collects a job's outputs, or starts streaming them.
 * @throws ServiceError 406 if the client accepts no format for this number of outputs; 413, 503 if the data exceed the
 *   memory
 */
export async function collectOutputs(made: AsyncIterable<Output>, to: OutputOptions): Promise<OutputResult> {
  const outputs = new Outputs(made, to);
  try {
    const first = await outputs.next();
    if (to.isData) return await outputs.asData(first);
    const isOne = (first?.total ?? 1) === 1;
    const shape: ResponseFormat = isOne ? to.wishes.formatForOne(first?.type) : to.wishes.formatForMany();
    if (!first || shape === "json") return await outputs.store(first);
    return await (shape === "file" ? outputs.asFile(first) : outputs.asArchive(first));
  } catch (error) {
    await outputs.close();
    throw error;
  }
}

class Outputs {
  readonly #made: AsyncIterator<Output>;
  readonly #to: OutputOptions;
  readonly #lost: Notice[] = [];
  /** Names that operations chose. Several runs can choose the same. */
  readonly #names = new EntryNames();
  #count = 0;
  #bytes = 0;

  constructor(made: AsyncIterable<Output>, to: OutputOptions) {
    this.#made = made[Symbol.asyncIterator]();
    this.#to = to;
  }

  async next(): Promise<Output | undefined> {
    this.#to.signal.throwIfAborted();
    const { done, value } = await this.#to.timing.measure("engine", () => this.#made.next());
    return done ? undefined : value;
  }

  async close(): Promise<void> {
    await this.#made.return?.();
  }

  async store(first: Output | undefined): Promise<OutputResult> {
    for (let output = first; output; output = await this.next()) {
      const { type, headerPatch } = output;
      const name = this.#nameOf(output);
      // Does not await the last write to R2, so that the next output is produced at the same time.
      await this.#to.outputs.add({
        name,
        type,
        body: this.#bodyOf(output),
        ...(headerPatch ? { head: headerPatch } : {}),
      });
      this.#lost.push(...(output.notices?.() ?? []));
      const pagesTotal = output.total ?? 1;
      if (pagesTotal > 1) this.#to.progress?.({ pagesDone: this.#count, pagesTotal });
    }
    return { kind: "stored", lost: this.#lost };
  }

  async asData(output: Output | undefined): Promise<DataResult> {
    if (!output) throw new EngineFailure("crashed", "no data");
    let size = 0;
    const started = await startBody(this.#wholeJob(output), (bytes) => {
      size += bytes;
      return size <= LIMITS.dataBytes && this.#to.responseReservation.tryReserve(bytes);
    });
    if (started.isWhole) {
      return { kind: "data", type: output.type, bytes: withHead(started.chunks), lost: this.#lost };
    }
    await started.rest.return(undefined);
    throw size > LIMITS.dataBytes ? outputTooLarge(LIMITS.dataBytes) : busy();
  }

  asFile(output: Output): Promise<OutputResult> {
    const given = { name: this.#nameOf(output), type: output.type };
    return this.#give(given, this.#wholeJob(output), output.headerPatch);
  }

  asArchive(first: Output): Promise<OutputResult> {
    const given = { name: withExtension(this.#to.name, "zip"), type: "application/zip" };
    return this.#give(given, this.#archive(first));
  }

  async #give(given: NamedType, body: AsyncGenerator<Uint8Array>, head?: () => Uint8Array): Promise<OutputResult> {
    const { wishes, outputs, responseReservation } = this.#to;
    const arrived = async (body: AsyncIterable<Uint8Array>): Promise<OutputResult> => {
      const file = await outputs.add({ ...given, body, ...(head ? { head } : {}) });
      outputs.flush();
      await file.stored;
      return { kind: "arrival", ...given, file, lost: this.#lost };
    };
    if (wishes.storesFile) return arrived(body);
    const started = await startBody(body, (bytes) => responseReservation.tryReserve(bytes));
    if (started.isWhole) {
      return { kind: "whole", ...given, bytes: withHead(started.chunks, head?.()), lost: this.#lost };
    }
    // If the end of an output overwrites its first bytes, the output must be stored before it is sent.
    return head ? arrived(started.all()) : { kind: "stream", ...given, body: started.all() };
  }

  /** Yields the bytes of the only output, and then waits for the end of the job. */
  async *#wholeJob(output: Output): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#bodyOf(output);
      this.#lost.push(...(output.notices?.() ?? []));
      if (await this.next()) throw new EngineFailure("crashed", "more outputs than announced");
    } finally {
      await this.close();
    }
  }

  async *#archive(first: Output): AsyncGenerator<Uint8Array> {
    try {
      yield* writeArchive(this.#entries(first));
    } finally {
      await this.close();
    }
  }

  async *#entries(first: Output): AsyncGenerator<EntryWriter> {
    const names = new EntryNames();
    const modified = new Date();
    for (let output: Output | undefined = first; output; output = await this.next()) {
      yield this.#entry(output, { name: names.add(this.#nameOf(output)), modified });
      this.#lost.push(...(output.notices?.() ?? []));
    }
  }

  async *#entry(output: Output, about: { readonly name: string; readonly modified: Date }): EntryWriter {
    const { headerPatch } = output;
    let remainingBytes = BUFFER_BYTES;
    const started = await startBody(this.#bodyOf(output), (bytes) => {
      remainingBytes -= bytes;
      return remainingBytes >= 0;
    });
    if (started.isWhole) return yield* writeSmall(withHead(started.chunks, headerPatch?.()), about);
    if (!headerPatch) return yield* writeStream(withHead(started.chunks), started.rest, about);
    const { store, outputs } = this.#to;
    const { bytes: _, ...file } = await outputs.add({
      ...{ name: about.name, type: output.type },
      ...{ body: started.all(), head: headerPatch },
    });
    outputs.flush();
    return yield* writeEntry(toInput(file, store), about);
  }

  #nameOf({ extension, name: own, suffix, total = 1 }: Output): string {
    this.#count++;
    const { isNumbered, isPlainIfOne, keepsNames } = this.#to;
    const chosen = (keepsNames ? own : undefined) ?? (total > 1 ? this.#to.nameOf?.(this.#count - 1) : undefined);
    if (chosen !== undefined) return this.#names.add(chosen);
    const name = withoutExtension(this.#to.name, extension);
    const number = isNumbered && !(isPlainIfOne && total === 1) ? `_${this.#count}` : "";
    return `${name}${suffix ?? number}.${extension}`;
  }

  /** Number of chunks, of 64 KiB or more, after which the job yields to the event loop. */
  static readonly #CHUNKS_AT_A_STRETCH = 8;

  /**
   * Yields to the event loop before a body starts and after every few chunks. Otherwise, a CPU-bound operation would
   * block other requests, and the runtime would not detect that the client has disconnected. The runtime checks the
   * connection only when a timer fires.
   */
  async *#bodyOf({ body }: Output): AsyncGenerator<Uint8Array> {
    const { timing, signal } = this.#to;
    const pause = () => timing.measure("engine", () => yieldToEventLoop());
    await pause();
    if (body instanceof Uint8Array) {
      this.#countBytes(body.length);
      yield body;
      return;
    }
    const chunks = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
    try {
      for (let count = 1; ; count++) {
        const { done, value } = await timing.measure("engine", async () => chunks.next());
        signal.throwIfAborted();
        if (done) return;
        this.#countBytes(value.length);
        yield value;
        if (count % Outputs.#CHUNKS_AT_A_STRETCH === 0) await pause();
      }
    } finally {
      await chunks.return?.();
    }
  }

  /** @throws ServiceError 413 */
  #countBytes(bytes: number): void {
    const { caller, maxBytes } = this.#to;
    caller?.countProduced(bytes);
    this.#bytes += bytes;
    if (this.#bytes > maxBytes) throw outputTooLarge(maxBytes);
  }
}

/** A body whose first chunks are in memory. */
interface StartedBody {
  readonly chunks: readonly Uint8Array[];
  /** True if these chunks are the whole body. */
  readonly isWhole: boolean;
  readonly rest: AsyncGenerator<Uint8Array>;
  /** Yields the buffered chunks, then the remaining chunks. */
  all(): AsyncGenerator<Uint8Array>;
}

/** @param take reserves memory for further bytes; returns false if there is not enough */
async function startBody(body: AsyncGenerator<Uint8Array>, take: (bytes: number) => boolean): Promise<StartedBody> {
  const chunks: Uint8Array[] = [];
  let isWhole = true;
  for (let next = await body.next(); !next.done; next = await body.next()) {
    isWhole = take(next.value.length);
    // Copies the chunk, because the producer can reuse its buffer.
    chunks.push(next.value.slice());
    if (!isWhole) break;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks.splice(0);
      yield* body;
    } finally {
      await body.return(undefined);
    }
  }
  return { chunks, isWhole, rest: body, all };
}

/** Joins chunks into one array. If there is a head, it replaces the first bytes. */
function withHead(chunks: readonly Uint8Array[], head?: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  if (head) bytes.set(head);
  return bytes;
}
