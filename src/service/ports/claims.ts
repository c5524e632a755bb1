// Declares what the service asks of the memory for repeatable requests, those with an Idempotency-Key: which request
// carries out the work of a key, and what it answered. Cloudflare's is a Durable Object for each key (src/jobs), the
// host's a database (host/storage).

/** An answer that is kept for replays. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as JSON; empty if a file is the body. */
  readonly text: string;
  /** Set if a stored file is the body. */
  readonly file?: {
    readonly id: string;
    /** True if only replays need the file: it is removed with the answer. */
    readonly isOwn: boolean;
  };
}

export type ClaimResult =
  /**
   * The request may work. It is asked to take the claim again before its lease ends, and to keep or free it. `lost` are
   * the holders with the same content that were not heard of any more: what they did may be there.
   */
  | { readonly kind: "granted"; readonly lost?: readonly string[] }
  /** Another request of the same content works. */
  | { readonly kind: "busy" }
  /** The work was done. */
  | { readonly kind: "kept"; readonly answer: StoredResponse }
  /** The key belongs to a request of other content. */
  | { readonly kind: "other" };

/** The claim on one key. Changes are durable when their promise resolves. */
export interface Claim {
  /**
   * Asks for the right to work. Whoever has it takes it again to renew its lease.
   * @param holder an identifier of the request alone
   * @param fingerprint digest of the request's content
   */
  acquire(holder: string, fingerprint: string): Promise<ClaimResult>;
  /**
   * Keeps an answer.
   * @returns the answer that counts instead, if the lease had ended and another request was faster
   */
  complete(holder: string, fingerprint: string, answer: StoredResponse): Promise<StoredResponse | undefined>;
  /** Frees the key for the next request that takes it, if the holder still has it. */
  release(holder: string): Promise<void>;
  /** Forgets an answer whose file is not there any more. */
  invalidate(fileId: string): Promise<void>;
}

export interface Claims {
  getByName(name: string): Claim;
}
