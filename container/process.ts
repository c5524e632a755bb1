// Runs a native program once: argument array, limits, its whole process group ended, output bounded; and the scratch folders
// that such programs work in. It knows no engine.

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineFailure } from "../src/operations/operation.ts";
import { EngineLost, isFromOutside } from "./attempts.ts";
import { watchForFrozen } from "./frozen.ts";
import { Memory, type MemoryShare, NoRoom } from "./memory.ts";
import { processWorks } from "./priority.ts";

export interface Limits {
  /** Wall clock. */
  readonly timeoutMs: number;
  /** Processor time of each process. @default the wall clock's, in whole seconds */
  readonly cpuSeconds?: number;
  /** Address space of each process. @default no limit: only for programs that reserve what they never use */
  readonly memoryBytes?: number;
  /** The longest file that may be written. @default 2 GiB */
  readonly fileBytes?: number;
  /** @default 256 */
  readonly openFiles?: number;
}

export interface RunOptions {
  /** Where it works, usually a {@link JobFolder}. */
  readonly cwd: string;
  readonly limits: Limits;
  readonly signal?: AbortSignal;
  /** Added to the minimal environment. TMPDIR and HOME are the working folder unless named here. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /** The most that is kept of standard output, from its beginning. @default 1 MiB */
  readonly outputBytes?: number;
  /** Whether it may have sockets other than AF_UNIX. @default false */
  readonly network?: boolean;
  /** What it may do with files. @default what its user may */
  readonly files?: FileAccess;
  /** User and group to run as, if this process is root; the caller hands over the folder. @default no change */
  readonly user?: number;
}

/** Paths; each holds for what is below it too. Nothing else is seen. */
export interface FileAccess {
  /** Programs are found and started here alone. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Only for sockets of AF_UNIX. */
  readonly meeting?: readonly string[];
}

export interface Ended {
  /** The exit code; what it means is the engine's business. */
  readonly code: number;
  readonly stdout: Buffer;
  /** The last 16 KiB. */
  readonly stderr: string;
}

const stderrBytes = 16 * 1024;
/** Output of a program that has ended arrives at once, unless something beyond its group holds the pipes. */
const LAST_OUTPUT_MS = 500;
const confine = join(import.meta.dirname, "confine.pl");

/**
 * Runs a program to its end.
 *
 * @throws EngineFailure timed-out (wall clock or processor time), too-large (file size), crashed (any other signal)
 * @throws EngineLost where it was killed or frozen from outside, or could not be started
 * @throws the signal's reason when aborted
 */
export async function run(program: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  options.signal?.throwIfAborted();
  const [launcher, ...launch] = confined(program, args, options);
  const child = spawn(launcher, launch, {
    cwd: options.cwd,
    env: { ...minimalEnvironment(options.cwd), ...options.env },
    // A session and so a group of its own: the group is what is killed.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = new Kept(options.outputBytes ?? 1024 * 1024);
  const errors = new Tail(stderrBytes);
  child.stdout.on("data", (chunk: Buffer) => output.add(chunk));
  child.stderr.on("data", (chunk: Buffer) => errors.add(chunk));
  // A program need not read what it is given.
  child.stdin.on("error", () => {});
  child.stdin.end(options.stdin);
  if (child.pid !== undefined) sacrificeFirst(child.pid);
  const forget = child.pid === undefined ? undefined : processWorks(child.pid);

  let why: EngineFailure | undefined;
  const end = (failure: EngineFailure) => {
    why ??= failure;
    killGroup(child);
  };
  const { timeoutMs } = options.limits;
  const expire = () => end(new EngineFailure("timed-out", `${program} ran for ${timeoutMs} ms`));
  const timer = setTimeout(expire, timeoutMs);
  const frozen = () => end(new EngineLost(`${program} was frozen`));
  using _ = watchForFrozen(() => (child.pid === undefined ? [] : [child.pid]), frozen);
  const abort = () => killGroup(child);
  options.signal?.addEventListener("abort", abort, { once: true });
  try {
    const { code, signal } = await endOf(child);
    options.signal?.throwIfAborted();
    if (why) throw why;
    if (signal !== null) throw endedBy(signal, program, errors.text());
    return { code: code ?? -1, stdout: output.bytes(), stderr: errors.text() };
  } finally {
    clearTimeout(timer);
    forget?.();
    options.signal?.removeEventListener("abort", abort);
  }
}

/**
 * The command line that starts a program with limits: setpriv(1) and prlimit(1), both in Debian's essential util-linux, and a few lines of Perl, which is essential too, set what
 * is inherited and then become the program: no shell, and no process in between.
 */
export function confined(
  program: string,
  args: readonly string[],
  { limits, user, network, files }: Pick<RunOptions, "limits" | "user" | "network" | "files">,
): [string, ...string[]] {
  const confinement = [
    ...(network === true ? [] : ["--offline"]),
    ...(files?.readable ?? []).flatMap((path) => ["--read", path]),
    ...(files?.writable ?? []).flatMap((path) => ["--write", path]),
    ...(files?.meeting ?? []).flatMap((path) => ["--meet", path]),
  ];
  const cpu = limits.cpuSeconds ?? Math.ceil(limits.timeoutMs / 1000);
  const changed = user !== undefined && process.getuid?.() === 0;
  return [
    "setpriv",
    "--no-new-privs",
    ...["--pdeathsig", "KILL"],
    ...(changed ? [`--reuid=${user}`, `--regid=${user}`, "--clear-groups"] : []),
    "prlimit",
    // The soft limit's SIGXCPU tells this end from others.
    `--cpu=${cpu}:${cpu + 2}`,
    `--fsize=${limits.fileBytes ?? 2 ** 31}`,
    `--nofile=${limits.openFiles ?? 256}`,
    "--core=0",
    ...(limits.memoryBytes === undefined ? [] : [`--as=${limits.memoryBytes}`]),
    "--",
    ...(confinement.length === 0 ? [] : ["perl", confine, ...confinement, "--"]),
    program,
    ...args,
  ];
}

/** Nothing of the service's own environment: it may hold secrets. */
export function minimalEnvironment(home: string): Record<string, string> {
  return { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C.UTF-8", HOME: home, TMPDIR: home };
}

/** proc(5): when memory runs out, the kernel ends this process before the service. */
function sacrificeFirst(pid: number): void {
  // It may have ended already, and then nothing is left to do.
  writeFile(`/proc/${pid}/oom_score_adj`, "900").catch(() => {});
}

/** Ends a process that was started `detached` and all that it started. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // No process of the group is left.
  }
}

function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(new EngineLost(`not started: ${cause.message}`, { cause })));
    // Whatever it left running would hold its ends of the pipes, and "close" would not come, or late.
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
  if (signal === "SIGXFSZ") return new NoRoom(detail);
  return isFromOutside(signal) ? new EngineLost(detail) : new EngineFailure("crashed", detail);
}

/** The first bytes of a stream. */
class Kept {
  private readonly chunks: Buffer[] = [];
  private room: number;
  constructor(most: number) {
    this.room = most;
  }
  add(chunk: Buffer): void {
    if (this.room <= 0) return;
    this.chunks.push(chunk.subarray(0, this.room));
    this.room -= chunk.length;
  }
  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/** The last bytes of a stream, as text. */
export class Tail {
  private kept: Buffer = Buffer.alloc(0);
  private readonly most: number;
  constructor(most: number) {
    this.most = most;
  }
  add(chunk: Buffer): void {
    this.kept = Buffer.concat([this.kept, chunk]).subarray(-this.most);
  }
  text(): string {
    return this.kept.toString("utf8");
  }
}

/** One job's folder; gone when disposed of. */
export interface JobFolder extends AsyncDisposable {
  readonly path: string;
  /** Where it lies in memory. */
  readonly memory?: MemoryShare;
}

const prefix = "pagewright-";

/** Folders made by this process: those of another process with the same number, before it, are swept. */
const own = new Set<string>();

/** A folder for the folders of jobs. What a killed predecessor left is swept when it is opened. */
export class Scratch implements AsyncDisposable {
  readonly path: string;
  /** In memory, for the folders of small jobs. */
  readonly memoryPath: string | undefined;
  readonly #memory: Memory | undefined;
  private constructor(path: string, memoryPath?: string, memory?: Memory) {
    this.path = path;
    this.memoryPath = memoryPath;
    this.#memory = memory;
  }

  /**
   * @param parent engines run as other users, and must be able to pass through it. @default the system's for temporary files
   * @param memoryParent the same on a file system in memory, for small jobs. @default none
   */
  static async open(parent: string = tmpdir(), memoryParent?: string): Promise<Scratch> {
    await sweep(parent);
    const path = makeFolder(parent);
    if (memoryParent === undefined) return new Scratch(path);
    await sweep(memoryParent).catch(() => {});
    const memory = Memory.at(memoryParent);
    return memory ? new Scratch(path, makeFolder(memoryParent), memory) : new Scratch(path);
  }

  /**
   * A new folder, for this process's user alone.
   * @param kind a word for whoever looks at the file system
   * @param bytes what it will begin with; only where this is told, the folder may lie in memory, and its user minds
   *   {@link JobFolder.memory}
   */
  async folder(kind = "job", bytes?: number): Promise<JobFolder> {
    const memory = bytes === undefined ? undefined : this.#memory?.enter(bytes);
    // One call each, which the cache answers: a thread's turn would take ten times as long.
    if (memory === undefined) {
      const path = mkdtempSync(join(this.path, `${kind}-`));
      return { path, [Symbol.asyncDispose]: () => remove(path) };
    }
    const path = mkdtempSync(join(this.memoryPath!, `${kind}-`));
    return {
      path,
      memory,
      async [Symbol.asyncDispose]() {
        using _ = memory;
        try {
          rmSync(path, { recursive: true, force: true });
        } catch {
          await remove(path);
        }
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of [this.path, this.memoryPath]) {
      if (path === undefined) continue;
      await remove(path);
      own.delete(path);
    }
  }
}

function makeFolder(parent: string): string {
  const path = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  own.add(path);
  // Engines that run as another user pass through; the names inside are not theirs to list.
  chmodSync(path, 0o711);
  return path;
}

/** A process that is just being killed may still make files while they are removed: so more than once. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}

async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-\\w+$`).exec(name) ?? [];
    const path = join(parent, name);
    if (pid === undefined || own.has(path) || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
    // Another user's: theirs to sweep.
    await remove(path).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
