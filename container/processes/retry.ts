// The retry rules of all engines. A job that loses its engine is retried once. A document whose engine crashes twice is
// rejected.

import { EngineFailure } from "../../src/document/contract/failure.ts";

/** The engine was killed, hung or failed to start, and the document is not the cause. */
export class EngineLost extends EngineFailure {
  constructor(detail: string, options?: ErrorOptions) {
    super("crashed", detail, options);
  }
}

export interface AttemptLimits {
  /** Wall-clock limit of both attempts together. @default only the signal limits them */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  log?(message: string, details?: Record<string, unknown>): void;
}

/**
 * Runs one attempt. It must clean up after a failure, and reject when its signal is aborted.
 * @param timeoutMs remaining time
 */
export type AttemptFunction<T> = (signal: AbortSignal, timeoutMs: number) => Promise<T>;

/**
 * Time in which an attempt can end its processes after its timeout. After this time, the job fails without waiting for
 * them.
 */
const CLEANUP_MS = 700;

/** The kinds of losses after which work is retried. */
export interface Retries<Kind extends string> {
  /** Number of retries for each kind of loss. */
  readonly retries: Readonly<Record<Kind, number>>;
  /** Returns the kind of loss that a failure means, or undefined if the failure is final. */
  kindOf(failure: unknown): Kind | undefined;
  /** Called and awaited before each retry. */
  onRetry?(failure: unknown, kind: Kind): void | Promise<void>;
}

/**
 * Runs work, and retries it after losses, up to the number of retries for each kind.
 * @param attempt called with the number of remaining retries
 */
export async function withRetries<T, Kind extends string>(
  { retries, kindOf, onRetry }: Retries<Kind>,
  attempt: (left: Readonly<Record<Kind, number>>) => Promise<T>,
): Promise<T> {
  const left: Record<Kind, number> = { ...retries };
  for (;;) {
    try {
      return await attempt(left);
    } catch (failure) {
      const kind = kindOf(failure);
      if (kind === undefined || left[kind]-- === 0) throw failure;
      await onRetry?.(failure, kind);
    }
  }
}

/**
 * Runs a job. Retries it once if its engine was lost or crashed.
 * @throws EngineFailure `timed-out`; `busy` if the engine was lost at the last attempt, `too-complex` if it crashed
 * @throws the signal's reason when aborted, and any other error that the attempt throws
 */
export async function retryCrashOnce<T>(
  { timeoutMs, signal, log }: AttemptLimits,
  attempt: AttemptFunction<T>,
): Promise<T> {
  const deadline = new AbortController();
  const either = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
  const started = performance.now();
  const expire = () => deadline.abort(new EngineFailure("timed-out", `not done after ${timeoutMs} ms`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
  const once = () => {
    const leftMs =
      timeoutMs === undefined ? Infinity : Math.max(1, Math.ceil(timeoutMs - (performance.now() - started)));
    return settled(attempt(either, leftMs), either);
  };
  try {
    const kindOf = (failure: unknown) => (!either.aborted && isCrash(failure) ? "crash" : undefined);
    const onRetry = (failure: unknown) => log?.("job retried", { error: String(failure) });
    return await withRetries({ retries: { crash: 1 }, kindOf, onRetry }, once);
  } catch (failure) {
    either.throwIfAborted();
    throw finalFailure(failure);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the failure to report after the last attempt. */
export function finalFailure(failure: unknown): unknown {
  if (!isCrash(failure)) return failure;
  const reason = failure instanceof EngineLost ? "busy" : "too-complex";
  return new EngineFailure(reason, failure.detail, { cause: failure });
}

/** Reports whether the signal comes from a person or the system. A fault within a process raises other signals. */
export function isExternalSignal(signal: NodeJS.Signals | null): boolean {
  return signal !== null && OUTSIDE.has(signal);
}

const OUTSIDE: ReadonlySet<NodeJS.Signals> = new Set(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"]);

const isCrash = (failure: unknown): failure is EngineFailure =>
  failure instanceof EngineFailure && failure.reason === "crashed";

/** @throws the signal's reason if the attempt still runs {@link CLEANUP_MS} after the abort */
async function settled<T>(attempt: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const abort = () => {
    timer = setTimeout(() => reject(signal.reason), CLEANUP_MS);
  };
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([attempt, timeout]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    attempt.catch(() => {});
  }
}
