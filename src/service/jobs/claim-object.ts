// Stores the claim on one key of repeatable requests: a Durable Object for each key of each client, which carries out
// what claim-keeper.ts decides. Forgets everything by an alarm.

import { DurableObject } from "cloudflare:workers";
import type { Claim, ClaimResult, StoredResponse } from "../ports/claims.ts";
import { type Env, readConfig } from "../settings/config.ts";
import { createStore } from "../storage/store.ts";
import { type ClaimState, ClaimStateMachine, type ClaimStorage, replayFileOf } from "./claim-state.ts";

/** Keys in the object's storage: the state, and the pieces of the answer's text. */
const STATE = "state";
const pieceKey = (number: number) => `text ${number}`;
/** Letters of a piece. A value may have 2 MB, and a letter two bytes. */
const PIECE_LETTERS = 500_000;

type StoredState = Omit<ClaimState, "answer"> & {
  readonly answer?: Omit<StoredResponse, "text"> & { readonly pieces: number };
};

export class ClaimObject extends DurableObject<Env> implements Claim {
  readonly #cell = cellIn(this.ctx.storage);
  readonly #keeper = new ClaimStateMachine(this.#cell, () => Date.now());

  async acquire(holder: string, fingerprint: string): Promise<ClaimResult> {
    return this.#keeper.take(holder, fingerprint);
  }

  async complete(holder: string, fingerprint: string, answer: StoredResponse): Promise<StoredResponse | undefined> {
    return this.#keeper.keep(holder, fingerprint, answer);
  }

  async release(holder: string): Promise<void> {
    this.#keeper.free(holder);
  }

  async invalidate(fileId: string): Promise<void> {
    this.#keeper.forget(fileId);
  }

  override async alarm(): Promise<void> {
    const fileId = replayFileOf(this.#cell.read());
    const { fileLifetimeMs } = readConfig(this.env);
    if (fileId !== undefined) await createStore(this.env.FILES, { lifetimeMs: fileLifetimeMs }).remove([fileId]);
    this.#cell.clear();
  }
}

/** The platform sends no response before the writes are durable, so nothing here waits for them. */
function cellIn(storage: DurableObjectStorage): ClaimStorage {
  const { kv } = storage;
  return {
    read() {
      const stored = kv.get<StoredState>(STATE);
      if (!stored) return undefined;
      const { answer, ...state } = stored;
      if (!answer) return state;
      const { pieces, ...rest } = answer;
      const text = Array.from({ length: pieces }, (_, number) => kv.get<string>(pieceKey(number))).join("");
      return { ...state, answer: { ...rest, text } };
    },
    write({ answer, ...state }) {
      const pieces = Math.ceil((answer?.text.length ?? 0) / PIECE_LETTERS);
      for (let number = 0; number < pieces; number++) {
        kv.put(pieceKey(number), answer!.text.slice(number * PIECE_LETTERS, (number + 1) * PIECE_LETTERS));
      }
      const { text: _, ...rest } = answer ?? {};
      kv.put(STATE, answer ? { ...state, answer: { ...rest, pieces } } : state);
      void storage.setAlarm(state.ends);
    },
    clear() {
      void storage.deleteAlarm();
      void storage.deleteAll();
    },
  };
}
