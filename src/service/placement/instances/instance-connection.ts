// Connects a request to the platform's container instances. The dispatcher selects an instance; the frames are sent
// directly to this instance.

import { EngineFailure } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import type { OperationDeclaration } from "../../../document/contract/operation.ts";
import type { Span } from "../../../document/contract/trace.ts";
import { delay } from "../../../runtime/delay.ts";
import { untilAborted } from "../../../runtime/until-aborted.ts";
import type { Env } from "../../settings/config.ts";
import { type ConnectedContainer, type JobOrigin, originHeaders } from "../connection.ts";
import { exchange, NotAccepted } from "../exchange.ts";
import type { SlotResponse } from "./dispatcher.ts";
import { dispatcher } from "./dispatcher-stub.ts";
import { instance } from "./instance-stub.ts";
import { type Pool, poolOf } from "./pools.ts";
import type { InstanceFault, SlotLease } from "./slots.ts";

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
  /** Instances that failed this request's job. */
  readonly #avoid: number[] = [];
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
    const pool = poolOf(operation);
    const lease = await this.#lease(pool, signal);
    this.#slot = new SlotHandle(this.#env, pool, lease, this.#caller);
    return exchange({
      url: `http://container/${operation.name}`,
      headers: originHeaders(this.#caller),
      frames,
      signal,
      fetch: (request) => instance(this.#env, pool, lease.instance)!.fetch(request),
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
      this.#avoid.push(slot.instance);
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
    const pool = poolOf(operation);
    // If prewarming fails, the job itself starts an instance.
    this.#caller.waitUntil(
      dispatcher(this.#env, pool)!
        .startAhead(pool)
        .catch(() => {}),
    );
  }

  /**
   * @throws EngineFailure `busy` if the queue is full, no instance starts, or the wait takes too long
   * @throws the signal's reason when aborted
   */
  async #lease(pool: Pool, signal: AbortSignal): Promise<SlotLease> {
    const { client } = this.#caller;
    const id = crypto.randomUUID();
    const until = Date.now() + LIMITS.slotWaitMs;
    let isGranted = false;
    let failed = 0;
    try {
      while (Date.now() < until) {
        const asking = dispatcher(this.#env, pool)!.ask(pool, { id, client, avoid: this.#avoid });
        const { instance, refused } = await untilAborted<SlotResponse>(asking, signal).catch(
          async (cause): Promise<SlotResponse> => {
            signal.throwIfAborted();
            if (++failed >= FAILED_QUESTIONS) throw new EngineFailure("busy", `no dispatcher: ${cause}`, { cause });
            await delay(AFTER_FAILED_QUESTION_MS, signal);
            return {};
          },
        );
        if (refused !== undefined) throw new EngineFailure("busy", refused);
        isGranted = instance !== undefined;
        if (instance !== undefined) return { id, client, instance };
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
}

/** A leased slot, renewed until its job has ended. */
class SlotHandle {
  readonly #env: Env;
  readonly #pool: Pool;
  readonly #lease: SlotLease;
  readonly #caller: JobOrigin;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(env: Env, pool: Pool, lease: SlotLease, caller: JobOrigin) {
    this.#env = env;
    this.#pool = pool;
    this.#lease = lease;
    this.#caller = caller;
    this.#timer = setInterval(() => void this.#dispatcher.renew(pool, lease).catch(() => {}), LIMITS.leaseRenewMs);
  }

  get instance(): number {
    return this.#lease.instance;
  }

  leave(): void {
    clearInterval(this.#timer);
    this.#caller.waitUntil(this.#dispatcher.leave(this.#pool, this.#lease.id).catch(() => {}));
  }

  fail(fault: InstanceFault): void {
    clearInterval(this.#timer);
    this.#caller.waitUntil(this.#dispatcher.fail(this.#pool, this.#lease, fault).catch(() => {}));
  }

  /** Creates a new stub for each call, because a stub with a broken connection is unusable. */
  get #dispatcher() {
    return dispatcher(this.#env, this.#pool)!;
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
