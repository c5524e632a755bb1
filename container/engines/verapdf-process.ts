// One veraPDF that stays (container/verapdf/Server.java, which describes the lines it is asked and answers): started, watched,
// ended when it takes too long or shows no sign of life, and started again. It is given one file at a time.

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, constants, copyFileSync, readFileSync, rmSync, statSync } from "node:fs";
import { chmod, chown, copyFile, cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineFailure, type FailureReason } from "../../src/operations/operation.ts";
import type { ArchivalLevel } from "../../src/pdf/archival/level.ts";
import type { RuleFailure } from "../../src/pdf/archival/rule-failure.ts";
import { SMALL_BYTES } from "../hosted.ts";
import { confined, type JobFolder, killGroup, minimalEnvironment, Tail } from "../process.ts";
import { type About, end, handshake, parseLine } from "../resident.ts";
import type { Validation, VeraPdfSettings } from "./verapdf.ts";

type Common = Pick<VeraPdfSettings, "scratch" | "timeoutMs" | "heapBytes" | "filesPerProcess" | "log">;

export interface VeraPdfProcessSettings extends Required<Common> {
  /** The folder with the jars and the sample. */
  readonly program: string;
  /** Which of several this is. */
  readonly slot: number;
}

/** Users of the processes, where this one is root: this one and those that follow. */
const firstUser = 60_700;
/** What a JVM reads of a system. */
const readable = [
  "/usr/lib",
  "/usr/share/java",
  "/lib64",
  "/etc",
  "/proc",
  "/sys/fs/cgroup",
  "/dev/random",
  "/dev/urandom",
  "/dev/null",
];
/** Debian's, which leads to the JRE in /usr/lib: nothing looks for programs where files are restricted. */
const java = "/usr/bin/java";
/** It shows one each second; a machine may be busy. */
const silenceMs = 6_000;
/** A file that nobody waits for any more is left after this: until then to end it costs more than it does. */
const leftMs = 2_000;
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** A process that lived this long died of something new. */
const soundAfterMs = 60_000;
/** Of a Java that was told to end when memory runs out (-XX:+ExitOnOutOfMemoryError). */
const memoryExitCode = 3;
/** A process that has grown beyond is replaced: heavy files need more, but not for long (classes, code and stacks: 150 MiB). */
const lastingBytes = 896 * 2 ** 20;
/** setrlimit(2) counts the whole life of a process that stays; a file's time is limited by the clock. */
const cpuSeconds = 2 ** 31;
/** It keeps a file open for each object stream of more than 10 KB: with fewer it calls large documents damaged. */
const openFiles = 16_384;

const reasons: Readonly<Record<string, FailureReason>> = {
  password: "password-protected",
  damaged: "damaged",
  complex: "too-complex",
};

interface Living {
  readonly child: ChildProcess;
  readonly folder: JobFolder;
  readonly about: About;
  readonly since: number;
  files: number;
  /** The file it is at. */
  job?: { resolve(line: Record<string, unknown>): void; reject(failure: Error): void };
  /** Why it was ended by us. */
  ended?: EngineFailure;
  silence?: NodeJS.Timeout;
}

export class VeraPdfProcess {
  private readonly settings: VeraPdfProcessSettings;
  private living: Promise<Living>;
  private current: Living | undefined;
  private pauseMs = firstPauseMs;
  private closed = false;
  private nextFile = 1;

  private constructor(settings: VeraPdfProcessSettings, living: Living) {
    this.settings = settings;
    this.living = Promise.resolve(this.adopt(living));
  }

  /** @throws EngineFailure `busy` */
  static async start(settings: VeraPdfProcessSettings): Promise<VeraPdfProcess> {
    return new VeraPdfProcess(settings, await launch(settings));
  }

  get pid(): number | undefined {
    return this.current?.child.pid;
  }

  /** For the log. */
  get about(): Record<string, unknown> {
    return { ...this.current?.about, pid: this.pid };
  }

  async validate(path: string, { part, conformance }: ArchivalLevel, signal: AbortSignal): Promise<Validation> {
    const living = await this.living;
    signal.throwIfAborted();
    // Its user cannot reach the file where it lies.
    const copy = join(living.folder.path, `file-${this.nextFile++}.pdf`);
    try {
      const { size } = statSync(path);
      if (size <= SMALL_BYTES) copyFileSync(path, copy);
      else await copyFile(path, copy, constants.COPYFILE_FICLONE);
      chmodSync(copy, 0o644);
      const validation = validationOf(await this.ask(living, { path: copy, flavour: `${part}${conformance}` }, signal));
      await this.replaceIfWorn(living);
      return validation;
    } finally {
      rmSync(copy, { force: true });
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    const living = await this.living.catch(() => undefined);
    if (living === undefined) return;
    await end(living.child);
    await living.folder[Symbol.asyncDispose]();
  }

  private async ask(living: Living, request: object, signal: AbortSignal): Promise<Record<string, unknown>> {
    if (this.current !== living) throw new EngineFailure("crashed", "veraPDF has just ended");
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    living.job = { resolve, reject };
    const { timeoutMs } = this.settings;
    const timer = setTimeout(() => kill(living, "timed-out", `veraPDF took more than ${timeoutMs} ms`), timeoutMs);
    let leaving: NodeJS.Timeout | undefined;
    const leave = () => {
      leaving = setTimeout(() => kill(living, "timed-out", "nobody waits for it any more"), leftMs);
    };
    signal.addEventListener("abort", leave, { once: true });
    living.child.stdin!.write(`${JSON.stringify(request)}\n`);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      clearTimeout(leaving);
      signal.removeEventListener("abort", leave);
      delete living.job;
    }
  }

  /** Whoever comes next waits for the new one, which is there in two seconds. */
  private async replaceIfWorn(living: Living): Promise<void> {
    const grown = residentBytes(living.child.pid) > lastingBytes;
    if (this.current !== living || (++living.files < this.settings.filesPerProcess && !grown)) return;
    this.current = undefined;
    this.pauseMs = 0;
    kill(living, "busy", grown ? "grown too large" : `${living.files} files`);
    await new Promise((resolve) => living.child.once("close", resolve));
  }

  private adopt(living: Living): Living {
    this.current = living;
    const heard = () => {
      clearTimeout(living.silence);
      living.silence = setTimeout(() => kill(living, "crashed", `veraPDF was silent for ${silenceMs} ms`), silenceMs);
    };
    heard();
    createInterface({ input: living.child.stdout! }).on("line", (line) => {
      heard();
      const answer = parseLine(line);
      if ("valid" in answer || "failed" in answer) living.job?.resolve(answer);
    });
    living.child.once("close", (code, signal) => this.bury(living, code, signal));
    return living;
  }

  private bury(living: Living, code: number | null, signal: string | null): void {
    this.current = undefined;
    clearTimeout(living.silence);
    const how = String(signal ?? code);
    const reason = code === memoryExitCode ? "too-large" : "crashed";
    living.job?.reject(living.ended ?? new EngineFailure(reason, `veraPDF ended: ${how}`));
    if (this.closed) return;
    if (Date.now() - living.since > soundAfterMs) this.pauseMs = firstPauseMs;
    this.settings.log("veraPDF: ended and is started again", { how, why: living.ended?.detail, pauseMs: this.pauseMs });
    this.living = this.restart(living.folder);
    // Whoever asks next is told; that nobody asks is no unhandled rejection.
    this.living.catch(() => {});
  }

  private async restart(left: JobFolder): Promise<Living> {
    await left[Symbol.asyncDispose]();
    for (;;) {
      await sleep(this.pauseMs);
      this.pauseMs = Math.min(Math.max(this.pauseMs * 2, firstPauseMs), longestPauseMs);
      if (this.closed) throw new EngineFailure("busy", "closing");
      const living = await launch(this.settings).catch((failure: EngineFailure) => failure);
      if (!(living instanceof EngineFailure)) return this.adopt(living);
      this.settings.log("veraPDF cannot be started again, yet", { reason: living.detail, pauseMs: this.pauseMs });
    }
  }
}

/** @throws EngineFailure `busy` */
async function launch({ scratch, program, slot, heapBytes, timeoutMs }: VeraPdfProcessSettings): Promise<Living> {
  const folder = await scratch.folder("verapdf");
  const user = firstUser + slot;
  await chmod(folder.path, 0o711);
  // The project itself may lie where other users cannot pass.
  const jars = join(folder.path, "program");
  await cp(program, jars, { recursive: true });
  const temporary = join(folder.path, "temporary");
  await mkdir(temporary, { mode: 0o700 });
  if (process.getuid?.() === 0) await chown(temporary, user, user);
  const options = [
    `-Xmx${Math.ceil(heapBytes / 2 ** 20)}m`,
    "-XX:MaxMetaspaceSize=256m",
    "-XX:MetaspaceSize=128m",
    "-XX:+ExitOnOutOfMemoryError",
    // Files are small: a compiler that is quick counts more than one that is thorough, and threads for collecting do not.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    `-Djava.io.tmpdir=${temporary}`,
  ];
  const args = [...options, "-cp", join(jars, "*"), "Server", join(jars, "sample.pdf")];
  const files = { readable: [...readable, jars, folder.path], writable: [temporary] };
  const [launcher, ...launch] = confined(java, args, { limits: { timeoutMs, cpuSeconds, openFiles }, user, files });
  const env = minimalEnvironment(temporary);
  const child = spawn(launcher, launch, { cwd: temporary, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  const stderr = new Tail(4096);
  child.stderr.on("data", (chunk: Buffer) => stderr.add(chunk));
  // Writing to one that has just died; its end is told by "close".
  child.stdin.on("error", () => {});
  try {
    return { child, folder, about: await handshake(child), since: Date.now(), files: 0 };
  } catch (error) {
    await end(child);
    await folder[Symbol.asyncDispose]();
    const reason = `veraPDF is not ready: ${(error as Error).message} ${stderr.text()}`.trim();
    throw new EngineFailure("busy", reason, { cause: error });
  }
}

function kill(living: Living, reason: FailureReason, detail: string): void {
  living.ended ??= new EngineFailure(reason, detail);
  killGroup(living.child);
}

function validationOf(answer: Record<string, unknown>): Validation {
  if (typeof answer.failed === "string") {
    throw new EngineFailure(reasons[answer.failed] ?? "crashed", String(answer.detail));
  }
  return { valid: answer.valid === true, failures: answer.failures as readonly RuleFailure[] };
}

/** proc(5): the second number is in pages of 4 KiB. @returns 0 where it has ended */
function residentBytes(pid: number | undefined): number {
  try {
    return 4096 * Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]);
  } catch {
    return 0;
  }
}
