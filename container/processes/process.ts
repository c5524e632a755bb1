// Runs a native program once, with an argument array, limits and bounded output. At the end, kills its whole process
// group.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { fontVariables } from "../fonts/deployed-fonts.ts";
import { MADE_FONTS, OFFICE_RULES } from "../fonts/system-fonts.ts";
import { ScratchFull } from "../scratch/memory-scratch.ts";
import { registerProcess } from "./priority.ts";
import { EngineLost, isExternalSignal } from "./retry.ts";
import { watchForStopped } from "./stopped-processes.ts";

export interface ProcessLimits {
  /** Wall-clock limit. */
  readonly timeoutMs: number;
  /** CPU time limit of each process. @default the wall-clock limit, in whole seconds */
  readonly cpuSeconds?: number;
  /**
   * Address space limit of each process. @default no limit, which is only for programs that reserve far more memory
   * than they use
   */
  readonly memoryBytes?: number;
  /** Maximum size of a file that the program writes. @default 2 GiB */
  readonly fileBytes?: number;
  /** @default 256 */
  readonly openFiles?: number;
}

/** Returns a CPU time limit in seconds: `cpuMs`, or the wall-clock limit if that is shorter. */
export const cpuSecondsWithin = (timeoutMs: number, cpuMs: number): number =>
  Math.ceil(Math.min(timeoutMs, cpuMs) / 1000);

export interface RunOptions {
  /** Working folder, usually a job's folder in scratch/scratch.ts. */
  readonly cwd: string;
  readonly limits: ProcessLimits;
  readonly signal?: AbortSignal;
  /** Variables to add to the minimal environment. TMPDIR and HOME are the working folder unless this sets them. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /** Maximum number of bytes of standard output to return. @default 1 MiB */
  readonly outputBytes?: number;
  /** Allows sockets other than AF_UNIX. @default false */
  readonly network?: boolean;
  /** Paths that the program can access. @default all paths that its user can access */
  readonly files?: FileAccess;
  /**
   * User and group to run as, if this process is root. The caller must make this user the owner of the folder. @default
   * no change
   */
  readonly user?: number;
}

/** Paths that a program can access, including everything below them. All other paths are inaccessible. */
export interface FileAccess {
  /** Paths for reading. Programs can be found and started only here. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Paths where the program can create AF_UNIX sockets, and nothing else. */
  readonly socketPaths?: readonly string[];
}

export interface ExitResult {
  /** Exit code. Its meaning depends on the engine. */
  readonly code: number;
  readonly stdout: Buffer;
  /** The last 16 KiB of standard error. */
  readonly stderr: string;
}

const STDERR_BYTES = 16 * 1024;
/**
 * Maximum wait for output after the exit. Output arrives later only if a process outside the group has inherited the
 * pipes.
 */
const LAST_OUTPUT_MS = 500;
const CONFINE = join(import.meta.dirname, "confine.pl");

/**
 * Runs a program to its end.
 *
 * @throws EngineFailure `timed-out` (wall clock or CPU time), `too-large` (file size), `crashed` (any other
 *   signal)
 * @throws EngineLost if the program was killed or stopped from outside, or could not be started
 * @throws the signal's reason when aborted
 */
export async function run(program: string, args: readonly string[], options: RunOptions): Promise<ExitResult> {
  options.signal?.throwIfAborted();
  const [launcher, ...launch] = confinedCommand(program, args, options);
  const child = spawn(launcher, launch, {
    cwd: options.cwd,
    env: { ...minimalEnvironment(options.cwd), ...options.env },
    // Starts a session, and so a process group, so that all processes can be killed together.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = new BoundedOutput(options.outputBytes ?? 1024 * 1024);
  const errors = new Tail(STDERR_BYTES);
  child.stdout.on("data", (chunk: Buffer) => output.add(chunk));
  child.stderr.on("data", (chunk: Buffer) => errors.add(chunk));
  // Ignored, because a program need not read its standard input.
  child.stdin.on("error", () => {});
  child.stdin.end(options.stdin);
  if (child.pid !== undefined) sacrificeFirst(child.pid);
  const forget = child.pid === undefined ? undefined : registerProcess(child.pid);

  let reason: EngineFailure | undefined;
  const end = (failure: EngineFailure) => {
    reason ??= failure;
    killGroup(child);
  };
  const { timeoutMs } = options.limits;
  const expire = () => end(new EngineFailure("timed-out", `${program} ran for ${timeoutMs} ms`));
  const timer = setTimeout(expire, timeoutMs);
  const onStopped = () => end(new EngineLost(`${program} was stopped`));
  using _ = watchForStopped(() => (child.pid === undefined ? [] : [child.pid]), onStopped);
  const abort = () => killGroup(child);
  options.signal?.addEventListener("abort", abort, { once: true });
  try {
    const { code, signal } = await endOf(child);
    options.signal?.throwIfAborted();
    if (reason) throw reason;
    if (signal !== null) throw endedBy(signal, program, errors.text());
    return { code: code ?? -1, stdout: output.bytes(), stderr: errors.text() };
  } finally {
    clearTimeout(timer);
    forget?.();
    options.signal?.removeEventListener("abort", abort);
  }
}

/**
 * Returns the command line that starts a program with limits. setpriv(1), prlimit(1) and a short Perl script set
 * limits, which the program inherits. Each of the three executes the next program in the same process, without a shell.
 * util-linux and Perl are essential packages of Debian.
 */
export function confinedCommand(
  program: string,
  args: readonly string[],
  { limits, user, network, files }: Pick<RunOptions, "limits" | "user" | "network" | "files">,
): [string, ...string[]] {
  const confinement = [
    ...(network === true ? [] : ["--offline"]),
    ...(files?.readable ?? []).flatMap((path) => ["--read", path]),
    ...(files?.writable ?? []).flatMap((path) => ["--write", path]),
    ...(files?.socketPaths ?? []).flatMap((path) => ["--meet", path]),
  ];
  const cpu = limits.cpuSeconds ?? Math.ceil(limits.timeoutMs / 1000);
  const changed = user !== undefined && process.getuid?.() === 0;
  return [
    "setpriv",
    "--no-new-privs",
    ...["--pdeathsig", "KILL"],
    ...(changed ? [`--reuid=${user}`, `--regid=${user}`, "--clear-groups"] : []),
    "prlimit",
    // SIGXCPU, sent at the soft limit, distinguishes this case from other kills.
    `--cpu=${cpu}:${cpu + 2}`,
    `--fsize=${limits.fileBytes ?? 2 ** 31}`,
    `--nofile=${limits.openFiles ?? 256}`,
    "--core=0",
    ...(limits.memoryBytes === undefined ? [] : [`--as=${limits.memoryBytes}`]),
    "--",
    ...(confinement.length === 0 ? [] : ["perl", CONFINE, ...confinement, "--"]),
    program,
    ...args,
  ];
}

/**
 * Returns an environment without this service's variables, which can contain secrets.
 * @param fontRules name of fontconfig's configuration (container/fonts/fontconfig.ts)
 */
export function minimalEnvironment(home: string, fontRules = OFFICE_RULES): Record<string, string> {
  const rules = join(MADE_FONTS, fontRules);
  const fonts = existsSync(rules) ? { FONTCONFIG_FILE: rules } : {};
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LC_ALL: "C.UTF-8",
    HOME: home,
    TMPDIR: home,
    ...fonts,
    ...fontVariables(),
  };
}

/** When memory runs out, makes the kernel kill this process rather than the service (proc(5)). */
function sacrificeFirst(pid: number): void {
  // Fails harmlessly if the process has already exited.
  writeFile(`/proc/${pid}/oom_score_adj`, "900").catch(() => {});
}

/** Kills a process that was started with `detached`, and all processes that it started. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The process group no longer exists.
  }
}

function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(new EngineLost(`not started: ${cause.message}`, { cause })));
    // Also resolves after "exit": "close" does not come while processes that the program left behind keep the pipes
    // open.
    child.once("exit", (code, signal) => {
      killGroup(child);
      setTimeout(() => resolve({ code, signal }), LAST_OUTPUT_MS).unref();
    });
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
}

function endedBy(signal: NodeJS.Signals, program: string, stderr: string): EngineFailure {
  const detail = `${program} ended by ${signal}: ${stderr.slice(-500)}`;
  if (signal === "SIGXCPU") return new EngineFailure("timed-out", detail);
  if (signal === "SIGXFSZ") return new ScratchFull(detail);
  return isExternalSignal(signal) ? new EngineLost(detail) : new EngineFailure("crashed", detail);
}

/** Stores the first bytes of a stream. */
class BoundedOutput {
  readonly #chunks: Buffer[] = [];
  #roomBytes: number;

  constructor(mostBytes: number) {
    this.#roomBytes = mostBytes;
  }

  add(chunk: Buffer): void {
    if (this.#roomBytes <= 0) return;
    this.#chunks.push(chunk.subarray(0, this.#roomBytes));
    this.#roomBytes -= chunk.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** Stores the last bytes of a stream, as text. */
export class Tail {
  #tail: Buffer = Buffer.alloc(0);
  readonly #mostBytes: number;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  add(chunk: Buffer): void {
    this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-this.#mostBytes);
  }

  text(): string {
    return this.#tail.toString("utf8");
  }
}
