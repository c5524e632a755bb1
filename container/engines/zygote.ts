// The other end of a zygote (container/zygote): keeps the process running, hands it jobs as JSON lines, restarts it when it
// dies. A job that the zygote lost fails as crashed; the next one finds a new zygote. It knows no engine.
//
// Requests: {"id","folder","input","output","timeoutMs","cpuSeconds","memoryBytes","fileBytes"} and what the engine's own jobs
// have, or {"op":"cancel","id"}. Answers: once {"ready":true,"version","startMs"} or {"ready":false,"reason"}; {"id","pid"} when
// a child was forked; {"id","status","detail"} when it ended.

import { AsyncResource } from "node:async_hooks";
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineFailure, type FailureReason } from "../../src/operations/operation.ts";
import { NoRoom } from "../memory.ts";
import { processWorks } from "../priority.ts";
import { type JobFolder, Tail } from "../process.ts";
import { type About, end, handshake, parseLine } from "../resident.ts";

/** The zygote did not come up: not built, another version of the engine, a failed self-test. */
export class NotReady extends Error {
  override readonly name = "NotReady";
}

/** What every job says; the rest of it is between the engine's two ends. */
export interface ZygoteJob {
  /** Its own, absolute. */
  readonly folder: string;
  /** Wall clock. */
  readonly timeoutMs: number;
}

/** How a zygote is started. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Goes with the process. */
  readonly folder: JobFolder;
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

/** A zygote forks in milliseconds: one that has not by then is stopped or stuck. */
const forkTimeoutMs = 5_000;
/** What a killed child may take until its end is told. */
const graceMs = 5_000;
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** A zygote that lived this long died of something new. */
const soundAfterMs = 60_000;

const reasons: Readonly<Record<string, FailureReason>> = {
  password: "password-protected",
  damaged: "damaged",
  unsupported: "unsupported",
  failed: "crashed",
  exhausted: "too-large",
  timeout: "timed-out",
  crashed: "crashed",
};

interface Pending {
  readonly job: ZygoteJob;
  watch: NodeJS.Timeout;
  /** Tells the job which process works for it. */
  readonly workedOnBy: (pid: number) => () => void;
  /** Of that process: it has ended. */
  forget?: () => void;
  readonly resolve: () => void;
  readonly reject: (failure: Error) => void;
}

/** A zygote process that has said it is ready. */
interface Living {
  readonly process: ChildProcess;
  readonly folder: JobFolder;
  readonly jobs: Map<string, Pending>;
  readonly since: number;
  readonly about: About;
}

/** A zygote that is kept running. */
export class Zygote {
  private readonly settings: ZygoteSettings;
  private living: Promise<Living>;
  private current: Living | undefined;
  private pauseMs = firstPauseMs;
  private closed = false;
  private nextId = 1;
  private working = 0;
  private readonly waiting: (() => void)[] = [];

  private constructor(settings: ZygoteSettings, living: Living) {
    this.settings = settings;
    this.living = this.adopt(living);
  }

  /** @throws NotReady */
  static async start(settings: ZygoteSettings): Promise<Zygote> {
    return new Zygote(settings, await launch(settings));
  }

  get pid(): number | undefined {
    return this.current?.process.pid;
  }

  /** For the log. */
  get about(): Record<string, unknown> {
    return { ...this.current?.about, pid: this.pid };
  }

  /** @throws EngineFailure by how the child ended; the signal's reason when aborted @throws NotReady */
  async convert(job: ZygoteJob, signal: AbortSignal | undefined): Promise<void> {
    await this.turn(signal);
    try {
      const living = await this.living;
      signal?.throwIfAborted();
      if (this.closed) throw new EngineFailure("busy", "closing");
      await this.send(living, job, signal);
    } finally {
      this.working--;
      this.waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    const living = await this.living.catch(() => undefined);
    if (living === undefined) return;
    await end(living.process);
    await living.folder[Symbol.asyncDispose]();
  }

  /** As many at a time as the zygote takes, so that each request it holds is being worked on, and can be watched. */
  private async turn(signal: AbortSignal | undefined): Promise<void> {
    while (this.working >= this.settings.children) {
      signal?.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.waiting.push(resolve);
      signal?.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      const place = this.waiting.indexOf(resolve);
      if (place >= 0) this.waiting.splice(place, 1);
    }
    if (signal?.aborted) {
      // The turn that woke it is the next one's.
      this.waiting.shift()?.();
      signal.throwIfAborted();
    }
    this.working++;
  }

  private async send(living: Living, job: ZygoteJob, signal: AbortSignal | undefined): Promise<void> {
    const id = String(this.nextId++);
    const cancel = () => write(living, { op: "cancel", id });
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        const watch = setTimeout(() => living.process.kill("SIGKILL"), forkTimeoutMs);
        living.jobs.set(id, { job, watch, workedOnBy: AsyncResource.bind(processWorks), resolve, reject });
        write(living, { id, ...job });
      });
    } catch (failure) {
      signal?.throwIfAborted();
      throw failure;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  private async adopt(living: Living): Promise<Living> {
    this.current = living;
    createInterface({ input: living.process.stdout! }).on("line", (line) => answer(living, line));
    living.process.once("close", (code, signal) => this.bury(living, String(signal ?? code)));
    return living;
  }

  private bury(living: Living, how: string): void {
    this.current = undefined;
    for (const pending of living.jobs.values()) {
      clearTimeout(pending.watch);
      pending.reject(new EngineFailure("crashed", `the zygote ended: ${how}`));
    }
    living.jobs.clear();
    if (this.closed) return;
    if (Date.now() - living.since > soundAfterMs) this.pauseMs = firstPauseMs;
    this.settings.log(`${this.settings.engine}: the zygote ended and is started again`, { how, pauseMs: this.pauseMs });
    this.living = this.restart(living.folder);
    // Whoever asks next is told; that nobody asks is no unhandled rejection.
    this.living.catch(() => {});
  }

  private async restart(left: JobFolder): Promise<Living> {
    await left[Symbol.asyncDispose]();
    await sleep(this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, longestPauseMs);
    if (this.closed) throw new NotReady("closed");
    return this.adopt(await launch(this.settings));
  }
}

/** @throws NotReady */
async function launch({ prepare }: ZygoteSettings): Promise<Living> {
  const { program, args, cwd, env, folder } = await prepare();
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  const stderr = new Tail(4096);
  child.stderr.on("data", (chunk: Buffer) => stderr.add(chunk));
  // Writing to one that has just died; its end is told by "close".
  child.stdin.on("error", () => {});
  try {
    const about = await handshake(child);
    return { process: child, folder, jobs: new Map(), since: Date.now(), about };
  } catch (error) {
    await end(child);
    await folder[Symbol.asyncDispose]();
    throw new NotReady(`${(error as Error).message} ${stderr.text()}`.trim(), { cause: error });
  }
}

function answer(living: Living, line: string): void {
  const { id, pid, status, detail } = parseLine(line);
  const pending = living.jobs.get(String(id));
  if (pending === undefined) return;
  clearTimeout(pending.watch);
  if (pid !== undefined) {
    pending.forget = pending.workedOnBy(Number(pid));
    // The zygote ends a late child itself; it is ended if it does not.
    pending.watch = setTimeout(() => living.process.kill("SIGKILL"), pending.job.timeoutMs + graceMs);
    return;
  }
  living.jobs.delete(String(id));
  pending.forget?.();
  if (status === "ok") pending.resolve();
  else if (status === "room") pending.reject(new NoRoom(String(detail)));
  else pending.reject(new EngineFailure(reasons[String(status)] ?? "crashed", String(detail)));
}

function write(living: Living, request: object): void {
  living.process.stdin?.write(`${JSON.stringify(request)}\n`);
}
