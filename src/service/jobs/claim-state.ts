// Decides who carries out the work of a repeatable request, and which answer counts. Knows neither where claims are
// stored nor what they are for.

import { LIMITS } from "../../document/contract/limits.ts";
import type { ClaimResult, StoredResponse } from "../ports/claims.ts";

/** Limits a state. Each of them was lost in a crash. */
const MOST_LOST = 8;

/** What is known of one key. Times are in milliseconds since 1970. */
export interface ClaimState {
  readonly fingerprint: string;
  /** The request that works, until its lease ends; of an answer, the one that gave it. */
  readonly holder: string;
  readonly leaseEnds: number;
  /** Earlier holders, which were not heard of any more. */
  readonly lost?: readonly string[];
  readonly answer?: StoredResponse;
  /** The state counts as absent from then on. */
  readonly ends: number;
}

/** The place of one state. What happens between a read and a write is up to the caller: nothing else may. */
export interface ClaimStorage {
  read(): ClaimState | undefined;
  write(state: ClaimState): void;
  clear(): void;
}

export class ClaimStateMachine {
  readonly #cell: ClaimStorage;
  readonly #now: () => number;

  constructor(cell: ClaimStorage, now: () => number) {
    this.#cell = cell;
    this.#now = now;
  }

  take(holder: string, fingerprint: string): ClaimResult {
    const state = this.#state();
    if (state && state.fingerprint !== fingerprint) return { kind: "other" };
    if (state?.answer) return { kind: "kept", answer: state.answer };
    if (state && state.holder !== holder) return { kind: "busy" };
    const now = this.#now();
    const known = state ? state.lost : this.#lost(fingerprint, holder);
    const lost = known && known.length > 0 ? { lost: known } : {};
    const times = { leaseEnds: now + LIMITS.claimLeaseMs, ends: now + LIMITS.keptAnswerMs };
    this.#cell.write({ fingerprint, holder, ...times, ...lost });
    return { kind: "granted", ...lost };
  }

  keep(holder: string, fingerprint: string, answer: StoredResponse): StoredResponse | undefined {
    const state = this.#state();
    // A request that lost its lease may find that the key has gone to a request of other content.
    if (state && state.fingerprint !== fingerprint) return undefined;
    if (state?.answer) return state.holder === holder ? undefined : state.answer;
    const now = this.#now();
    this.#cell.write({ fingerprint, holder, leaseEnds: now, answer, ends: now + LIMITS.keptAnswerMs });
    return undefined;
  }

  free(holder: string): void {
    const state = this.#state();
    if (state?.holder === holder && !state.answer) this.#cell.clear();
  }

  forget(fileId: string): void {
    if (this.#state()?.answer?.file?.id === fileId) this.#cell.clear();
  }

  /** Returns the holders of the content whose lease has ended, without the one that asks. */
  #lost(fingerprint: string, holder: string): readonly string[] {
    const over = this.#cell.read();
    if (!over || over.fingerprint !== fingerprint || over.answer || over.ends <= this.#now()) return [];
    return [...(over.lost ?? []), over.holder].filter((one) => one !== holder).slice(-MOST_LOST);
  }

  /** @returns undefined if the state has outlived its time, or its holder is no longer heard of */
  #state(): ClaimState | undefined {
    const state = this.#cell.read();
    const now = this.#now();
    if (!state || state.ends <= now) return undefined;
    return state.answer || state.leaseEnds > now ? state : undefined;
  }
}

/** Returns the id of the file that goes with a state. */
export const replayFileOf = (state: ClaimState | undefined): string | undefined =>
  state?.answer?.file?.isOwn ? state.answer.file.id : undefined;
