// Leases the slots of a pool's instances to jobs: one Durable Object per pool and region, which executes the decisions of
// slots.ts. Nothing is stored, because instances and clients provide the state again after a restart.

import { DurableObject } from "cloudflare:workers";
import { LIMITS } from "../../../document/contract/limits.ts";
import { logLine } from "../../../runtime/log-line.ts";
import { withTimeout } from "../../../runtime/rpc.ts";
import type { Env } from "../../settings/config.ts";
import { instance } from "./instance-stub.ts";
import { instancesOf } from "./pools.ts";
import { kindOf, type PoolName } from "./regional-pools.ts";
import { type InstanceFault, type SlotLease, type SlotLimits, type SlotRequest, SlotScheduler } from "./slots.ts";

/** If neither `instance` nor `refused` is set, no slot is available yet, and the client must call again. */
export interface SlotResponse {
  readonly instance?: number;
  /** The reason, if the job is rejected. */
  readonly refused?: string;
  /** True if all slots are in use, and no other instance can start. */
  readonly isFull?: boolean;
}

export interface PoolSummary {
  readonly instances: readonly string[];
  readonly jobs: number;
  readonly waiting: number;
}

const LIMITS_OF_SLOTS: Omit<SlotLimits, "instances"> = {
  jobs: LIMITS.instanceJobs,
  slowJobs: LIMITS.instanceSlowJobs,
  slowAfterMs: LIMITS.instanceSlowAfterMs,
  waiting: LIMITS.instanceJobsQueued,
  leaseMs: LIMITS.slotLeaseMs,
  awakeMs: LIMITS.instanceAwakeMs,
  troubleMs: {
    gone: LIMITS.instanceGoneMs,
    full: LIMITS.instanceFullMs,
    "not-started": LIMITS.instanceNotStartedMs,
    "other-version": LIMITS.instanceOtherVersionMs,
  },
};

export class Dispatcher extends DurableObject<Env> {
  #slots: SlotScheduler | undefined;
  /** Pending requests for slots, by job ID. */
  readonly pending = new Map<string, (answer: SlotResponse) => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Requests a slot. Waits for a limited time. If no slot is available by then, the client must repeat the request with
   * the same ID. A client that stops repeating its request loses its queue position.
   */
  async ask(pool: PoolName, job: SlotRequest): Promise<SlotResponse> {
    const slots = this.#slotsOf(pool);
    slots.request(job);
    const lease = slots.leaseOf(job.id);
    if (lease) return { instance: lease.instance };
    const { promise, resolve } = Promise.withResolvers<SlotResponse>();
    const timer = setTimeout(() => resolve({ isFull: slots.isFull }), LIMITS.leaseAskMs);
    this.pending.set(job.id, resolve);
    this.applyDecisions(pool);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      if (this.pending.get(job.id) === resolve) this.pending.delete(job.id);
    }
  }

  /** Renews the lease of a running job. */
  renew(pool: PoolName, lease: SlotLease): void {
    this.#slotsOf(pool).renew(lease);
  }

  /** Frees the slot of a job, or its queue position. */
  leave(pool: PoolName, id: string): void {
    this.#slotsOf(pool).release(id);
    this.pending.get(id)?.({ refused: "the job has left" });
    this.applyDecisions(pool);
  }

  /** Frees the slot of a job that failed because of its instance. */
  fail(pool: PoolName, { id, instance }: SlotLease, fault: InstanceFault): void {
    log("instance failed a job", { pool, instance, reason: fault });
    this.#slotsOf(pool).markFaulted(instance, fault);
    this.leave(pool, id);
  }

  /** Starts an instance in advance, unless an instance is awake. */
  async startAhead(pool: PoolName): Promise<void> {
    const slots = this.#slotsOf(pool);
    await this.#askAboutUnknown(pool);
    const chosen = slots.prewarm();
    if (chosen !== undefined) await this.#start(pool, chosen);
  }

  /**
   * Describes the pool. Starts an instance only if the last start of every instance failed, because a client that waits
   * for readiness would otherwise wait forever.
   */
  async summary(pool: PoolName): Promise<PoolSummary> {
    await this.#askAboutUnknown(pool);
    const slots = this.#slotsOf(pool);
    const { summary } = slots;
    const chosen = summary.instances.every((condition) => condition === "not-started") ? slots.prewarm() : undefined;
    if (chosen !== undefined) this.ctx.waitUntil(this.#start(pool, chosen));
    return summary;
  }

  #slotsOf(pool: PoolName): SlotScheduler {
    const limits = { ...LIMITS_OF_SLOTS, instances: instancesOf(this.env, kindOf(pool)) };
    this.#slots ??= new SlotScheduler(limits, () => Date.now());
    return this.#slots;
  }

  /**
   * Executes the current decisions. If later decisions depend on time alone, for example on an expiring lease,
   * schedules the next call.
   */
  applyDecisions(pool: PoolName): void {
    const slots = this.#slotsOf(pool);
    void this.#askAboutUnknown(pool);
    const { granted, refused, start } = slots.decide();
    for (const { id, instance } of granted) this.pending.get(id)?.({ instance });
    for (const { id, reason } of refused) this.pending.get(id)?.({ refused: reason });
    for (const number of start) void this.#start(pool, number);
    clearTimeout(this.#timer);
    const changesInMs = slots.msToNextChange();
    if (changesInMs !== undefined) this.#timer = setTimeout(() => this.applyDecisions(pool), changesInMs);
  }

  /** Queries whether instances run if their state is unknown: this object has restarted, or the state has expired. */
  async #askAboutUnknown(pool: PoolName): Promise<void> {
    const slots = this.#slotsOf(pool);
    const queries = slots.takeUnknown().map(async (number) => {
      try {
        const runs = await withTimeout(LIMITS.instanceAskMs, () => stub(this.env, pool, number).isRunning());
        if (runs) slots.markReady(number);
        else slots.markAsleep(number);
      } catch (error) {
        log("instance unreachable", { pool, instance: number, error: String(error) });
        slots.markFaulted(number, "not-started");
      }
      this.applyDecisions(pool);
    });
    await Promise.all(queries);
  }

  async #start(pool: PoolName, number: number): Promise<void> {
    const slots = this.#slotsOf(pool);
    const startedAt = Date.now();
    try {
      await withTimeout(LIMITS.instanceStartMs, () => stub(this.env, pool, number).wake());
      log("instance started", { pool, instance: number, durationMs: Date.now() - startedAt });
      slots.markReady(number);
    } catch (error) {
      log("instance not started", { pool, instance: number, error: String(error) });
      slots.markFaulted(number, "not-started");
    }
    this.applyDecisions(pool);
  }
}

function stub(env: Env, pool: PoolName, number: number) {
  const found = instance(env, pool, number);
  if (!found) throw new Error(`the service has no containers of the kind "${pool}"`);
  return found;
}

function log(message: string, details: Record<string, unknown>): void {
  console.log(logLine({}, message, details));
}
