// Warm worker threads for the edge's own operations, so that the server itself never blocks. A thread whose job has to end is
// ended with it, and another takes its place. Knows no operation.

import { constants, setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { EngineFailure } from "../src/operations/operation.ts";
import { encodeFailure } from "../src/operations/remote.ts";
import { lowerThread, worksForJob } from "./priority.ts";
import type { FromThread, ThreadJob, ToThread } from "./thread.ts";

export interface ThreadSettings {
  /** How many are kept warm; as many as there are places for jobs. */
  readonly size: number;
  /** When none has come to rest for so long, those beyond end. @default 10 s */
  readonly spareMs?: number;
  /** The most bytes of JavaScript's own heap in each. */
  readonly heapMiB: number;
  log(message: string, details?: Record<string, unknown>): void;
}

/** Memory that was fragmented over many jobs is given back; but a new thread is slow at first, for nothing is compiled in it. */
const JOBS_PER_THREAD = 1000;
/** Threads beyond those that are kept are for many jobs at once: each takes 100 MB with its engines. */
const SPARE_MS = 10_000;

interface Thread {
  readonly worker: Worker;
  jobs: number;
  /** In the system; undefined until it is ready. */
  number: number | undefined;
  priority: "usual" | "low";
  /** How often it carried out which operation. */
  readonly done: Map<string, number>;
}

export class Threads implements AsyncDisposable {
  readonly #settings: ThreadSettings;
  readonly #idle: Thread[] = [];
  #all = new Set<Thread>();
  #closed = false;
  #trimming: NodeJS.Timeout | undefined;

  constructor(settings: ThreadSettings) {
    this.#settings = settings;
    for (let count = 0; count < settings.size; count++) this.#idle.push(this.#start());
  }

  /**
   * @returns the answer's frames; the thread works a few of them ahead, and waits while nobody reads
   * @throws the signal's reason when aborted
   */
  async *run(job: ThreadJob, signal: AbortSignal, log: ThreadSettings["log"]): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    signal.throwIfAborted();
    const thread = this.#takeIdle(job.operation) ?? this.#start();
    thread.jobs++;
    thread.done.set(job.operation, (thread.done.get(job.operation) ?? 0) + 1);
    const mail = new Mailbox();
    const { worker } = thread;
    const end = () => mail.fail(signal.reason);
    worker.on("message", mail.post);
    worker.on("error", mail.fail);
    worker.on("exit", mail.exited);
    signal.addEventListener("abort", end);
    const forget = worksForJob(() => lower(thread));
    let reusable = false;
    try {
      worker.postMessage({ job } satisfies ToThread);
      for (;;) {
        const message = await mail.next();
        if ("log" in message) log(message.log.message, message.log.details);
        if ("done" in message) break;
        if (!("frame" in message)) continue;
        yield message.frame;
        worker.postMessage({ taken: true } satisfies ToThread);
      }
      reusable = true;
    } catch (error) {
      signal.throwIfAborted();
      yield encodeFailure(failureOf(error));
    } finally {
      signal.removeEventListener("abort", end);
      forget();
      worker.off("message", mail.post);
      worker.off("error", mail.fail);
      worker.off("exit", mail.exited);
      if (reusable && thread.jobs < JOBS_PER_THREAD && !this.#closed && raise(thread)) this.#rest(thread);
      else await this.#replace(thread);
    }
  }

  /** How many there are. */
  get count(): number {
    return this.#all.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map(({ worker }) => worker.terminate()));
  }

  /** The one that did the same most often: what has run a few times is compiled, and several times as quick. */
  #takeIdle(operation: string): Thread | undefined {
    const times = (thread: Thread) => thread.done.get(operation) ?? 0;
    const most = Math.max(...this.#idle.map(times));
    const place = this.#idle.findLastIndex((thread) => times(thread) === most);
    return place < 0 ? undefined : this.#idle.splice(place, 1)[0];
  }

  #start(): Thread {
    const { heapMiB } = this.#settings;
    const worker = new Worker(new URL("./thread.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 },
      // Nothing that a document makes an engine do finds a secret there.
      env: {},
    });
    const thread: Thread = { worker, jobs: 0, number: undefined, priority: "usual", done: new Map() };
    worker.on("message", (message: FromThread) => {
      if ("ready" in message) thread.number = message.thread;
    });
    this.#all.add(thread);
    worker.on("error", (error) => this.#settings.log("a thread failed", { error: String(error) }));
    worker.on("exit", () => this.#forget(thread));
    worker.unref();
    return thread;
  }

  #rest(thread: Thread): void {
    this.#idle.push(thread);
    const { size, spareMs = SPARE_MS } = this.#settings;
    if (this.#all.size <= size) return;
    clearTimeout(this.#trimming);
    this.#trimming = setTimeout(() => this.#trim(), spareMs).unref();
  }

  /** Those that did least, and know least. */
  #trim(): void {
    const beyond = Math.max(0, this.#all.size - this.#settings.size);
    const idle = this.#idle.toSorted((one, other) => one.jobs - other.jobs);
    for (const thread of idle.slice(0, beyond)) void this.#replace(thread);
  }

  async #replace(thread: Thread): Promise<void> {
    const ended = thread.worker.terminate();
    this.#forget(thread);
    await ended;
    if (!this.#closed && this.#all.size < this.#settings.size) this.#idle.push(this.#start());
  }

  #forget(thread: Thread): void {
    this.#all.delete(thread);
    const place = this.#idle.indexOf(thread);
    if (place >= 0) this.#idle.splice(place, 1);
  }
}

function lower(thread: Thread): void {
  if (thread.number === undefined) return;
  lowerThread(thread.number);
  thread.priority = "low";
}

/** @returns whether it has its usual priority for the next job: only root may give it back */
function raise(thread: Thread): boolean {
  if (thread.priority === "usual") return true;
  try {
    setPriority(thread.number!, constants.priority.PRIORITY_NORMAL);
  } catch {
    return false;
  }
  thread.priority = "usual";
  return true;
}

/** Messages of a thread, to be read one after the other. */
class Mailbox {
  readonly #messages: FromThread[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  readonly post = (message: FromThread): void => {
    this.#messages.push(message);
    this.#wake?.();
  };

  readonly fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.#wake?.();
  };

  readonly exited = (): void => this.fail(new EngineFailure("crashed", "the thread ended"));

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
  if (error instanceof EngineFailure) return error;
  const isFull = (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
  return new EngineFailure(isFull ? "too-large" : "crashed", String(error), { cause: error });
}
