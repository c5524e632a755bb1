// Reads a request body as it arrives, and aborts if the body stalls (docs/api.md#limits). All code that reads bodies
// uses this class.

import { EngineFailure } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import type { Reservation } from "../../storage/memory-quota.ts";
import { bodyTooSlow, malformedBody } from "../contract/errors.ts";
import { ChunkReader } from "./chunk-reader.ts";

/** Size of a read. The runtime's own chunks are smaller, and every consumer spends an event-loop turn on each chunk. */
const READ_BYTES = 2 ** 16;

export class ArrivingBody {
  readonly #pieces: ChunkReader;
  /** Time spent waiting, and bytes received, since the client last sent the required minimum of bytes. */
  #waitedMs = 0;
  #bytes = 0;
  #isStalled = false;
  /** The error of the connection. It is thrown after the bytes that arrived before it have been returned. */
  #failure: unknown;

  /**
   * @param leastBytes minimum size of a chunk. If the connection breaks, up to this number of received bytes are lost
   */
  constructor(body: ReadableStream<Uint8Array>, leastBytes: number = LIMITS.bodyStallBytes) {
    this.#pieces = new ChunkReader(body, READ_BYTES, leastBytes);
  }

  /**
   * @param leastBytes minimum size of a chunk, except the last
   * @returns the next chunk; undefined at the end
   * @throws ServiceError 408 if the body stalls, 400 if the connection breaks
   */
  async read(leastBytes: number = LIMITS.bodyStallBytes): Promise<Uint8Array | undefined> {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    try {
      for (let piece = await this.#next(); piece; piece = await this.#next()) {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes >= leastBytes) break;
      }
    } catch (error) {
      if (bytes === 0) throw error;
      this.#failure = error;
    }
    return bytes === 0 ? undefined : joined(pieces);
  }

  /**
   * Returns the chunks.
   * @param first a chunk that was already read
   */
  async *pieces(first?: Uint8Array): AsyncGenerator<Uint8Array> {
    try {
      for (let piece = first ?? (await this.read()); piece; piece = await this.read()) yield piece;
    } finally {
      this.cancel();
    }
  }

  /**
   * Cancels the body, unless it has stalled: cancellation would close the connection, which must first transmit the
   * error response.
   */
  cancel(): void {
    if (!this.#isStalled) void this.#pieces.cancel().catch(() => {});
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    const { promise: stalled, reject } = Promise.withResolvers<never>();
    const began = performance.now();
    const timer = setTimeout(() => {
      this.#isStalled = true;
      reject(bodyTooSlow());
    }, LIMITS.bodyStallMs - this.#waitedMs);
    try {
      const arriving = this.#pieces.read().catch(() => Promise.reject(malformedBody()));
      const piece = await Promise.race([arriving, stalled]);
      this.#waitedMs += performance.now() - began;
      this.#bytes += piece?.length ?? 0;
      if (this.#bytes >= LIMITS.bodyStallBytes) this.#waitedMs = this.#bytes = 0;
      return piece;
    } finally {
      clearTimeout(timer);
    }
  }
}

export interface ReadingWhole {
  /** Content-Length. @default unknown */
  readonly size?: number | undefined;
  readonly maxBytes: number;
  /** Memory for the body. It remains reserved until the request ends. */
  readonly reservation: Reservation;
}

/**
 * Reads a whole body into memory, which is reserved before the bytes arrive. If the body is too large or the memory
 * insufficient, reads and discards the remaining body, up to a limit, because many clients read the response only after
 * they have sent the whole body.
 * @returns undefined if the body is too large
 * @throws ServiceError 400, 408
 * @throws EngineFailure `busy` if the memory is insufficient
 */
export async function readWhole(
  body: ReadableStream<Uint8Array>,
  { size = READ_BYTES, maxBytes, reservation }: ReadingWhole,
): Promise<Uint8Array | undefined> {
  const arriving = new ArrivingBody(body);
  const chunks: Uint8Array[] = [];
  let reservedBytes = 0;
  let bytes = 0;
  let isHeld = true;
  const makeRoom = (needed: number) => {
    isHeld &&= needed <= reservedBytes || reservation.tryReserve(needed - reservedBytes);
    reservedBytes = Math.max(reservedBytes, needed);
  };
  makeRoom(Math.min(size, maxBytes));
  for await (const piece of arriving.pieces()) {
    bytes += piece.length;
    if (bytes > LIMITS.drainedBytes) break;
    if (bytes <= maxBytes) makeRoom(bytes);
    if (isHeld && bytes <= maxBytes) chunks.push(piece);
    else chunks.length = 0;
  }
  if (bytes > maxBytes) return undefined;
  if (!isHeld) throw noRoom(size);
  return joined(chunks);
}

const noRoom = (bytes: number) => new EngineFailure("busy", `no memory for ${bytes} bytes of a body`);

/** Reserves further bytes. @throws EngineFailure `busy` if the reservation has no space for them */
export function hold(reservation: Reservation, bytes: number): void {
  if (!reservation.tryReserve(bytes)) throw noRoom(bytes);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
