// Connects a request to the instances of the container that the platform runs. The dispatcher says which one; the
// frames go to it directly.

import type { Env } from "../core/config.ts";
import { EngineFailure } from "../core/failure.ts";
import { LIMITS } from "../core/limits.ts";
import type { Signature } from "../core/operation.ts";
import { wait } from "../core/pause.ts";
import type { Span } from "../core/trace.ts";
import { type Caller, type ConnectedContainer, callerHeaders } from "./connection.ts";
import type { Answer } from "./dispatcher.ts";
import { dispatcher } from "./dispatcher-stub.ts";
import { exchange, NotTaken } from "./exchange.ts";
import { instance } from "./instance-stub.ts";
import { type Pool, poolOf } from "./pools.ts";
import type { Lease, Trouble } from "./slots.ts";

/** Questions that may fail before the job does. A dispatcher that has just been replaced fails one. */
const FAILED_QUESTIONS = 3;
const AFTER_FAILED_QUESTION_MS = 200;

export function connectInstances(env: Env, caller: Caller): ConnectedContainer {
  return new Dispatched(env, caller);
}

class Dispatched implements ConnectedContainer {
  readonly #env: Env;
  readonly #caller: Caller;
  /** The instances that failed this request's job. */
  readonly #avoid: number[] = [];
  /** The slot of the job that runs. */
  #slot: Slot | undefined;
  /** The error of a job that an instance failed, until it is attempted again. */
  #failure: unknown;

  constructor(env: Env, caller: Caller) {
    this.#env = env;
    this.#caller = caller;
  }

  async post(
    operation: Pick<Signature<unknown>, "name" | "internet">,
    frames: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const pool = poolOf(operation);
    const lease = await this.#lease(pool, signal);
    this.#slot = new Slot(this.#env, pool, lease, this.#caller);
    return exchange({
      url: `http://container/${operation.name}`,
      headers: callerHeaders(this.#caller),
      frames,
      signal,
      fetch: (request) => instance(this.#env, pool, lease.instance)!.fetch(request),
    });
  }

  traced(spans: readonly Span[]): void {
    this.#caller.trace?.received(spans);
  }

  ended(error?: unknown): void {
    const slot = this.#slot;
    this.#slot = undefined;
    const why = troubleOf(error);
    if (slot && why) {
      this.#failure = error;
      this.#avoid.push(slot.instance);
      slot.fail(why);
    } else slot?.leave();
  }

  async comesBack(error: unknown, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const wasFailed = this.#failure !== undefined && this.#failure === error;
    this.#failure = undefined;
    return wasFailed;
  }

  startAhead(operation: Pick<Signature<unknown>, "internet">): void {
    const pool = poolOf(operation);
    // A job that comes starts an instance itself, if this fails.
    this.#caller.waitUntil(
      dispatcher(this.#env, pool)!
        .startAhead(pool)
        .catch(() => {}),
    );
  }

  /**
   * @throws EngineFailure `busy` if there are too many jobs, no instance starts, or the wait takes too long
   * @throws the signal's reason when aborted
   */
  async #lease(pool: Pool, signal: AbortSignal): Promise<Lease> {
    const { client } = this.#caller;
    const id = crypto.randomUUID();
    const until = Date.now() + LIMITS.slotWaitMs;
    let isGranted = false;
    let failed = 0;
    try {
      while (Date.now() < until) {
        const asking = dispatcher(this.#env, pool)!.ask(pool, { id, client, avoid: this.#avoid });
        const { instance, refused } = await unlessAborted<Answer>(asking, signal).catch(
          async (cause): Promise<Answer> => {
            signal.throwIfAborted();
            if (++failed >= FAILED_QUESTIONS) throw new EngineFailure("busy", `no dispatcher: ${cause}`, { cause });
            await wait(AFTER_FAILED_QUESTION_MS, signal);
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

/** A leased slot, which is renewed until its job has ended. */
class Slot {
  readonly #env: Env;
  readonly #pool: Pool;
  readonly #lease: Lease;
  readonly #caller: Caller;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(env: Env, pool: Pool, lease: Lease, caller: Caller) {
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

  fail(why: Trouble): void {
    clearInterval(this.#timer);
    this.#caller.waitUntil(this.#dispatcher.fail(this.#pool, this.#lease, why).catch(() => {}));
  }

  /** A new stub each time, because one whose connection broke stays broken. */
  get #dispatcher() {
    return dispatcher(this.#env, this.#pool)!;
  }
}

/** @returns undefined if the instance is not to blame */
function troubleOf(error: unknown): Trouble | undefined {
  if (!(error instanceof EngineFailure)) return undefined;
  if (error.reason === "busy") return "full";
  if (error.reason !== "lost") return undefined;
  if (!(error instanceof NotTaken)) return "gone";
  if (error.isOtherVersion) return "other-version";
  return error.status === 429 || error.status === 503 ? "not-started" : "gone";
}

/** @throws the signal's reason when aborted */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
