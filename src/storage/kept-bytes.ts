// Limits the bytes that requests keep in the isolate's memory, per request, per client and in total: file contents, so
// that they need not be fetched from storage again or until there are other files to be stored with them, and bodies
// that are read as a whole.

import { leavesEnough } from "../core/client-shares.ts";

export interface KeptLimits {
  /** Maximum number of bytes of one request. */
  readonly each: number;
  /** Maximum number of bytes of all requests together. */
  readonly all: number;
}

/** One request's share. `using` returns all of it. */
export interface Keeping extends Disposable {
  /** @returns true if there was room for that many more bytes */
  take(bytes: number): boolean;
  /** Returns a part of the bytes that were taken. */
  give(bytes: number): void;
}

export interface KeptBytes {
  open(): Keeping;
}

export interface SharedBytes extends KeptBytes {
  /** Returns the memory for the requests of a client, which leaves some to others. */
  for(client: string): KeptBytes;
}

export function createKeptBytes({ each, all }: KeptLimits): SharedBytes {
  let total = 0;
  const clients = new Map<string, number>();
  const count = (client: string, bytes: number) => {
    total += bytes;
    const held = (clients.get(client) ?? 0) + bytes;
    if (held === 0) clients.delete(client);
    else clients.set(client, held);
  };
  const bytesOf = (client: string, mayTake: (bytes: number) => boolean): KeptBytes => ({
    open() {
      let own = 0;
      return {
        take(bytes) {
          if (own + bytes > each || !mayTake(bytes)) return false;
          own += bytes;
          count(client, bytes);
          return true;
        },
        give(bytes) {
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
