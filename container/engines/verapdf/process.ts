// Manages one long-lived veraPDF process (container/engines/verapdf/Server.java, which documents the lines of requests
// and answers). It validates one file at a time, and is killed after a timeout.

import { chmodSync, constants, copyFileSync, rmSync, statSync } from "node:fs";
import { chmod, chown, copyFile, cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { EngineFailure, type FailureReason } from "../../../src/document/contract/failure.ts";
import type { RuleFailure } from "../../../src/document/pdfa/rule-failure.ts";
import { residentBytes } from "../../processes/proc.ts";
import { confinedCommand, minimalEnvironment } from "../../processes/process.ts";
import { EngineLost, isExternalSignal } from "../../processes/retry.ts";
import { firstUserOf, USERS } from "../../processes/users.ts";
import { SMALL_BYTES } from "../../scratch/file-input.ts";
import { type ExitInfo, type Launch, NotReady, type ResidentProcess } from "../../supervision/resident.ts";
import { Supervisor } from "../../supervision/supervisor.ts";
import type { ValidatedLevel, Validation, VeraPdfSettings } from "./validation.ts";

type Common = Pick<VeraPdfSettings, "scratch" | "timeoutMs" | "heapBytes" | "filesPerProcess" | "log">;

export interface VeraPdfProcessSettings extends Required<Common> {
  /** Folder with the jars and the sample. */
  readonly program: string;
  /** Index of this process among several. */
  readonly slot: number;
}

/** System paths that a JVM reads. */
const READABLE = [
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
/** Debian's link to the JRE in /usr/lib. An absolute path, because the sandbox has no PATH. */
const JAVA = "/usr/bin/java";
/** Maximum time without output. The process writes a heartbeat each second, but not while it collects a large heap. */
const SILENCE_MS = 6_000;
/**
 * Time after which a process is killed if no caller waits for its file any more. Before that, a restart costs more than
 * finishing.
 */
const ABANDONED_MS = 2_000;
/** Exit code of a Java that ends when memory runs out (-XX:+ExitOnOutOfMemoryError). */
const MEMORY_EXIT_CODE = 3;
/** Exit codes of Java after SIGHUP, SIGINT or SIGTERM. */
const ASKED_EXIT_CODES: readonly (number | null)[] = [129, 130, 143];
/**
 * Memory beyond which a process is replaced. Heavy files may temporarily need more (classes, code and stacks: 150 MiB).
 */
const LASTING_BYTES = 896 * 2 ** 20;
/**
 * CPU time limit: none, because setrlimit(2) would count the whole lifetime of the process. A timeout limits each file
 * instead.
 */
const CPU_SECONDS = 2 ** 31;
/**
 * Limit of open files. veraPDF keeps a file open for each object stream of more than 10 KB, and reports documents as
 * damaged when it reaches the limit.
 */
const OPEN_FILES = 16_384;

const REASONS: Readonly<Record<string, FailureReason>> = {
  password: "password-protected",
  damaged: "damaged",
  complex: "too-complex",
};

/** The file that a process is working on. */
interface Job {
  resolve(line: Record<string, unknown>): void;
  reject(failure: Error): void;
}

export class VeraPdfProcess {
  readonly #settings: VeraPdfProcessSettings;
  readonly #supervisor: Supervisor;
  readonly #jobs = new Map<ResidentProcess, Job>();
  #nextFile = 1;
  /** Number of files that the current process has processed. */
  #seen: { readonly by: ResidentProcess; files: number } | undefined;

  private constructor(settings: VeraPdfProcessSettings) {
    this.#settings = settings;
    const jobs = this.#jobs;
    this.#supervisor = new Supervisor({
      engine: "veraPDF",
      heartbeatTimeoutMs: SILENCE_MS,
      prepare: () => prepare(settings),
      heard: (resident, line) => {
        if ("valid" in line || "failed" in line) jobs.get(resident)?.resolve(line);
      },
      ended: (resident, ending) => jobs.get(resident)?.reject(failureOf(ending)),
      log: settings.log,
    });
  }

  /** @throws EngineFailure `busy` */
  static async start(settings: VeraPdfProcessSettings): Promise<VeraPdfProcess> {
    const started = new VeraPdfProcess(settings);
    try {
      await started.#supervisor.ready(new AbortController().signal);
      return started;
    } catch (error) {
      await started.close();
      return asBusy(error);
    }
  }

  get pid(): number | undefined {
    return this.#supervisor.current?.pid;
  }

  /** True if the process is idle and ready. */
  get isReady(): boolean {
    return this.#supervisor.current !== undefined;
  }

  /** Details for the log. */
  get about(): Record<string, unknown> {
    return { ...this.#supervisor.current?.about, pid: this.pid };
  }

  async validate(path: string, { part, conformance }: ValidatedLevel, signal: AbortSignal): Promise<Validation> {
    const resident = await this.#supervisor.ready(signal).catch(asBusy);
    signal.throwIfAborted();
    // The process's user cannot access the file at its original path.
    const copy = join(resident.folder.path, `file-${this.#nextFile++}.pdf`);
    try {
      const { size } = statSync(path);
      if (size <= SMALL_BYTES) copyFileSync(path, copy);
      else await copyFile(path, copy, constants.COPYFILE_FICLONE);
      chmodSync(copy, 0o644);
      const answer = await this.#ask(resident, { path: copy, flavour: `${part}${conformance}` }, signal);
      this.#replaceIfWorn(resident);
      return validationOf(answer);
    } finally {
      rmSync(copy, { force: true });
    }
  }

  /** Kills the process and aborts its file. Another process is started. */
  replace(why: string): void {
    const { current } = this.#supervisor;
    if (current) this.#supervisor.retire(current, new EngineLost(why));
  }

  async close(): Promise<void> {
    await this.#supervisor.close();
  }

  async #ask(resident: ResidentProcess, request: object, signal: AbortSignal): Promise<Record<string, unknown>> {
    if (this.#supervisor.current !== resident) throw new EngineLost("veraPDF has just ended");
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    this.#jobs.set(resident, { resolve, reject });
    const { timeoutMs } = this.#settings;
    const late = (detail: string) => () => resident.end(new EngineFailure("timed-out", detail));
    const timer = setTimeout(late(`veraPDF took more than ${timeoutMs} ms`), timeoutMs);
    let leaving: NodeJS.Timeout | undefined;
    const leave = () => {
      leaving = setTimeout(late("nobody waits for it any more"), ABANDONED_MS);
    };
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    resident.write(request);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      clearTimeout(leaving);
      signal.removeEventListener("abort", leave);
      this.#jobs.delete(resident);
    }
  }

  /** Replaces a process after many files. Later callers wait for the new process, which is ready in two seconds. */
  #replaceIfWorn(resident: ResidentProcess): void {
    if (this.#seen?.by !== resident) this.#seen = { by: resident, files: 0 };
    const grown = residentBytes(resident.pid ?? 0) > LASTING_BYTES;
    if (++this.#seen.files < this.#settings.filesPerProcess && !grown) return;
    const why = grown ? "grown too large" : `${this.#seen.files} files`;
    this.#supervisor.retire(resident, new EngineFailure("busy", why));
  }
}

async function prepare({ scratch, program, slot, heapBytes, timeoutMs }: VeraPdfProcessSettings): Promise<Launch> {
  const user = firstUserOf(USERS.veraPdf, slot + 1) + slot;
  const folder = await scratch.folder("verapdf");
  await chmod(folder.path, 0o711);
  // Copies the jars, because other users may be unable to access the project's folder.
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
    // Files are small: a fast compiler matters more than a thorough one, and parallel garbage collection does not
    // matter.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    `-Djava.io.tmpdir=${temporary}`,
  ];
  const args = [...options, "-cp", join(jars, "*"), "Server", join(jars, "sample.pdf")];
  const files = { readable: [...READABLE, jars, folder.path], writable: [temporary] };
  const limits = { timeoutMs, cpuSeconds: CPU_SECONDS, openFiles: OPEN_FILES };
  const [launcher, ...launch] = confinedCommand(JAVA, args, { limits, user, files });
  return { program: launcher, args: launch, cwd: temporary, env: minimalEnvironment(temporary), folder };
}

function asBusy(error: unknown): never {
  if (!(error instanceof NotReady)) throw error;
  throw new EngineFailure("busy", `veraPDF is not ready: ${error.message}`, { cause: error });
}

function failureOf({ code, signal, why }: ExitInfo): EngineFailure {
  if (why) return why;
  const detail = `veraPDF ended: ${signal ?? code}`;
  if (isExternalSignal(signal) || ASKED_EXIT_CODES.includes(code)) return new EngineLost(detail);
  return new EngineFailure(code === MEMORY_EXIT_CODE ? "too-large" : "crashed", detail);
}

function validationOf(answer: Record<string, unknown>): Validation {
  if (typeof answer.failed === "string") {
    throw new EngineFailure(REASONS[answer.failed] ?? "crashed", String(answer.detail));
  }
  return { valid: answer.valid === true, failures: answer.failures as readonly RuleFailure[] };
}
