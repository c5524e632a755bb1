// What requests keep of their files in the isolate's memory, bounded for each of them and for all: until they have ended, so that it need
// not be fetched from storage again, or until others have come with which it is stored.

export interface KeptLimits {
  /** Bytes, of one request. */
  readonly each: number;
  /** Bytes, of all requests together. */
  readonly all: number;
}

/** Of one request; `using` gives back all that it took. */
export interface Keeping extends Disposable {
  /** @returns whether there was room for so many more bytes */
  take(bytes: number): boolean;
  /** Gives back a part of what was taken. */
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
