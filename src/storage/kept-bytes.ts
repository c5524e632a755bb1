// Limits the file contents that requests keep in the isolate's memory, per request and in total. Contents are kept
// until the request ends, so that they need not be fetched from storage again, or until there are other files to be
// stored with them.

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

export function createKeptBytes({ each, all }: KeptLimits): KeptBytes {
  let total = 0;
  return {
    open() {
      let own = 0;
      return {
        take(bytes) {
          if (own + bytes > each || total + bytes > all) return false;
          own += bytes;
          total += bytes;
          return true;
        },
        give(bytes) {
          own -= bytes;
          total -= bytes;
        },
        [Symbol.dispose]() {
          total -= own;
          own = 0;
        },
      };
    },
  };
}
