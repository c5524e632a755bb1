// Keeps one instance of an engine running. Restarts it after its exit. While starts fail, waits between them with
// exponential backoff.

import { EngineFailure } from "../../src/document/contract/failure.ts";
import { untilAborted } from "../../src/runtime/until-aborted.ts";

export interface KeeperSettings<T> {
  /** Starts an instance. Must clean up after a failure. @param signal aborted when the restarter is closed */
  start(signal: AbortSignal): Promise<T>;
  /** Called with each instance when it has started and is the current one. */
  started?(one: T): void;
  /**
   * Called when a start fails.
   * @param pauseMs delay before the next start
   * @returns the error that callers receive until an instance starts; undefined if they should wait instead
   */
  failed(error: unknown, pauseMs: number): Error | undefined;
  /** Ends an instance that is no longer needed. */
  end(one: T): Promise<void>;
}

/** Backoff between starts. */
export interface Backoff {
  /** Delay before the first start. */
  readonly initialDelayMs: number;
  /** Delay after the first failure. Doubles after each further failure, up to the maximum. */
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
}

export class Restarter<T> {
  readonly #settings: KeeperSettings<T>;
  readonly #closing = new AbortController();
  #current: T | undefined;
  #next = pending<T>();
  #failure: Error | undefined;
  #pauseMs = 0;

  constructor(settings: KeeperSettings<T>) {
    this.#settings = settings;
  }

  /** The running instance, if there is one. */
  get current(): T | undefined {
    return this.#current;
  }

  /** The failure of the last start. Undefined once a start succeeds. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** The delay before the start that is pending or in progress. */
  get pauseMs(): number {
    return this.#pauseMs;
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Settles when the next start succeeds or fails. */
  get next(): Promise<T> {
    return this.#next.promise;
  }

  /**
   * Returns the current instance, or waits for the one that is starting.
   * @throws the failure of the last start
   * @throws EngineFailure `busy` after the restarter is closed
   * @throws the signal's reason when aborted
   */
  async ready(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    if (this.#failure) throw this.#failure;
    return this.#current ?? untilAborted(this.#next.promise, signal);
  }

  /** Starts an instance. Retries while the start fails. Must be called only when no instance is running or starting. */
  async start({ initialDelayMs, minBackoffMs, maxBackoffMs }: Backoff): Promise<void> {
    const { signal } = this.#closing;
    this.#pauseMs = initialDelayMs;
    for (;;) {
      if (this.#pauseMs > 0) await pause(this.#pauseMs, signal);
      if (signal.aborted) return;
      try {
        const one = await this.#settings.start(signal);
        return signal.aborted ? await this.#settings.end(one) : this.replace(one);
      } catch (error) {
        if (signal.aborted) return;
        this.#pauseMs = Math.min(Math.max(2 * this.#pauseMs, minBackoffMs), maxBackoffMs);
        this.#fail(this.#settings.failed(error, this.#pauseMs));
      }
    }
  }

  /** Makes an instance the current one. The caller must end the previous one. */
  replace(one: T): void {
    this.#failure = undefined;
    this.#current = one;
    this.#next.resolve(one);
    this.#settings.started?.(one);
  }

  /**
   * Discards an instance, so that callers wait for the next one. @returns false if the instance is not the current one
   */
  clear(one: T): boolean {
    if (this.#current !== one) return false;
    this.#current = undefined;
    this.#next = pending();
    return true;
  }

  /** Ends the current instance. An instance that is starting ends after its start. */
  async close(): Promise<void> {
    const closing = new EngineFailure("busy", "closing");
    this.#closing.abort(closing);
    this.#next.reject(closing);
    if (this.#current !== undefined) await this.#settings.end(this.#current);
  }

  #fail(failure: Error | undefined): void {
    if (!failure) return;
    this.#failure = failure;
    this.#next.reject(failure);
    this.#next = pending();
  }
}

function pending<T>(): PromiseWithResolvers<T> {
  const next = Promise.withResolvers<T>();
  // Prevents an unhandled rejection if no caller waits.
  next.promise.catch(() => {});
  return next;
}

/** Sleeps until the time is over or the signal is aborted. Does not keep the process running. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  timer.unref();
  await untilAborted(promise, signal).catch(() => {});
  clearTimeout(timer);
}
