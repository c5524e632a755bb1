// Stores upload URLs. An upload URL accepts a single file, once. Layout:
//   once/<token>   the state as JSON, so that each change is one conditional write

import { LIMITS } from "../../../document/contract/limits.ts";
import { delay } from "../../../runtime/delay.ts";
import type { Bucket, BucketObject } from "../../ports/bucket.ts";
import type { Limits } from "../../ports/limiter.ts";
import { withTag } from "../../regions/id-tag.ts";
import type { FilePolicy } from "../file-policy.ts";

/** The limits that include the uploaded file, and the client to which they belong. */
export interface Quota extends Pick<Limits, "megabytesPerDay" | "storedMegabytes"> {
  readonly client: string;
}

const PREFIX = "once/";
const TOKEN = /^[\da-f]{64}$/;

/** `open`: the URL is unused. `taken`: a request is uploading the file. `done`: the file is stored under the ID. */
export type OneTimeState = OneTimeUrl &
  (
    | { readonly state: "open" }
    | { readonly state: "taken"; readonly since: number }
    | { readonly state: "done"; readonly id: string }
  );

interface OneTimeUrl {
  readonly name: string;
  readonly expires: number;
  /** Policy of the file. */
  readonly marks: FilePolicy;
  /** @default unlimited */
  readonly quota?: Quota;
}

export class OneTimeUploads {
  readonly #bucket: Bucket;
  readonly #now: () => number;
  readonly #tag: string | undefined;

  /** @param tag tag of the region in new tokens. @default none */
  constructor(bucket: Bucket, now: () => number = Date.now, tag?: string) {
    this.#tag = tag;
    this.#bucket = bucket;
    this.#now = now;
  }

  /** Returns the token of a new upload URL: 256 random bits in hexadecimal digits. */
  async create(
    name: string,
    marks: FilePolicy,
    quota?: Quota,
  ): Promise<{ readonly token: string; readonly expires: Date }> {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const token = withTag([...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(""), this.#tag);
    const expires = this.#now() + LIMITS.oneTimeUploadMs;
    await this.#bucket.put(
      PREFIX + token,
      encode({ state: "open", name, expires, marks, ...(quota ? { quota } : {}) }),
    );
    return { token, expires: new Date(expires) };
  }

  /** @returns undefined if there is no such upload URL */
  async find(token: string): Promise<OneTimeState | "expired" | undefined> {
    return (await this.#read(token))?.state;
  }

  /**
   * Reserves the upload URL for one request. A reservation expires, so that a lost request does not block the URL.
   * @returns `settle`, which records the outcome: the ID of the file, or undefined to make the URL usable again.
   *   `settle` returns false if the reservation has expired and another request has reserved the URL
   */
  async reserve(
    token: string,
  ): Promise<
    (Pick<OneTimeUrl, "name" | "marks" | "quota"> & { settle(id: string | undefined): Promise<boolean> }) | Refusal
  > {
    const found = await this.#read(token);
    if (!found) return "unknown";
    const { state, etag } = found;
    if (state === "expired") return "expired";
    if (state.state === "done") return "used";
    if (state.state === "taken" && state.since + LIMITS.oneTimeHoldMs > this.#now()) return "taken";
    const { name, expires, marks, quota } = state;
    const address = { name, expires, marks, ...(quota ? { quota } : {}) };
    const taken = await this.#replace(token, { state: "taken", ...address, since: this.#now() }, etag);
    if (!taken) return "taken";
    return {
      ...address,
      settle: async (id) => {
        const next: OneTimeState = id === undefined ? { state: "open", ...address } : { state: "done", ...address, id };
        return (await this.#replace(token, next, taken.etag)) !== null;
      },
    };
  }

  /**
   * Deletes expired upload URLs.
   * @returns their number
   */
  async sweep(): Promise<number> {
    let removed = 0;
    for (let cursor: string | undefined; ; ) {
      const page = await this.#bucket.list({ prefix: PREFIX, ...(cursor === undefined ? {} : { cursor }) });
      // The age of an object starts at its last change, which is at the latest shortly after the URL's expiry. After
      // twice the lifetime, the URL has certainly expired.
      const isExpired = ({ uploaded }: BucketObject) => uploaded.getTime() + 2 * LIMITS.oneTimeUploadMs <= this.#now();
      const keys = page.objects.filter(isExpired).map(({ key }) => key);
      if (keys.length > 0) await this.#bucket.delete(keys);
      removed += keys.length;
      if (!page.truncated) return removed;
      cursor = page.cursor;
    }
  }

  async #read(token: string): Promise<{ readonly state: OneTimeState | "expired"; readonly etag: string } | undefined> {
    const object = TOKEN.test(token) ? await this.#bucket.get(PREFIX + token) : null;
    if (!object) return undefined;
    const state = JSON.parse(new TextDecoder().decode(await object.bytes())) as OneTimeState;
    return { state: state.expires <= this.#now() ? "expired" : state, etag: object.etag };
  }

  async #replace(token: string, state: OneTimeState, etag: string): Promise<BucketObject | null> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#bucket.put(PREFIX + token, encode(state), { onlyIf: { etagMatches: etag } });
      } catch (error) {
        // R2 accepts one write per second to the same object.
        if (attempt === WRITE_ATTEMPTS) throw error;
        await delay(attempt * WRITE_PAUSE_MS);
      }
    }
  }
}

const WRITE_ATTEMPTS = 4;
const WRITE_PAUSE_MS = 700;

type Refusal = "unknown" | "expired" | "used" | "taken";

const encode = (state: OneTimeState) => new TextEncoder().encode(JSON.stringify(state));
