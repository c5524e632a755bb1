// Counts the requests of one client, in one Durable Object per client. The counts are in memory. They are stored with a
// delay of one second, because a response must wait for earlier writes. A crash loses the last second.

import { DurableObject } from "cloudflare:workers";
import type {
  LimitDecision,
  LimitRequest,
  Limits,
  RemainingLimits,
  RemovedFile,
  StoredBytes,
} from "../ports/limiter.ts";
import type { Env } from "../settings/config.ts";
import { ClientCounts, type SerializedCounts } from "./client-counts.ts";

const KEY = "counts";
const STORE_AFTER_MS = 1000;
/** Delay of the alarm that deletes the storage of an inactive client. After it, even the daily counts have expired. */
const TIDY_AFTER_MS = 25 * 3_600_000;

export class ClientLimits extends DurableObject<Env> {
  #counts = new ClientCounts();
  #hasAlarm = false;
  #isDue = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => {
      this.#counts = new ClientCounts(await ctx.storage.get<SerializedCounts>(KEY));
      this.#hasAlarm = (await ctx.storage.getAlarm()) !== null;
    });
  }

  ask(limits: Limits, request: LimitRequest): LimitDecision {
    const verdict = this.#counts.ask(limits, request);
    if (!verdict.rejected) this.#keep();
    return verdict;
  }

  renew(lease: string): void {
    this.#counts.renew(lease);
    this.#keep();
  }

  leave(lease: string | undefined, bytes: number): void {
    this.#counts.leave(lease, bytes);
    this.#keep();
  }

  store(megabytes: number, stored: StoredBytes): LimitDecision {
    const verdict = this.#counts.store(megabytes, stored);
    if (!verdict.rejected) this.#keep();
    return verdict;
  }

  giveBack(stored: StoredBytes): void {
    this.#counts.giveBack(stored);
    this.#keep();
  }

  removed(files: readonly RemovedFile[]): void {
    this.#counts.removed(files);
    this.#keep();
  }

  peek(limits: Limits): RemainingLimits {
    return this.#counts.peek(limits);
  }

  /** Deletes the storage of an inactive client, because the platform charges for each object with storage. */
  override async alarm(): Promise<void> {
    this.#hasAlarm = false;
    if (this.#counts.isEmpty) await this.ctx.storage.deleteAll();
    else this.#keep();
  }

  #keep(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      void this.ctx.storage.put(KEY, this.#counts.kept);
      if (!this.#hasAlarm) void this.ctx.storage.setAlarm(Date.now() + TIDY_AFTER_MS);
      this.#hasAlarm = true;
    }, STORE_AFTER_MS);
  }
}
