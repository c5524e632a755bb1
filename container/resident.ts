// An engine's process that stays: it says in its first line whether it is ready, and then answers in lines of JSON.
// Knows no engine and no protocol beyond that.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { EngineFailure } from "../src/operations/operation.ts";
import { EngineLost, isFromOutside } from "./attempts.ts";
import { watchForFrozen } from "./frozen.ts";
import { type JobFolder, killGroup, Tail } from "./process.ts";
import { untilAborted } from "./until-aborted.ts";

/** The process did not come up: not built, another version of the engine, a failed self-test. */
export class NotReady extends Error {
  override readonly name = "NotReady";
}

/** How a process is started. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Goes with the process. */
  readonly folder: JobFolder;
}

/** What the first line of a process that is ready says of it. */
export interface About {
  readonly version: string;
  readonly startMs: number;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it was ended from here. */
  readonly why: EngineFailure | undefined;
}

const START_TIMEOUT_MS = 60_000;
/** A process that was asked to end has this long to do so by itself. */
const LAST_WORDS_MS = 1_000;
/** Output of a process that has ended arrives at once, unless something that it started holds the pipes. */
const LAST_OUTPUT_MS = 1_000;

type Line = Record<string, unknown>;

export class Resident {
  readonly folder: JobFolder;
  /** Resolves when it has ended and all that it wrote has been heard. */
  readonly ended: Promise<Ending>;
  /** Told of each line after the first. */
  heard: (line: Line) => void = () => {};
  readonly #child: ChildProcess;
  readonly #stderr = new Tail(4096);
  #about: About | undefined;
  #why: EngineFailure | undefined;

  private constructor({ program, args, cwd, env, folder }: Launch, firstLine: (line: Line) => void) {
    this.folder = folder;
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    child.stderr.on("data", (chunk: Buffer) => this.#stderr.add(chunk));
    // Its end is told by "close", whatever is written to it or read from it meanwhile.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    let isFirst = true;
    const lines = createInterface({ input: child.stdout }).on("error", () => {});
    lines.on("line", (text) => {
      if (isFirst) firstLine(parseLine(text));
      else this.heard(parseLine(text));
      isFirst = false;
    });
    this.ended = endOf(child).then((end) => ({ ...end, why: this.#why }));
  }

  /** @throws NotReady; EngineLost where it was killed or frozen meanwhile; the signal's reason when aborted */
  static async start(launch: Launch, signal: AbortSignal): Promise<Resident> {
    const { promise: firstLine, resolve } = Promise.withResolvers<Line>();
    const resident = new Resident(launch, resolve);
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

  get about(): About | undefined {
    return this.#about;
  }

  write(request: object): void {
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
  }

  /** Kills it. @param why the first one counts */
  end(why: EngineFailure): void {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    this.#why ??= why;
    killGroup(this.#child);
  }

  /** Lets it end by itself, as it does when its requests end, kills it if it does not, and removes its folder. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    const timer = setTimeout(() => killGroup(this.#child), LAST_WORDS_MS);
    await Promise.race([this.ended, passed(2 * LAST_WORDS_MS)]);
    clearTimeout(timer);
    // Whatever cannot be removed now goes with the folder of all folders.
    await Promise.resolve(this.folder[Symbol.asyncDispose]()).catch(() => {});
  }

  async #handshake(firstLine: Promise<Line>, signal: AbortSignal): Promise<About> {
    const frozen = () => this.end(new EngineLost("it was frozen as it started"));
    using _ = watchForFrozen(() => (this.pid === undefined ? [] : [this.pid]), frozen);
    const late = new AbortController();
    const expire = () => late.abort(new NotReady(`no word within ${START_TIMEOUT_MS} ms`));
    const timer = setTimeout(expire, START_TIMEOUT_MS);
    try {
      const first = Promise.race([firstLine, this.ended.then((ending) => this.#whyNotReady(ending))]);
      const line = await untilAborted(first, AbortSignal.any([signal, late.signal]));
      if (line instanceof Error) throw line;
      const { ready, reason, version, startMs } = line;
      if (ready !== true) throw new NotReady(`${String(reason)} ${this.#stderr.text()}`.trim());
      return { version: String(version), startMs: Number(startMs) };
    } finally {
      clearTimeout(timer);
    }
  }

  #whyNotReady({ code, signal, why }: Ending): Error {
    const detail = `ended by ${signal ?? code} as it started ${this.#stderr.text()}`.trim();
    return why ?? (isFromOutside(signal) ? new EngineLost(detail) : new NotReady(detail));
  }
}

/** A line that is no JSON object says nothing. */
export function parseLine(line: string): Line {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function endOf(child: ChildProcess): Promise<Pick<Ending, "code" | "signal">> {
  return new Promise((resolve) => {
    child.on("error", () => {
      if (child.pid === undefined) resolve({ code: -1, signal: null });
    });
    child.once("exit", (code, signal) => setTimeout(() => resolve({ code, signal }), LAST_OUTPUT_MS).unref());
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
}

const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());
