// A job that lost its engine is begun once more, and a document that ends its engine twice is refused. The one place
// that decides this for all engines; knows none of them.

import { EngineFailure } from "../src/operations/operation.ts";

/** The engine was killed, froze or could not work, and the document has no part in it. */
export class EngineLost extends EngineFailure {
  constructor(detail: string, options?: ErrorOptions) {
    super("crashed", detail, options);
  }
}

export interface AttemptLimits {
  /** Wall clock of both attempts together. @default none but the signal */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  log?(message: string, details?: Record<string, unknown>): void;
}

/**
 * Carries out one attempt. It leaves nothing behind when it fails, and throws when its signal is aborted.
 * @param timeoutMs that are left
 */
export type Attempt<T> = (signal: AbortSignal, timeoutMs: number) => Promise<T>;

/** An attempt has this long to end its processes when its time is up; then the job is answered without it. */
const CLEANUP_MS = 700;

/**
 * Begins a job again, once, when its engine was lost or crashed.
 * @throws EngineFailure `timed-out`; `busy` when the engine was lost both times, `too-complex` when it crashed last
 * @throws the signal's reason when aborted, and whatever the attempt throws for another reason
 */
export async function twice<T>({ timeoutMs, signal, log }: AttemptLimits, attempt: Attempt<T>): Promise<T> {
  const late = new AbortController();
  const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  const started = performance.now();
  const expire = () => late.abort(new EngineFailure("timed-out", `not done after ${timeoutMs} ms`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
  const once = () => {
    const leftMs =
      timeoutMs === undefined ? Infinity : Math.max(1, Math.ceil(timeoutMs - (performance.now() - started)));
    return settled(attempt(either, leftMs), either);
  };
  try {
    return await once().catch((failure) => {
      if (either.aborted || !isCrash(failure)) throw failure;
      log?.("the engine was lost or crashed, the job is begun again", { error: String(failure) });
      return once();
    });
  } catch (failure) {
    either.throwIfAborted();
    throw lastFailure(failure);
  } finally {
    clearTimeout(timer);
  }
}

/** The failure to answer with when no attempt is left. */
export function lastFailure(failure: unknown): unknown {
  if (!isCrash(failure)) return failure;
  const reason = failure instanceof EngineLost ? "busy" : "too-complex";
  return new EngineFailure(reason, failure.detail, { cause: failure });
}

/** Whether a person or the system ended it: what goes wrong within a process ends it by other signals. */
export function isFromOutside(signal: NodeJS.Signals | null): boolean {
  return signal !== null && OUTSIDE.has(signal);
}

const OUTSIDE: ReadonlySet<NodeJS.Signals> = new Set(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"]);

const isCrash = (failure: unknown): failure is EngineFailure =>
  failure instanceof EngineFailure && failure.reason === "crashed";

/** @throws the signal's reason when the attempt has not come to its end a while after the abort */
async function settled<T>(attempt: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const abort = () => {
    timer = setTimeout(() => reject(signal.reason), CLEANUP_MS);
  };
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([attempt, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    attempt.catch(() => {});
  }
}
