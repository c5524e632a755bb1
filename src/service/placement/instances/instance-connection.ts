// Connects a request to the platform's container instances. The dispatcher selects an instance; the frames are sent
// directly to this instance.

import { EngineFailure } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import type { OperationDeclaration } from "../../../document/contract/operation.ts";
import type { Span } from "../../../document/contract/trace.ts";
import { delay } from "../../../runtime/delay.ts";
import { logLine } from "../../../runtime/log-line.ts";
import { untilAborted } from "../../../runtime/until-aborted.ts";
import { probeOf } from "../../regions/located-env.ts";
import { callRegion } from "../../regions/lost-regions.ts";
import { RegionLost } from "../../regions/region-errors.ts";
import type { Env } from "../../settings/config.ts";
import { type ConnectedContainer, type JobOrigin, originHeaders } from "../connection.ts";
import { exchange, NotAccepted } from "../exchange.ts";
import type { SlotResponse } from "./dispatcher.ts";
import { dispatcher } from "./dispatcher-stub.ts";
import { instance } from "./instance-stub.ts";
import { type Pool, poolOf } from "./pools.ts";
import { ownPool, type PoolName, poolsFor, regionOfPool } from "./regional-pools.ts";
import type { InstanceFault, SlotLease, SlotRequest } from "./slots.ts";

/**
 * Number of failed dispatcher calls after which the job fails. A call fails, for example, when the platform restarts
 * the dispatcher.
 */
const FAILED_QUESTIONS = 3;
const AFTER_FAILED_QUESTION_MS = 200;

export function connectInstances(env: Env, caller: JobOrigin): ConnectedContainer {
  return new InstanceConnection(env, caller);
}

class InstanceConnection implements ConnectedContainer {
  readonly #env: Env;
  readonly #caller: JobOrigin;
  /** Slots whose instances failed this request's job. */
  readonly #failed: PooledLease[] = [];
  readonly isDivided = true;
  /** Slot of the running job. */
  #slot: SlotHandle | undefined;
  /** The error of a job that failed because of its instance. Cleared by the retry. */
  #failure: unknown;

  constructor(env: Env, caller: JobOrigin) {
    this.#env = env;
    this.#caller = caller;
  }

  async post(
    operation: Pick<OperationDeclaration<unknown>, "name" | "internet">,
    frames: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const slot = await this.#lease(poolOf(operation), signal);
    this.#slot = new SlotHandle(this.#env, slot, this.#caller);
    return exchange({
      url: `http://container/${operation.name}`,
      headers: originHeaders(this.#caller),
      frames,
      signal,
      fetch: (url, init) => instance(this.#env, slot.pool, slot.lease.instance)!.fetch(new Request(url, init)),
    });
  }

  onSpans(spans: readonly Span[]): void {
    this.#caller.trace?.received(spans);
  }

  onJobEnd(error?: unknown): void {
    const slot = this.#slot;
    this.#slot = undefined;
    const fault = faultOf(error);
    if (slot && fault) {
      this.#failure = error;
      this.#failed.push(slot.leased);
      slot.fail(fault);
    } else slot?.leave();
  }

  async prepareRetry(error: unknown, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const wasFailed = this.#failure !== undefined && this.#failure === error;
    this.#failure = undefined;
    return wasFailed;
  }

  prewarm(operation: Pick<OperationDeclaration<unknown>, "internet">): void {
    const pool = ownPool(poolOf(operation), this.#env);
    // If prewarming fails, the job itself starts an instance.
    this.#caller.waitUntil(
      dispatcher(this.#env, pool)!
        .startAhead(pool)
        .catch(() => {}),
    );
  }

  /**
   * Requests a slot in the pools of the regions that can run the job. A region is asked once those before it have no
   * slot soon; from then on, the job waits in all of them. The first slot counts.
   * @throws EngineFailure `busy` or RegionLost if no pool has a slot: the error of the first one
   * @throws the signal's reason when aborted
   */
  async #lease(kind: Pool, signal: AbortSignal): Promise<PooledLease> {
    const granted = new AbortController();
    const pools = poolsFor(kind, this.#env);
    const from = async (index: number): Promise<PooledLease> => {
      const pool = pools[index]!;
      const { promise: spill, resolve } = Promise.withResolvers<"spill">();
      const lease = this.#leaseIn(pool, { signal, granted, spill: () => resolve("spill") });
      if (index + 1 === pools.length) return lease;
      const first = await Promise.race([lease.catch(() => "spill" as const), spill]);
      signal.throwIfAborted();
      if (first !== "spill") return first;
      this.#log("job spills over", { pool, to: pools[index + 1] });
      return Promise.any([lease, from(index + 1)]).catch(({ errors }: AggregateError) => Promise.reject(errors[0]));
    };
    return from(0);
  }

  /**
   * @throws EngineFailure `busy` if the queue is full, no instance starts, or the wait takes too long; RegionLost
   * @throws the reason of `signal` or `granted` when aborted
   */
  async #leaseIn(pool: PoolName, { signal, granted, spill }: PoolRequest): Promise<PooledLease> {
    const { client } = this.#caller;
    const id = crypto.randomUUID();
    const avoid = this.#failed.filter((slot) => slot.pool === pool).map(({ lease }) => lease.instance);
    const until = Date.now() + LIMITS.slotWaitMs;
    const ended = AbortSignal.any([signal, granted.signal]);
    let isGranted = false;
    let failed = 0;
    try {
      while (Date.now() < until) {
        const asking = this.#ask(pool, { id, client, avoid });
        const { instance, refused, isFull } = await untilAborted<SlotResponse>(asking, ended).catch(
          async (cause): Promise<SlotResponse> => {
            ended.throwIfAborted();
            if (cause instanceof RegionLost) throw cause;
            if (++failed >= FAILED_QUESTIONS) throw new EngineFailure("busy", `no dispatcher: ${cause}`, { cause });
            await delay(AFTER_FAILED_QUESTION_MS, ended);
            return { isFull: true };
          },
        );
        ended.throwIfAborted();
        if (refused !== undefined) throw new EngineFailure("busy", refused);
        if (isFull) spill();
        isGranted = instance !== undefined;
        if (instance === undefined) continue;
        granted.abort();
        return { pool, lease: { id, client, instance } };
      }
      throw new EngineFailure("busy", `no slot within ${LIMITS.slotWaitMs} ms`);
    } finally {
      if (!isGranted)
        this.#caller.waitUntil(
          dispatcher(this.#env, pool)!
            .leave(pool, id)
            .catch(() => {}),
        );
    }
  }

  /** @throws RegionLost if the region of the pool is unreachable */
  async #ask(pool: PoolName, job: SlotRequest): Promise<SlotResponse> {
    const ask = async () => dispatcher(this.#env, pool)!.ask(pool, job);
    const region = regionOfPool(pool, this.#env);
    return region ? callRegion(region, ask, probeOf(this.#env, region)) : ask();
  }

  #log(message: string, details: Record<string, unknown>): void {
    console.log(logLine({ requestId: this.#caller.requestId }, message, details));
  }
}

interface PooledLease {
  readonly pool: PoolName;
  readonly lease: SlotLease;
}

interface PoolRequest {
  readonly signal: AbortSignal;
  /** Aborted by the first pool that grants a slot. */
  readonly granted: AbortController;
  /** Called when the pool will have no slot soon. */
  spill(): void;
}

/** A leased slot, renewed until its job has ended. */
class SlotHandle {
  readonly #env: Env;
  readonly leased: PooledLease;
  readonly #caller: JobOrigin;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(env: Env, leased: PooledLease, caller: JobOrigin) {
    this.#env = env;
    this.leased = leased;
    this.#caller = caller;
    const { pool, lease } = leased;
    this.#timer = setInterval(() => void this.#dispatcher.renew(pool, lease).catch(() => {}), LIMITS.leaseRenewMs);
  }

  leave(): void {
    clearInterval(this.#timer);
    const { pool, lease } = this.leased;
    this.#caller.waitUntil(this.#dispatcher.leave(pool, lease.id).catch(() => {}));
  }

  fail(fault: InstanceFault): void {
    clearInterval(this.#timer);
    const { pool, lease } = this.leased;
    this.#caller.waitUntil(this.#dispatcher.fail(pool, lease, fault).catch(() => {}));
  }

  /** Creates a new stub for each call, because a stub with a broken connection is unusable. */
  get #dispatcher() {
    return dispatcher(this.#env, this.leased.pool)!;
  }
}

/** @returns undefined if the instance did not cause the error */
function faultOf(error: unknown): InstanceFault | undefined {
  if (!(error instanceof EngineFailure)) return undefined;
  if (error.reason === "busy") return "full";
  if (error.reason !== "lost") return undefined;
  if (!(error instanceof NotAccepted)) return "gone";
  if (error.isOtherVersion) return "other-version";
  return error.status === 429 || error.status === 503 ? "not-started" : "gone";
}
