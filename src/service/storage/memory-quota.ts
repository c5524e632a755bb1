// Limits the bytes that requests keep in the isolate's memory, per request, per client and in total: file contents, so
// that they need not be fetched from storage again or until there are other files to be stored with them, and bodies
// that are read as a whole.

import { leavesEnough } from "../../runtime/client-shares.ts";

export interface QuotaLimits {
  /** Maximum number of bytes of one request. */
  readonly perRequest: number;
  /** Maximum number of bytes of all requests together. */
  readonly total: number;
}

/** One request's share. `using` returns all of it. */
export interface Reservation extends Disposable {
  /** @returns true if there was room for that many more bytes */
  tryReserve(bytes: number): boolean;
  /** Returns a part of the bytes that were taken. */
  release(bytes: number): void;
}

export interface MemoryQuota {
  openReservation(): Reservation;
}

export interface SharedBytes extends MemoryQuota {
  /** Returns the memory for the requests of a client, which leaves some to others. */
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
