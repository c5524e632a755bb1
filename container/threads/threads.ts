// Keeps worker threads warm for the edge's operations, so that the server itself never blocks. A job is aborted by
// terminating and replacing its thread.

import { constants, setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { untilAborted } from "../../src/runtime/until-aborted.ts";
import { encodeFailure, responseOutcome } from "../../src/service/placement/remote.ts";
import { lowerThread, registerWorker } from "../processes/priority.ts";
import { EngineLost, finalFailure, retryCrashOnce } from "../processes/retry.ts";
import type { JobThreads, ThreadJob } from "../processes/thread-job.ts";
import { countEvent } from "../supervision/engine-events.ts";
import type { EngineState } from "../supervision/engine-state.ts";
import { watchForHungThread } from "./hung-thread.ts";
import { hasEnded, Mailbox, nextFrame } from "./mailbox.ts";
import type { FromThread, ToThread } from "./thread.ts";

export interface ThreadSettings {
  /** Maximum number of warm threads, equal to the number of permits. Each one starts when a job first needs it. */
  readonly size: number;
  /** Time without jobs after which threads beyond `size` are terminated. @default 10 s */
  readonly spareMs?: number;
  /** Time in which no job ends and after which only one idle thread is kept. @default 10 min */
  readonly calmMs?: number;
  /** Maximum size of each thread's JavaScript heap, in MiB. */
  readonly heapMiB: number;
  /** Module that the threads run. @default thread.ts */
  readonly module?: URL;
  log(message: string, details?: Record<string, unknown>): void;
}

/**
 * Number of jobs after which a thread is replaced. This frees fragmented memory. Not lower, because a new thread is
 * slow at first: none of its code is compiled.
 */
const JOBS_PER_THREAD = 1000;
/** Default of {@link ThreadSettings.spareMs}. Threads beyond `size` handle bursts of jobs. Each takes 50 to 100 MB. */
const SPARE_MS = 10_000;
/** Default of {@link ThreadSettings.calmMs}. Long, because a new thread is slow at first. */
const CALM_MS = 600_000;
/**
 * Maximum wait for a thread's exit. A thread exits immediately, unless it is in a long system call.
 */
const END_MS = 500;
/** Backoff between failed starts of a thread. */
const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;
/** Folder for compiled code, which reduces the CPU time of a thread's start to a third. */
const { NODE_COMPILE_CACHE } = process.env;
const COMPILED = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
const THREAD = new URL("./thread.ts", import.meta.url);

interface Thread {
  readonly worker: Worker;
  jobs: number;
  /** The thread's ID in the system. Undefined until the thread is ready. */
  number: number | undefined;
  priority: "usual" | "low";
  /** Number of jobs that the thread has run, by operation. */
  readonly done: Map<string, number>;
  /** True once the thread has started. */
  isReady: boolean;
  /** Called when the thread has read its last message. */
  readonly heard: Set<() => void>;
  /** The pending probe. */
  pinging?: Promise<void> | undefined;
}

type Frame = Uint8Array<ArrayBuffer>;
type Log = ThreadSettings["log"];

/** A thread hung before it read its job, so the job has not started. */
class ThreadHung extends EngineLost {}

/** A job in its thread. */
interface Session {
  readonly thread: Thread;
  readonly mail: Mailbox;
  /** Removes the thread from the workers of the job's priority. */
  readonly forget: () => void;
  /** First frame of the response. */
  readonly first: Frame | undefined;
}

export class Threads implements AsyncDisposable, JobThreads {
  readonly #settings: ThreadSettings;
  readonly #idle: Thread[] = [];
  #all = new Set<Thread>();
  /** Current number of warm threads. */
  #kept = 0;
  #closed = false;
  #trimming: NodeJS.Timeout | undefined;
  #calming: NodeJS.Timeout | undefined;
  /** Delay before the next start of a spare thread. 0 unless the last start failed. */
  #pauseMs = 0;

  constructor(settings: ThreadSettings) {
    this.#settings = settings;
  }

  get state(): EngineState {
    if ([...this.#all].some(({ isReady }) => isReady)) return "warm";
    if (this.#kept === 0) return "off";
    return this.#pauseMs > 0 ? "failed" : "starting";
  }

  /** True if a thread has run a job. */
  get isUsed(): boolean {
    return [...this.#all].some(({ jobs }) => jobs > 0);
  }

  /** Starts one thread before a job needs it. Resolves when the thread is ready or has failed to start. */
  async warm(): Promise<void> {
    if (this.#kept > 0 || this.#closed) return;
    const thread = this.#start();
    this.#idle.push(thread);
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const event of ["message", "exit"]) thread.worker.once(event, () => resolve());
    await promise;
  }

  /**
   * Probes all idle threads. Busy threads need no probe. A hung thread is replaced, even after the probe's timeout.
   * @throws EngineLost if no thread is running, or the signal's reason when aborted
   */
  async prove(signal: AbortSignal): Promise<void> {
    if (this.state !== "warm") throw new EngineLost("no thread runs");
    const proofs = this.#idle.filter(({ isReady }) => isReady).map((thread) => (thread.pinging ??= this.#ping(thread)));
    await untilAborted(Promise.all(proofs), signal);
  }

  /**
   * Resolves when the thread replies. If it hangs instead, rejects, and replaces the thread unless a job has taken it.
   */
  #ping(thread: Thread): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const answered = () => {
      thread.pinging = undefined;
      resolve();
    };
    this.#send(thread, { ping: true }, answered, (reason) => {
      if (this.#idle.includes(thread)) void this.#replaceHung(thread);
      reject(reason);
    });
    // Prevents an unhandled rejection if the probe has already timed out.
    promise.catch(() => {});
    return promise;
  }

  /** Sends a message. The thread replies when it has read the message. */
  #send(thread: Thread, message: ToThread, read: () => void, onHung: (reason: ThreadHung) => void): void {
    const watch = watchForHungThread(
      () => thread.number,
      () => {
        thread.heard.delete(heard);
        if (!this.#all.has(thread)) return;
        onHung(new ThreadHung("the thread hung"));
      },
    );
    const heard = () => {
      watch[Symbol.dispose]();
      read();
    };
    thread.heard.add(heard);
    thread.worker.postMessage(message);
  }

  /** Replaces all idle threads after a failed probe. */
  async replace(): Promise<void> {
    await Promise.all([...this.#idle].map((thread) => this.#replace(thread)));
  }

  /**
   * Runs a job. Retries it if its thread was lost or crashed before the first frame.
   *
   * @returns the response's frames; the thread runs at most a few frames ahead of the reader
   * @throws the signal's reason when aborted
   */
  async *run(job: ThreadJob, signal: AbortSignal, log: Log): AsyncGenerator<Frame> {
    signal.throwIfAborted();
    let session: Session;
    try {
      session = await retryCrashOnce({ signal, log }, (until) => this.#begin(job, until, log));
    } catch (failure) {
      signal.throwIfAborted();
      yield encodeFailure(failure);
      return;
    }
    const { thread, mail, forget } = session;
    const end = () => mail.fail(signal.reason);
    signal.addEventListener("abort", end);
    let reusable = false;
    try {
      signal.throwIfAborted();
      for (let frame = session.first; frame; frame = await nextFrame(mail, log)) {
        const isLast = responseOutcome(frame) !== undefined;
        // The reader can stop after the last frame. So waits here until the thread has ended its work and can be
        // reused.
        if (isLast) reusable = await hasEnded(mail, log);
        yield frame;
        if (isLast) return;
        thread.worker.postMessage({ ack: true } satisfies ToThread);
      }
      reusable = true;
    } catch (error) {
      signal.throwIfAborted();
      yield encodeFailure(finalFailure(error));
    } finally {
      signal.removeEventListener("abort", end);
      forget();
      mail.close();
      if (signal.aborted && !reusable) countEvent("threads", "kill");
      if (reusable && thread.jobs < JOBS_PER_THREAD && !this.#closed && raise(thread)) this.#rest(thread);
      else await this.#replace(thread);
    }
  }

  /** Sends a job to a thread, and waits for its first frame. @throws EngineFailure if the thread ends before that */
  async #begin(job: ThreadJob, signal: AbortSignal, log: Log): Promise<Session> {
    for (;;) {
      const thread = this.#takeIdle(job.operation) ?? this.#start();
      try {
        return await this.#beginIn(thread, job, signal, log);
      } catch (error) {
        if (!(error instanceof ThreadHung)) throw error;
        signal.throwIfAborted();
        log("job retried", { error: String(error) });
      }
    }
  }

  /** @throws ThreadHung if the thread hung before it started the job */
  async #beginIn(thread: Thread, job: ThreadJob, signal: AbortSignal, log: Log): Promise<Session> {
    thread.jobs++;
    thread.done.set(job.operation, (thread.done.get(job.operation) ?? 0) + 1);
    const mail = new Mailbox(thread.worker);
    const end = () => mail.fail(signal.reason);
    signal.addEventListener("abort", end);
    const forget = registerWorker(() => lower(thread));
    try {
      signal.throwIfAborted();
      this.#send(thread, { job }, ignore, (reason) => mail.fail(reason));
      return { thread, mail, forget, first: await nextFrame(mail, log) };
    } catch (error) {
      forget();
      mail.close();
      if (error instanceof ThreadHung) await this.#replaceHung(thread);
      else await this.#replace(thread);
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** Number of threads. */
  get count(): number {
    return this.#all.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map(ended));
  }

  /**
   * Takes the idle thread that ran this operation most often: its code is compiled, and so several times faster.
   */
  #takeIdle(operation: string): Thread | undefined {
    // A thread with an unread message is taken last.
    const times = ({ done, heard }: Thread) => (heard.size > 0 ? -1 : (done.get(operation) ?? 0));
    const most = Math.max(...this.#idle.map(times));
    const index = this.#idle.findLastIndex((thread) => times(thread) === most);
    return index < 0 ? undefined : this.#idle.splice(index, 1)[0];
  }

  #start(): Thread {
    const { heapMiB, module = THREAD } = this.#settings;
    const worker = new Worker(module, {
      resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 },
      // No environment variables, so that a compromised engine finds no secret there.
      env: COMPILED,
    });
    const thread: Thread = {
      worker,
      jobs: 0,
      number: undefined,
      priority: "usual",
      done: new Map(),
      heard: new Set(),
      isReady: false,
    };
    worker.on("message", (message: FromThread) => {
      if ("ready" in message) thread.number = message.thread;
      if (!("alive" in message)) return;
      for (const heard of thread.heard) heard();
      thread.heard.clear();
    });
    this.#all.add(thread);
    this.#kept = Math.min(this.#settings.size, Math.max(this.#kept, this.#all.size));
    worker.once("message", () => {
      thread.isReady = true;
      this.#pauseMs = 0;
    });
    worker.on("error", (error) => this.#settings.log("thread failed", { error: String(error) }));
    worker.on("exit", () => this.#mourn(thread));
    worker.unref();
    return thread;
  }

  #rest(thread: Thread): void {
    this.#idle.push(thread);
    const { spareMs = SPARE_MS, calmMs = CALM_MS } = this.#settings;
    clearTimeout(this.#calming);
    this.#calming = setTimeout(() => this.#trim(1), calmMs).unref();
    if (this.#all.size <= this.#kept) return;
    clearTimeout(this.#trimming);
    this.#trimming = setTimeout(() => this.#trim(), spareMs).unref();
  }

  /**
   * Terminates idle threads beyond a number, first those that ran the fewest jobs, because they have the least compiled
   * code.
   */
  #trim(kept = this.#kept): void {
    this.#kept = Math.min(kept, this.#kept);
    const beyond = Math.max(0, this.#all.size - this.#kept);
    const idle = this.#idle.toSorted((one, other) => one.jobs - other.jobs);
    for (const thread of idle.slice(0, beyond)) {
      this.#replace(thread).catch((error) => this.#settings.log("thread not ended", { error: String(error) }));
    }
  }

  #replaceHung(thread: Thread): Promise<void> {
    countEvent("threads", "kill");
    this.#settings.log("thread hung", { jobs: thread.jobs });
    return this.#replace(thread);
  }

  async #replace(thread: Thread): Promise<void> {
    this.#forget(thread);
    await ended(thread);
    this.#refill();
  }

  /** Removes a thread that has exited. If it was idle, replaces it, with a delay if it had failed to start. */
  #mourn(thread: Thread): void {
    const wasIdle = this.#idle.includes(thread);
    if (this.#all.has(thread) && !this.#closed) countEvent("threads", "restart");
    this.#forget(thread);
    if (!wasIdle) return;
    if (thread.isReady) {
      this.#refill();
      return;
    }
    this.#pauseMs = Math.min(Math.max(2 * this.#pauseMs, MIN_BACKOFF_MS), MAX_BACKOFF_MS);
    setTimeout(() => this.#refill(), this.#pauseMs).unref();
  }

  #refill(): void {
    if (!this.#closed && this.#all.size < this.#kept) this.#idle.push(this.#start());
  }

  #forget(thread: Thread): void {
    this.#all.delete(thread);
    const index = this.#idle.indexOf(thread);
    if (index >= 0) this.#idle.splice(index, 1);
  }
}

const ignore = () => {};

/** Terminates a thread, and waits briefly for its exit. */
async function ended({ worker }: Thread): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, END_MS);
  await Promise.race([worker.terminate(), promise]);
  clearTimeout(timer);
}

function lower(thread: Thread): void {
  if (thread.number === undefined) return;
  lowerThread(thread.number);
  thread.priority = "low";
}

/**
 * Restores a thread's usual priority, which only root can do.
 * @returns true if the thread now has its usual priority
 */
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
