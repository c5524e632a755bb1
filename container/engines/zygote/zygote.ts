// Runs jobs in a zygote (container/engines/zygote). Sends each job as a JSON line, and reports the outcome of its
// child. If the zygote or child was killed or hung, the job fails as lost.
//
// Requests: {"id","folder","input","output","timeoutMs","cpuSeconds","memoryBytes","fileBytes"} and fields that the
// engine defines; {"op":"cancel","id"}; {"op":"ping"}. Responses: at the start {"ready":true,"version","startMs"} or
// {"ready":false,"reason"}; {"id","pid"} when a child was forked; {"id","status","detail"} when it has ended;
// {"alive":true}.

import { AsyncResource } from "node:async_hooks";
import { EngineFailure, type FailureReason, OutOfRange } from "../../../src/document/contract/failure.ts";
import { PermitQueue } from "../../../src/runtime/permit-queue.ts";
import { registerProcess } from "../../processes/priority.ts";
import { EngineLost } from "../../processes/retry.ts";
import { watchForStopped } from "../../processes/stopped-processes.ts";
import { ScratchFull } from "../../scratch/memory-scratch.ts";
import { countEvent } from "../../supervision/engine-events.ts";
import type { Launch, ResidentProcess } from "../../supervision/resident.ts";
import { Supervisor } from "../../supervision/supervisor.ts";

/** Fields of every job. Each engine adds fields that only its own code uses. */
export interface ZygoteJob {
  /** The job's own folder, as an absolute path. */
  readonly folder: string;
  /** Wall-clock limit. */
  readonly timeoutMs: number;
}

export interface ZygoteSettings {
  /** The engine's name, for the log. */
  readonly engine: string;
  /** Maximum number of concurrent jobs; further ones wait. */
  readonly children: number;
  /** @throws NotReady */
  prepare(): Promise<Launch>;
  /** Called each time the zygote has started, with details for the log. */
  warm(details: Record<string, unknown>): void;
  log(message: string, details?: Record<string, unknown>): void;
}

/** Maximum time without output. A zygote never blocks longer, because a fork takes milliseconds. */
const SILENCE_MS = 6_000;

const REASONS: Readonly<Record<string, FailureReason>> = {
  password: "password-protected",
  damaged: "damaged",
  unsupported: "unsupported",
  failed: "crashed",
  exhausted: "too-large",
  timeout: "timed-out",
  crashed: "crashed",
};

interface Pending {
  /** ID of the child that runs the job. Set after the fork. */
  pid?: number;
  /** Set if this service killed the process. */
  reason?: EngineFailure;
  /**
   * Registers a process as part of the job, so that its priority can be lowered. Returns the function that unregisters
   * it.
   */
  readonly workedOnBy: (pid: number) => () => void;
  /** Unregisters the job's process after its exit. */
  forget?: () => void;
  readonly resolve: (detail: string) => void;
  readonly reject: (failure: Error) => void;
}

/** A zygote that is restarted whenever it exits. */
export class Zygote {
  readonly #engine: string;
  readonly #supervisor: Supervisor;
  readonly #jobs = new Map<string, Pending>();
  readonly #stoppedWatch: Disposable;
  /** Limits jobs to the zygote's concurrency, so that no job waits inside the zygote, where it cannot be monitored. */
  readonly #turns: PermitQueue;
  #nextId = 1;

  /** Starts the zygote in the background. Retries as long as the start fails. */
  constructor({ children, warm, ...settings }: ZygoteSettings) {
    const jobs = this.#jobs;
    this.#engine = settings.engine;
    this.#turns = new PermitQueue({ concurrency: children });
    this.#supervisor = new Supervisor({
      ...settings,
      heartbeatTimeoutMs: SILENCE_MS,
      ping: { op: "ping" },
      started: ({ about, pid }) => warm({ ...about, pid }),
      heard: (_, line) => answer(jobs, line),
      // No job caused the zygote's exit, because it opens no document itself. Its children die with it.
      onExit: (_, { code, signal, reason }) => {
        const lost = new EngineLost(`the zygote ended: ${reason?.detail ?? signal ?? code}`);
        for (const { forget, reject } of jobs.values()) {
          forget?.();
          reject(lost);
        }
        jobs.clear();
      },
    });
    const pids = () => [...jobs.values()].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
    this.#stoppedWatch = watchForStopped(pids, (pid) => this.#killStopped(pid));
  }

  get pid(): number | undefined {
    return this.#supervisor.current?.pid;
  }

  /** True if the last attempt to start the zygote failed. */
  get isFailing(): boolean {
    return this.#supervisor.isFailing;
  }

  /** Waits for the first start. @throws NotReady if it fails; the start is retried in the background */
  async started(): Promise<void> {
    await this.#supervisor.ready(new AbortController().signal);
  }

  /**
   * Runs a job in a child.
   * @returns the detail with which the child reported success
   * @throws EngineFailure for the way the child ended; EngineLost if the document is not the cause
   * @throws NotReady while the zygote cannot be started
   * @throws the signal's reason when aborted
   */
  async convert(job: ZygoteJob, signal: AbortSignal): Promise<string> {
    using _ = await this.#turns.acquire({}, signal);
    return await this.#send(await this.#supervisor.ready(signal), job, signal);
  }

  /**
   * Runs a small job without queueing. The zygote reserves a child for such jobs.
   * @throws the same errors as {@link convert}
   */
  async prove(job: ZygoteJob, signal: AbortSignal): Promise<void> {
    const { current } = this.#supervisor;
    if (!current) throw new EngineLost("the zygote is not running");
    await this.#send(current, job, signal);
  }

  /** Kills the zygote and its jobs. Another zygote then starts. */
  replace(reason: string): void {
    const { current } = this.#supervisor;
    if (current) this.#supervisor.retire(current, new EngineLost(reason));
  }

  async close(): Promise<void> {
    this.#stoppedWatch[Symbol.dispose]();
    await this.#supervisor.close();
  }

  async #send(zygote: ResidentProcess, job: ZygoteJob, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const id = String(this.#nextId++);
    const cancel = () => zygote.write({ op: "cancel", id });
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await new Promise<string>((resolve, reject) => {
        this.#jobs.set(id, { workedOnBy: AsyncResource.bind(registerProcess), resolve, reject });
        zygote.write({ id, ...job });
      });
    } catch (failure) {
      signal.throwIfAborted();
      throw failure;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Kills a hung child through the zygote, because the process ID might already belong to another process. */
  #killStopped(pid: number): void {
    for (const [id, pending] of this.#jobs) {
      if (pending.pid !== pid) continue;
      if (!pending.reason) countEvent(this.#engine, "kill");
      pending.reason ??= new EngineLost("its process was stopped");
      this.#supervisor.current?.write({ op: "cancel", id });
    }
  }
}

function answer(jobs: Map<string, Pending>, { id, pid, status, detail }: Record<string, unknown>): void {
  const pending = jobs.get(String(id));
  if (pending === undefined) return;
  if (pid !== undefined) {
    pending.pid = Number(pid);
    pending.forget = pending.workedOnBy(pending.pid);
    return;
  }
  jobs.delete(String(id));
  pending.forget?.();
  if (status === "ok") pending.resolve(String(detail ?? ""));
  else if (pending.reason) pending.reject(pending.reason);
  else if (status === "room") pending.reject(new ScratchFull(String(detail)));
  else if (status === "lost") pending.reject(new EngineLost(String(detail)));
  else if (status === "no-sheet")
    pending.reject(new OutOfRange("sheets", String(detail), "The document has no such sheet."));
  else if (status === "too-long") pending.reject(tooLong(String(detail)));
  else pending.reject(new EngineFailure(REASONS[String(status)] ?? "crashed", String(detail)));
}

/** @param detail the document's number of pages, and how many pages the job's time allows */
function tooLong(detail: string): EngineFailure {
  const [pages, possible] = detail.split(" ").map((number) => Number(number).toLocaleString("en"));
  const why = `The document has ${pages} pages on paper; about ${possible} such pages can be made.`;
  return new EngineFailure("too-complex", why, { why });
}
