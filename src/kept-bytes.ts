// What requests keep of their files in the isolate's memory until they have ended, so that it need not be fetched from storage again:
// bounded for each of them, and for all. What has no room is fetched.

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
        [Symbol.dispose]() {
          total -= own;
          own = 0;
        },
      };
    },
  };
}
