// The other end of a zygote (container/zygote): hands it jobs as JSON lines and tells each how its child ended. A job
// whose zygote or child was killed or froze fails as lost. It knows no engine.
//
// Requests: {"id","folder","input","output","timeoutMs","cpuSeconds","memoryBytes","fileBytes"} and what the engine's
// own jobs have, {"op":"cancel","id"} or {"op":"ping"}. Answers: once {"ready":true,"version","startMs"} or
// {"ready":false,"reason"}; {"id","pid"} when a child was forked; {"id","status","detail"} when it ended;
// {"alive":true}.

import { AsyncResource } from "node:async_hooks";
import { EngineFailure, type FailureReason } from "../../src/operations/operation.ts";
import { EngineLost } from "../attempts.ts";
import { watchForFrozen } from "../frozen.ts";
import { NoRoom } from "../memory.ts";
import { processWorks } from "../priority.ts";
import type { Launch, Resident } from "../resident.ts";
import { Supervisor } from "../supervisor.ts";

/** What every job says; the rest of it is between the engine's two ends. */
export interface ZygoteJob {
  /** Its own, absolute. */
  readonly folder: string;
  /** Wall clock. */
  readonly timeoutMs: number;
}

export interface ZygoteSettings {
  /** The engine's name, for the log. */
  readonly engine: string;
  /** Jobs at a time; more wait. */
  readonly children: number;
  /** @throws NotReady */
  prepare(): Promise<Launch>;
  log(message: string, details?: Record<string, unknown>): void;
}

/** A zygote does nothing that takes long: it forks in milliseconds. */
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
  /** The process that carries it out, once it was forked. */
  pid?: number;
  /** Why it was ended from here. */
  why?: EngineFailure;
  /** Tells the job which process works for it. */
  readonly workedOnBy: (pid: number) => () => void;
  /** Tells the job that this process has ended. */
  forget?: () => void;
  readonly resolve: (detail: string) => void;
  readonly reject: (failure: Error) => void;
}

/** A zygote that is kept running. */
export class Zygote {
  readonly #children: number;
  readonly #supervisor: Supervisor;
  readonly #jobs: Map<string, Pending>;
  readonly #frozen: Disposable;
  #nextId = 1;
  #working = 0;
  readonly #waiting: (() => void)[] = [];

  private constructor(children: number, supervisor: Supervisor, jobs: Map<string, Pending>) {
    this.#children = children;
    this.#supervisor = supervisor;
    this.#jobs = jobs;
    const pids = () => [...jobs.values()].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
    this.#frozen = watchForFrozen(pids, (pid) => this.#endFrozen(pid));
  }

  /** @throws NotReady */
  static async start({ children, ...settings }: ZygoteSettings): Promise<Zygote> {
    const jobs = new Map<string, Pending>();
    const supervisor = await Supervisor.start({
      ...settings,
      silenceMs: SILENCE_MS,
      ping: { op: "ping" },
      heard: (_, line) => answer(jobs, line),
      // No document is opened in the zygote itself: whatever ended it was none of its jobs, and its children end with
      // it.
      ended: (_, { code, signal, why }) => {
        const lost = new EngineLost(`the zygote ended: ${why?.detail ?? signal ?? code}`);
        for (const { forget, reject } of jobs.values()) {
          forget?.();
          reject(lost);
        }
        jobs.clear();
      },
    });
    return new Zygote(children, supervisor, jobs);
  }

  get pid(): number | undefined {
    return this.#supervisor.current?.pid;
  }

  /** For the log. */
  get about(): Record<string, unknown> {
    return { ...this.#supervisor.current?.about, pid: this.pid };
  }

  /** Whether the zygote could not be started again, so far. */
  get isFailing(): boolean {
    return this.#supervisor.isFailing;
  }

  /**
   * @returns the detail with which the child reported success
   * @throws EngineFailure by how the child ended, EngineLost where the document has no part in that
   * @throws NotReady as long as the zygote cannot be started again
   * @throws the signal's reason when aborted
   */
  async convert(job: ZygoteJob, signal: AbortSignal): Promise<string> {
    await this.#turn(signal);
    try {
      return await this.#send(await this.#supervisor.ready(signal), job, signal);
    } finally {
      this.#working--;
      this.#waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    this.#frozen[Symbol.dispose]();
    await this.#supervisor.close();
  }

  /** As many at a time as the zygote takes, so that each request it holds is being worked on, and can be watched. */
  async #turn(signal: AbortSignal): Promise<void> {
    while (this.#working >= this.#children) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      const place = this.#waiting.indexOf(resolve);
      if (place >= 0) this.#waiting.splice(place, 1);
    }
    if (signal.aborted) {
      // The turn that woke it is the next one's.
      this.#waiting.shift()?.();
      signal.throwIfAborted();
    }
    this.#working++;
  }

  async #send(zygote: Resident, job: ZygoteJob, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const id = String(this.#nextId++);
    const cancel = () => zygote.write({ op: "cancel", id });
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await new Promise<string>((resolve, reject) => {
        this.#jobs.set(id, { workedOnBy: AsyncResource.bind(processWorks), resolve, reject });
        zygote.write({ id, ...job });
      });
    } catch (failure) {
      signal.throwIfAborted();
      throw failure;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** The zygote kills it: the number may be another process's by now. */
  #endFrozen(pid: number): void {
    for (const [id, pending] of this.#jobs) {
      if (pending.pid !== pid) continue;
      pending.why ??= new EngineLost("its process was frozen");
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
  else if (pending.why) pending.reject(pending.why);
  else if (status === "room") pending.reject(new NoRoom(String(detail)));
  else if (status === "lost") pending.reject(new EngineLost(String(detail)));
  else pending.reject(new EngineFailure(REASONS[String(status)] ?? "crashed", String(detail)));
}
