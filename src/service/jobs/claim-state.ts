// Decides which request runs for an idempotency key, and which response is stored. Independent of how claims are
// stored.

import { LIMITS } from "../../document/contract/limits.ts";
import type { ClaimResult, StoredResponse } from "../ports/claims.ts";

/** Maximum number of lost holders in a state. Each holder was lost in a crash, so more are unlikely. */
const MAX_LOST = 8;

/** State of one key. Times are in milliseconds since 1970. */
export interface ClaimState {
  readonly fingerprint: string;
  /** ID of the request that runs, or whose response is stored. */
  readonly holder: string;
  readonly leaseEnds: number;
  /** Earlier holders whose lease expired. */
  readonly lost?: readonly string[];
  readonly answer?: StoredResponse;
  /** Time at which the state expires. */
  readonly ends: number;
}

/** Storage of one state. Callers run each method of {@link ClaimStateMachine} in a transaction. */
export interface ClaimStorage {
  read(): ClaimState | undefined;
  write(state: ClaimState): void;
  clear(): void;
}

export class ClaimStateMachine {
  readonly #stored: ClaimStorage;
  readonly #now: () => number;

  constructor(stored: ClaimStorage, now: () => number) {
    this.#stored = stored;
    this.#now = now;
  }

  acquire(holder: string, fingerprint: string): ClaimResult {
    const state = this.#state();
    if (state && state.fingerprint !== fingerprint) return { kind: "other" };
    if (state?.answer) return { kind: "kept", answer: state.answer };
    if (state && state.holder !== holder) return { kind: "busy" };
    const now = this.#now();
    const known = state ? state.lost : this.#lost(fingerprint, holder);
    const lost = known && known.length > 0 ? { lost: known } : {};
    const times = { leaseEnds: now + LIMITS.claimLeaseMs, ends: now + LIMITS.storedResponseMs };
    this.#stored.write({ fingerprint, holder, ...times, ...lost });
    return { kind: "granted", ...lost };
  }

  complete(holder: string, fingerprint: string, response: StoredResponse): StoredResponse | undefined {
    const state = this.#state();
    // This holder's lease expired, and a request with different content owns the key.
    if (state && state.fingerprint !== fingerprint) return undefined;
    if (state?.answer) return state.holder === holder ? undefined : state.answer;
    const now = this.#now();
    this.#stored.write({ fingerprint, holder, leaseEnds: now, answer: response, ends: now + LIMITS.storedResponseMs });
    return undefined;
  }

  release(holder: string): void {
    const state = this.#state();
    if (state?.holder === holder && !state.answer) this.#stored.clear();
  }

  invalidate(fileId: string): void {
    if (this.#state()?.answer?.file?.id === fileId) this.#stored.clear();
  }

  /** Returns earlier holders with the same content whose leases expired, without the caller itself. */
  #lost(fingerprint: string, holder: string): readonly string[] {
    const expired = this.#stored.read();
    if (!expired || expired.fingerprint !== fingerprint || expired.answer || expired.ends <= this.#now()) return [];
    return [...(expired.lost ?? []), expired.holder].filter((one) => one !== holder).slice(-MAX_LOST);
  }

  /**
   * @returns undefined if there is no state, the state has expired, or its holder has lost the lease without a response
   */
  #state(): ClaimState | undefined {
    const state = this.#stored.read();
    const now = this.#now();
    if (!state || state.ends <= now) return undefined;
    return state.answer || state.leaseEnds > now ? state : undefined;
  }
}

/** Returns the ID of the file that must be deleted with a state, if there is one. */
export const replayFileOf = (state: ClaimState | undefined): string | undefined =>
  state?.answer?.file?.isOwn ? state.answer.file.id : undefined;
