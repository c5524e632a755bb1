// Limits the bytes that requests buffer in the isolate's memory, per request, per client and in total: bodies that are
// read completely, and file contents, to avoid reading them back from storage or to store several small files together.

import { leavesEnough } from "../../runtime/client-shares.ts";

export interface QuotaLimits {
  /** Maximum number of bytes per request. */
  readonly perRequest: number;
  /** Maximum number of bytes of all requests. */
  readonly total: number;
}

/** One request's reserved bytes. `using` releases them. */
export interface Reservation extends Disposable {
  /** @returns true if the quota had space for that many more bytes */
  tryReserve(bytes: number): boolean;
  /** Releases a part of the reserved bytes. */
  release(bytes: number): void;
}

export interface MemoryQuota {
  openReservation(): Reservation;
}

/** The quotas of a process, or a client's view of them. */
export interface MemoryQuotas {
  /** Memory for uploaded files until the request ends. Files stay in memory as long as their reservation allows. */
  readonly uploadQuota: MemoryQuota;
  /** Memory for small files before they are stored, and for responses that are files. */
  readonly bufferQuota: MemoryQuota;
  /** Memory for fields, and for bodies that are buffered completely, reserved before they arrive. */
  readonly bodies: MemoryQuota;
}

/** The reservations of one request. */
export interface RequestMemory {
  readonly uploadReservation: Reservation;
  /** For files that wait to be packed with others. */
  readonly batchReservation: Reservation;
  readonly responseReservation: Reservation;
  readonly bodyReservation: Reservation;
}

/** Opens the reservations of one request. `using` releases them. */
export function reserveMemory({ uploadQuota, bufferQuota, bodies }: MemoryQuotas): RequestMemory & Disposable {
  const memory: RequestMemory = {
    uploadReservation: uploadQuota.openReservation(),
    batchReservation: bufferQuota.openReservation(),
    responseReservation: bufferQuota.openReservation(),
    bodyReservation: bodies.openReservation(),
  };
  return {
    ...memory,
    [Symbol.dispose]() {
      for (const reservation of Object.values<Reservation>({ ...memory })) reservation[Symbol.dispose]();
    },
  };
}

export interface SharedBytes extends MemoryQuota {
  /** Returns a client's view of the quota, which leaves memory to other clients. */
  for(client: string): MemoryQuota;
}

export function createMemoryQuota({ perRequest, total: all }: QuotaLimits): SharedBytes {
  let total = 0;
  const clients = new Map<string, number>();
  const count = (client: string, bytes: number) => {
    total += bytes;
    const held = (clients.get(client) ?? 0) + bytes;
    if (held === 0) clients.delete(client);
    else clients.set(client, held);
  };
  const bytesOf = (client: string, mayTake: (bytes: number) => boolean): MemoryQuota => ({
    openReservation() {
      let own = 0;
      return {
        tryReserve(bytes) {
          if (own + bytes > perRequest || !mayTake(bytes)) return false;
          own += bytes;
          count(client, bytes);
          return true;
        },
        release(bytes) {
          own -= bytes;
          count(client, -bytes);
        },
        [Symbol.dispose]() {
          count(client, -own);
          own = 0;
        },
      };
    },
  });
  return {
    ...bytesOf("", (bytes) => total + bytes <= all),
    for: (client) => bytesOf(client, (bytes) => leavesEnough(bytes, clients.get(client) ?? 0, all - total)),
  };
}
