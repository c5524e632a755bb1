// Runs an engine's long-lived process. The first line of the process's output reports whether it is ready. Further
// lines are JSON responses.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { EngineFailure } from "../../src/document/contract/failure.ts";
import { untilAborted } from "../../src/runtime/until-aborted.ts";
import { killGroup, Tail } from "../processes/process.ts";
import { EngineLost, isExternalSignal } from "../processes/retry.ts";
import { watchForStopped } from "../processes/stopped-processes.ts";
import type { JobFolder } from "../scratch/scratch.ts";

/** The process did not start: it is not built, belongs to another version of the engine, or failed its self-test. */
export class NotReady extends Error {
  override readonly name = "NotReady";
}

/** How to start a process. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folder that is deleted after the process has exited. */
  readonly folder: JobFolder;
}

/** Content of the first line, if the process is ready. */
export interface ReadyInfo {
  readonly version: string;
  readonly startMs: number;
}

export interface ExitInfo {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set if this service killed the process. */
  readonly reason: EngineFailure | undefined;
}

const START_TIMEOUT_MS = 60_000;
/** Time in which a process can exit after its input is closed. */
const LAST_WORDS_MS = 1_000;
/** Maximum wait for output after the exit. Output arrives later only if a child process has inherited the pipes. */
const LAST_OUTPUT_MS = 1_000;

type Line = Record<string, unknown>;

export class ResidentProcess {
  readonly folder: JobFolder;
  /** Resolves when the process has exited and all its output has been read. */
  readonly ended: Promise<ExitInfo>;
  /** Called with each line after the first. */
  onLine: (line: Line) => void = () => {};
  readonly #child: ChildProcess;
  readonly #stderr = new Tail(4096);
  #about: ReadyInfo | undefined;
  #reason: EngineFailure | undefined;

  private constructor({ program, args, cwd, env, folder }: Launch, firstLine: (line: Line) => void) {
    this.folder = folder;
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    child.stderr.on("data", (chunk: Buffer) => this.#stderr.add(chunk));
    // Errors of the streams are ignored, because "close" reports the end of the process.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    let isFirst = true;
    const lines = createInterface({ input: child.stdout }).on("error", () => {});
    lines.on("line", (text) => {
      if (isFirst) firstLine(parseLine(text));
      else this.onLine(parseLine(text));
      isFirst = false;
    });
    this.ended = endOf(child).then((end) => ({ ...end, reason: this.#reason }));
  }

  /**
   * Starts a process and waits for its first line.
   * @throws NotReady
   * @throws EngineLost if the process was killed or stopped during its start
   * @throws the signal's reason when aborted
   */
  static async start(launch: Launch, signal: AbortSignal): Promise<ResidentProcess> {
    const { promise: firstLine, resolve } = Promise.withResolvers<Line>();
    const resident = new ResidentProcess(launch, resolve);
    try {
      resident.#about = await resident.#handshake(firstLine, signal);
      return resident;
    } catch (error) {
      await resident.close();
      throw error;
    }
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get about(): ReadyInfo | undefined {
    return this.#about;
  }

  write(request: object): void {
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
  }

  /** Kills the process. @param reason for the kill. After a second call, the first reason stays */
  end(reason: EngineFailure): void {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    this.#reason ??= reason;
    killGroup(this.#child);
  }

  /** Stops the process by closing its input, and kills it after a timeout. Deletes its folder. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    const timer = setTimeout(() => killGroup(this.#child), LAST_WORDS_MS);
    await Promise.race([this.ended, passed(2 * LAST_WORDS_MS)]);
    clearTimeout(timer);
    // Deleting the parent folder deletes the remaining files.
    await Promise.resolve(this.folder[Symbol.asyncDispose]()).catch(() => {});
  }

  async #handshake(firstLine: Promise<Line>, signal: AbortSignal): Promise<ReadyInfo> {
    const onStopped = () => this.end(new EngineLost("it was stopped during its start"));
    using _ = watchForStopped(() => (this.pid === undefined ? [] : [this.pid]), onStopped);
    const deadline = new AbortController();
    const expire = () => deadline.abort(new NotReady(`no word within ${START_TIMEOUT_MS} ms`));
    const timer = setTimeout(expire, START_TIMEOUT_MS);
    try {
      const first = Promise.race([firstLine, this.ended.then((ending) => this.#whyNotReady(ending))]);
      const line = await untilAborted(first, AbortSignal.any([signal, deadline.signal]));
      if (line instanceof Error) throw line;
      const { ready, reason, version, startMs } = line;
      if (ready !== true) throw new NotReady(`${String(reason)} ${this.#stderr.text()}`.trim());
      return { version: String(version), startMs: Number(startMs) };
    } finally {
      clearTimeout(timer);
    }
  }

  #whyNotReady({ code, signal, reason }: ExitInfo): Error {
    const detail = `ended by ${signal ?? code} as it started ${this.#stderr.text()}`.trim();
    return reason ?? (isExternalSignal(signal) ? new EngineLost(detail) : new NotReady(detail));
  }
}

/** Parses a line. Returns an empty object if the line is not a JSON object. */
export function parseLine(line: string): Line {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function endOf(child: ChildProcess): Promise<Pick<ExitInfo, "code" | "signal">> {
  return new Promise((resolve) => {
    child.on("error", () => {
      if (child.pid === undefined) resolve({ code: -1, signal: null });
    });
    child.once("exit", (code, signal) => setTimeout(() => resolve({ code, signal }), LAST_OUTPUT_MS).unref());
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
}

const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());
