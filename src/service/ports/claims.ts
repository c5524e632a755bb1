// Storage contract for idempotency keys: which request runs for a key, and its response. Each call is atomic, and
// callers repeat calls whose result was lost. All implementations pass test/support/claim-conformance.ts.

/** A response that is stored for replays. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as JSON; empty if a file is the body. */
  readonly text: string;
  /** Set if a stored file is the body. */
  readonly file?: {
    readonly id: string;
    /** True if only replays need the file: it is deleted with the response. */
    readonly isOwn: boolean;
  };
}

export type ClaimResult =
  /**
   * The caller owns the key. It must renew the claim before the lease expires, then complete or release it. `lost`:
   * earlier holders with the same content whose lease expired; their results might exist.
   */
  | { readonly kind: "granted"; readonly lost?: readonly string[] }
  /** Another request with the same content runs. */
  | { readonly kind: "busy" }
  /** The request has run. */
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
   * @returns the response that counts instead, if the lease had expired and another request was faster
   */
  complete(holder: string, fingerprint: string, response: StoredResponse): Promise<StoredResponse | undefined>;
  /** Frees the key for the next request, if the holder still owns it and has not completed. */
  release(holder: string): Promise<void>;
  /** Deletes the response whose file no longer exists. */
  invalidate(fileId: string): Promise<void>;
}

export interface Claims {
  getByName(name: string): Claim;
}
