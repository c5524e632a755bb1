// Stores the claim on one idempotency key, in one Durable Object per client and key. An alarm deletes an expired claim.

import { DurableObject } from "cloudflare:workers";
import type { Claim, ClaimResult, StoredResponse } from "../ports/claims.ts";
import { envOfId } from "../regions/located-env.ts";
import { type Env, readConfig } from "../settings/config.ts";
import { createStore } from "../storage/store.ts";
import { type ClaimState, ClaimStateMachine, type ClaimStorage, replayFileOf } from "./claim-state.ts";

/** Keys in the object's storage: the state, and the chunks of the response's text. */
const STATE = "state";
const pieceKey = (number: number) => `text ${number}`;
/** Characters per chunk. A stored value can have 2 MB, and a character needs up to two bytes. */
const PIECE_LETTERS = 500_000;

type StoredState = Omit<ClaimState, "answer"> & {
  readonly answer?: Omit<StoredResponse, "text"> & { readonly pieces: number };
};

export class ClaimObject extends DurableObject<Env> implements Claim {
  readonly #stored = claimStorage(this.ctx.storage);
  readonly #claim = new ClaimStateMachine(this.#stored, () => Date.now());

  async acquire(holder: string, fingerprint: string): Promise<ClaimResult> {
    return this.#claim.acquire(holder, fingerprint);
  }

  async complete(holder: string, fingerprint: string, response: StoredResponse): Promise<StoredResponse | undefined> {
    return this.#claim.complete(holder, fingerprint, response);
  }

  async release(holder: string): Promise<void> {
    this.#claim.release(holder);
  }

  async invalidate(fileId: string): Promise<void> {
    this.#claim.invalidate(fileId);
  }

  override async alarm(): Promise<void> {
    const fileId = replayFileOf(this.#stored.read());
    const { fileLifetimeMs } = readConfig(this.env);
    if (fileId !== undefined) {
      const { FILES } = envOfId(this.env, fileId);
      await createStore(FILES, { lifetimeMs: fileLifetimeMs }).remove([fileId]);
    }
    this.#stored.clear();
  }
}

/** Does not await writes, because the platform delays responses until all writes are durable. */
function claimStorage(storage: DurableObjectStorage): ClaimStorage {
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
