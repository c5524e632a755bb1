// Tells whether a PDF conforms to a level of PDF/A: veraPDF in processes that stay, one file at a time in each. It knows nothing of
// how files are made to conform.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { EngineFailure } from "../../src/operations/operation.ts";
import type { ArchivalLevel } from "../../src/pdf/archival/level.ts";
import type { RuleFailure } from "../../src/pdf/archival/rule-failure.ts";
import type { Scratch } from "../process.ts";
import { untilAborted } from "../until-aborted.ts";
import { VeraPdfProcess } from "./verapdf-process.ts";

export interface Validation {
  readonly valid: boolean;
  /** One for each rule that is broken. */
  readonly failures: readonly RuleFailure[];
}

export interface VeraPdfSettings {
  readonly scratch: Scratch;
  /** How many files at a time; more wait. @default 1 */
  readonly processes?: number;
  /** Of one file. @default 120 s */
  readonly timeoutMs?: number;
  /** Of each process's heap. @default 512 MiB */
  readonly heapBytes?: number;
  /** Files after which a process is replaced. @default 2000 */
  readonly filesPerProcess?: number;
  /** The folder with what was built. @default container/dist */
  readonly dist?: string;
  log(message: string, details?: Record<string, unknown>): void;
}

const defaultDist = join(import.meta.dirname, "../dist");

/** veraPDF, running. Get one from {@link startVeraPdf}. */
export class VeraPdf implements AsyncDisposable {
  readonly mode = "resident";
  private readonly processes: readonly VeraPdfProcess[];
  private readonly idle: VeraPdfProcess[];
  private readonly waiting: ((free: VeraPdfProcess) => void)[] = [];
  constructor(processes: readonly VeraPdfProcess[]) {
    this.processes = processes;
    this.idle = [...processes];
  }

  /** Of the processes that run. */
  get pids(): number[] {
    return this.processes.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  /**
   * A file whose process died is tried once more in another.
   *
   * @param path of the file; it is only read
   * @throws EngineFailure password-protected, damaged (veraPDF cannot parse it), too-complex, too-large (memory), timed-out,
   *   crashed, busy (veraPDF cannot be started)
   * @throws the signal's reason when aborted
   */
  async validate(path: string, level: ArchivalLevel, signal: AbortSignal): Promise<Validation> {
    try {
      return await this.attempt(path, level, signal);
    } catch (failure) {
      signal.throwIfAborted();
      if (!(failure instanceof EngineFailure) || failure.reason !== "crashed") throw failure;
      return this.attempt(path, level, signal);
    }
  }

  private async attempt(path: string, level: ArchivalLevel, signal: AbortSignal): Promise<Validation> {
    const process = await this.turn(signal);
    // A file that nobody waits for any more is still validated for a while: to end the process would cost more.
    const validation = process.validate(path, level, signal).finally(() => this.leave(process));
    return untilAborted(validation, signal);
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private async turn(signal: AbortSignal): Promise<VeraPdfProcess> {
    signal.throwIfAborted();
    const free = this.idle.pop();
    if (free) return free;
    const { promise, resolve } = Promise.withResolvers<VeraPdfProcess>();
    this.waiting.push(resolve);
    try {
      return await untilAborted(promise, signal);
    } catch (error) {
      const place = this.waiting.indexOf(resolve);
      if (place >= 0) this.waiting.splice(place, 1);
      // It was this one's turn already.
      else void promise.then((process) => this.leave(process));
      throw error;
    }
  }

  private leave(process: VeraPdfProcess): void {
    const next = this.waiting.shift();
    if (next) next(process);
    else this.idle.push(process);
  }
}

/**
 * Starts veraPDF and lets it test itself with a file that conforms. What ends later is started again.
 * @throws EngineFailure `busy` where it is not built or fails its self-test
 */
export async function startVeraPdf(settings: VeraPdfSettings): Promise<VeraPdf> {
  const { processes = 1, dist = defaultDist, log } = settings;
  const program = join(dist, "verapdf");
  if (!existsSync(join(program, "pagewright-server.jar"))) throw new EngineFailure("busy", `${program} is not built`);
  const common = {
    ...settings,
    program,
    timeoutMs: settings.timeoutMs ?? 120_000,
    heapBytes: settings.heapBytes ?? 2 ** 29,
    filesPerProcess: settings.filesPerProcess ?? 2000,
  };
  const started = await Promise.allSettled(
    Array.from({ length: processes }, (_, slot) => VeraPdfProcess.start({ ...common, slot })),
  );
  const failed = started.find((result) => result.status === "rejected");
  const running = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (failed) {
    await Promise.all(running.map((process) => process.close()));
    throw failed.reason;
  }
  log("veraPDF: warm, one process for each file at a time", { processes, ...running[0]!.about });
  return new VeraPdf(running);
}
