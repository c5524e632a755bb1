// Storage contract of idempotency keys: which request runs for a key, and the stored response. Each call is atomic.
// Callers repeat a call if its result was lost. All implementations pass test/support/claim-conformance.ts.

/** A response that is stored for replays. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as JSON; empty if a file is the body. */
  readonly text: string;
  /** Set if a stored file is the body. */
  readonly file?: {
    readonly id: string;
    /** True if the file exists only for replays: it is deleted together with the stored response. */
    readonly isOwn: boolean;
  };
}

export type ClaimResult =
  /**
   * The caller owns the key. It must renew the claim before the lease expires, and finally complete or release the
   * claim. `lost`: earlier holders with the same content whose leases expired. They might have stored results.
   */
  | { readonly kind: "granted"; readonly lost?: readonly string[] }
  /** Another request with the same content is running. */
  | { readonly kind: "busy" }
  /** A request with the same content has completed; `answer` is its response. */
  | { readonly kind: "kept"; readonly answer: StoredResponse }
  /** The key belongs to a request with different content. */
  | { readonly kind: "other" };

/** The claim on one key. Changes are durable when their promise resolves. */
export interface Claim {
  /**
   * Acquires the claim, or renews its lease.
   * @param holder unique ID of the request
   * @param fingerprint digest of the request's content
   */
  acquire(holder: string, fingerprint: string): Promise<ClaimResult>;
  /**
   * Stores a response for replays.
   * @returns the response to send instead, if this holder's lease had expired and another request has stored one
   */
  complete(holder: string, fingerprint: string, response: StoredResponse): Promise<StoredResponse | undefined>;
  /** Frees the key for the next request, if the holder still owns the key and has not stored a response. */
  release(holder: string): Promise<void>;
  /** Deletes the stored response if its body is this file, which no longer exists. */
  invalidate(fileId: string): Promise<void>;
}

export interface Claims {
  getByName(name: string): Claim;
}
