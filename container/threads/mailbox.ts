// Reads the messages of one worker thread, one after the other.

import type { Worker } from "node:worker_threads";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import type { Log } from "../../src/runtime/log-line.ts";
import { EngineLost } from "../processes/retry.ts";
import type { FromThread } from "./thread.ts";

type Frame = Uint8Array<ArrayBuffer>;

/** Queues a thread's messages until it is closed. They are read one after the other. */
export class Mailbox {
  readonly #worker: Worker;
  readonly #messages: FromThread[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", this.#post);
    worker.on("error", this.#broken);
    worker.on("exit", this.#exited);
  }

  close(): void {
    this.#worker.off("message", this.#post);
    this.#worker.off("error", this.#broken);
    this.#worker.off("exit", this.#exited);
  }

  /** Makes the next read throw this error. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  readonly #post = (message: FromThread): void => {
    this.#messages.push(message);
    this.#wake?.();
  };

  readonly #broken = (error: unknown): void => this.fail(failureOf(error));

  /**
   * Called when the thread exits. An error within the thread is reported before this event. So if no error was
   * reported, something else ended the thread.
   */
  readonly #exited = (): void => this.fail(new EngineLost("the thread ended"));

  async next(): Promise<FromThread> {
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      const message = this.#messages.shift();
      if (message) return message;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}

function failureOf(error: unknown): EngineFailure {
  const isFull = (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
  return new EngineFailure(isFull ? "too-large" : "crashed", String(error), { cause: error });
}

/** Reads messages up to the next frame, and logs those for the log. @returns the next frame, or undefined at the end */
export async function nextFrame(mail: Mailbox, log: Log): Promise<Frame | undefined> {
  for (;;) {
    const message = await mail.next();
    if ("frame" in message) return message.frame;
    if ("done" in message) return undefined;
    if ("log" in message) log(message.log.message, message.log.details);
  }
}

/** Reports whether a thread ends its work after the last frame of a response. */
export async function hasEnded(mail: Mailbox, log: Log): Promise<boolean> {
  try {
    return (await nextFrame(mail, log)) === undefined;
  } catch {
    return false;
  }
}
