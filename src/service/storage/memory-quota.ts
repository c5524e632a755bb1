// Limits the bytes that requests buffer in the isolate's memory, per request, per client and in total. Requests buffer
// small bodies, files that they would otherwise read back from storage, and small files that are stored together.

import { leavesEnough } from "../../runtime/client-shares.ts";

export interface QuotaLimits {
  /** Maximum number of bytes per request. */
  readonly perRequest: number;
  /** Maximum number of bytes of all requests. */
  readonly total: number;
}

/** One request's reserved bytes. `using` releases them. */
export interface Reservation extends Disposable {
  /** Reserves further bytes. @returns false if the quota has no space for them */
  tryReserve(bytes: number): boolean;
  /** Releases a part of the reserved bytes. */
  release(bytes: number): void;
}

export interface MemoryQuota {
  openReservation(): Reservation;
}

/** The memory quotas of a process, or one client's view of them. */
export interface MemoryQuotas {
  /**
   * Memory in which uploaded files remain until the request ends. A file without a reservation is read from storage.
   */
  readonly uploadQuota: MemoryQuota;
  /** Memory for small files before they are stored, and for responses that are files. */
  readonly bufferQuota: MemoryQuota;
  /** Memory for fields, and for bodies that are buffered completely. It is reserved before they arrive. */
  readonly bodies: MemoryQuota;
}

/** The reservations of one request. */
export interface RequestMemory {
  readonly uploadReservation: Reservation;
  /** For small files that wait until others complete their pack. */
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
  /** Returns a client's view of the quota. It never uses all memory, so that some remains for other clients. */
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
