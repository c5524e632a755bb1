// Runs jobs in a zygote (container/engines/zygote): sends them as JSON lines, and reports the outcome of each job's
// child. A job whose zygote or child was killed or hung fails as lost.
//
// Requests: {"id","folder","input","output","timeoutMs","cpuSeconds","memoryBytes","fileBytes"} and the fields of
// the engine's own jobs, {"op":"cancel","id"} or {"op":"ping"}. Answers: once {"ready":true,"version","startMs"} or
// {"ready":false,"reason"}; {"id","pid"} when a child was forked; {"id","status","detail"} when it ended;
// {"alive":true}.

import { AsyncResource } from "node:async_hooks";
import { EngineFailure, type FailureReason } from "../../../src/document/contract/failure.ts";
import { PermitQueue } from "../../../src/runtime/permit-queue.ts";
import { registerProcess } from "../../processes/priority.ts";
import { EngineLost } from "../../processes/retry.ts";
import { watchForStopped } from "../../processes/stopped-processes.ts";
import { ScratchFull } from "../../scratch/memory-scratch.ts";
import { countEvent } from "../../supervision/engine-events.ts";
import type { Launch, ResidentProcess } from "../../supervision/resident.ts";
import { Supervisor } from "../../supervision/supervisor.ts";

/** Fields of every job. Only the engine's own code uses further fields. */
export interface ZygoteJob {
  /** The job's own folder, as an absolute path. */
  readonly folder: string;
  /** Wall-clock limit. */
  readonly timeoutMs: number;
}

export interface ZygoteSettings {
  /** The engine's name, for the log. */
  readonly engine: string;
  /** Maximum number of jobs at a time; more wait. */
  readonly children: number;
  /** @throws NotReady */
  prepare(): Promise<Launch>;
  /** Called with details for the log whenever the zygote has started. */
  warm(details: Record<string, unknown>): void;
  log(message: string, details?: Record<string, unknown>): void;
}

/** Maximum time without output. A zygote never blocks for long: it forks in milliseconds. */
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
  /** Process that runs the job, once it was forked. */
  pid?: number;
  /** Reason, if this service killed the process. */
  reason?: EngineFailure;
  /** Registers the process with its job, for priorities. Returns the unregister function. */
  readonly workedOnBy: (pid: number) => () => void;
  /** Unregisters the process once it has exited. */
  forget?: () => void;
  readonly resolve: (detail: string) => void;
  readonly reject: (failure: Error) => void;
}

/** A zygote that is kept running. */
export class Zygote {
  readonly #engine: string;
  readonly #supervisor: Supervisor;
  readonly #jobs = new Map<string, Pending>();
  readonly #stoppedWatch: Disposable;
  /** Limits jobs to the zygote's concurrency, so that every job it has received is running and can be monitored. */
  readonly #turns: PermitQueue;
  #nextId = 1;

  /** Starts the zygote in the background, and retries for as long as that fails. */
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
      // The zygote itself opens no document, so no job caused its exit. Its children die with it.
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

  /** True while the last attempt to start the zygote has failed. */
  get isFailing(): boolean {
    return this.#supervisor.isFailing;
  }

  /** Waits for the first start. @throws NotReady if the start fails; it is retried in the background */
  async started(): Promise<void> {
    await this.#supervisor.ready(new AbortController().signal);
  }

  /**
   * Runs a job in a child.
   * @returns the detail with which the child reported success
   * @throws EngineFailure by how the child ended; EngineLost if the document did not cause that
   * @throws NotReady while the zygote cannot be started
   * @throws the signal's reason when aborted
   */
  async convert(job: ZygoteJob, signal: AbortSignal): Promise<string> {
    using _ = await this.#turns.acquire({}, signal);
    return await this.#send(await this.#supervisor.ready(signal), job, signal);
  }

  /**
   * Runs a small job immediately, without queueing behind other jobs. The zygote reserves a child for it.
   * @throws the same errors as {@link convert}
   */
  async prove(job: ZygoteJob, signal: AbortSignal): Promise<void> {
    const { current } = this.#supervisor;
    if (!current) throw new EngineLost("the zygote is not running");
    await this.#send(current, job, signal);
  }

  /** Kills the zygote and its jobs. Another zygote is started. */
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

  /** Makes the zygote kill a hung child, because the pid might already belong to another process. */
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
  else if (status === "too-long") pending.reject(tooLong(String(detail)));
  else pending.reject(new EngineFailure(REASONS[String(status)] ?? "crashed", String(detail)));
}

/** @param detail the number of pages, and how many of them the job has time for */
function tooLong(detail: string): EngineFailure {
  const [pages, possible] = detail.split(" ").map((number) => Number(number).toLocaleString("en"));
  const why = `The document has ${pages} pages on paper; about ${possible} such pages can be made.`;
  return new EngineFailure("too-complex", why, { why });
}
