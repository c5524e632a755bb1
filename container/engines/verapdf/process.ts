// Manages one long-lived veraPDF process, which validates one file at a time and is killed after a timeout. The process
// runs container/engines/verapdf/Server.java, which documents the format of requests and responses.

import { chmodSync, constants, copyFileSync, rmSync, statSync } from "node:fs";
import { chmod, chown, copyFile, cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { EngineFailure, type FailureReason } from "../../../src/document/contract/failure.ts";
import type { ReportedFailure } from "../../../src/document/pdfa/rule-failure.ts";
import { residentBytes } from "../../processes/proc.ts";
import { confinedCommand, minimalEnvironment } from "../../processes/process.ts";
import { EngineLost, isExternalSignal } from "../../processes/retry.ts";
import { firstUserOf, USERS } from "../../processes/users.ts";
import { SMALL_BYTES } from "../../scratch/file-input.ts";
import { type ExitInfo, type Launch, NotReady, type ResidentProcess } from "../../supervision/resident.ts";
import { Supervisor } from "../../supervision/supervisor.ts";
import { JAVA, JAVA_FILES, MEMORY_EXIT_CODE } from "../java.ts";
import type { ValidatedLevel, Validation, VeraPdfSettings } from "./validation.ts";

type Common = Pick<VeraPdfSettings, "scratch" | "timeoutMs" | "heapBytes" | "filesPerProcess" | "log">;

export interface VeraPdfProcessSettings extends Required<Common> {
  /** Folder with the jars and the sample. */
  readonly program: string;
  /** Index of this process among the veraPDF processes. */
  readonly slot: number;
}

/**
 * Maximum time without output. The process sends a heartbeat each second, but not during garbage collection of a large
 * heap.
 */
const SILENCE_MS = 6_000;
/**
 * If no caller waits for a file any more, its process is killed after this time. Within this time, finishing the file
 * is usually cheaper than a restart.
 */
const ABANDONED_MS = 2_000;
/** Exit codes of Java after SIGHUP, SIGINT or SIGTERM. */
const ASKED_EXIT_CODES: readonly (number | null)[] = [129, 130, 143];
/**
 * Resident memory above which a process is replaced after its file. Includes 150 MiB for classes, code and stacks.
 * Heavy files can temporarily need more.
 */
const LASTING_BYTES = 896 * 2 ** 20;
/** No CPU time limit: setrlimit(2) would count the process's whole lifetime. Instead, each file has a time limit. */
const CPU_SECONDS = 2 ** 31;
/**
 * Maximum number of open files. veraPDF keeps a file open for each object stream of more than 10 KB. At the limit, it
 * would report documents as damaged.
 */
const OPEN_FILES = 16_384;

const REASONS: Readonly<Record<string, FailureReason>> = {
  password: "password-protected",
  damaged: "damaged",
  complex: "too-complex",
};

/** The caller that waits for the file in a process. */
interface Job {
  resolve(line: Record<string, unknown>): void;
  reject(failure: Error): void;
}

export class VeraPdfProcess {
  readonly #settings: VeraPdfProcessSettings;
  readonly #supervisor: Supervisor;
  readonly #jobs = new Map<ResidentProcess, Job>();
  #nextFile = 1;
  /** Number of files that the current process has validated. */
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
      onExit: (resident, ending) => jobs.get(resident)?.reject(failureOf(ending)),
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

  /** True if the process has started and can validate a file. */
  get isReady(): boolean {
    return this.#supervisor.current !== undefined;
  }

  /** Details for the log. */
  get about(): Record<string, unknown> {
    return { ...this.#supervisor.current?.about, pid: this.pid };
  }

  async validate(
    path: string,
    { part, conformance, family }: ValidatedLevel,
    signal: AbortSignal,
  ): Promise<Validation> {
    const resident = await this.#supervisor.ready(signal).catch(asBusy);
    signal.throwIfAborted();
    // Copies the file, because the process's user cannot access its original path.
    const copy = join(resident.folder.path, `file-${this.#nextFile++}.pdf`);
    try {
      const { size } = statSync(path);
      if (size <= SMALL_BYTES) copyFileSync(path, copy);
      else await copyFile(path, copy, constants.COPYFILE_FICLONE);
      chmodSync(copy, 0o644);
      const flavour = `${family === "UA" ? "ua" : ""}${part}${conformance}`;
      const response = await this.#ask(resident, { path: copy, flavour }, signal);
      this.#replaceIfWorn(resident);
      return validationOf(response);
    } finally {
      rmSync(copy, { force: true });
    }
  }

  /** Kills the process and aborts its file. Another process then starts. */
  replace(reason: string): void {
    const { current } = this.#supervisor;
    if (current) this.#supervisor.retire(current, new EngineLost(reason));
  }

  async close(): Promise<void> {
    await this.#supervisor.close();
  }

  async #ask(resident: ResidentProcess, request: object, signal: AbortSignal): Promise<Record<string, unknown>> {
    if (this.#supervisor.current !== resident) throw new EngineLost("veraPDF has just ended");
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    this.#jobs.set(resident, { resolve, reject });
    const { timeoutMs } = this.#settings;
    const endsWith = (detail: string) => () => resident.end(new EngineFailure("timed-out", detail));
    const timer = setTimeout(endsWith(`veraPDF took more than ${timeoutMs} ms`), timeoutMs);
    let leaving: NodeJS.Timeout | undefined;
    const leave = () => {
      leaving = setTimeout(endsWith("nobody waits for it any more"), ABANDONED_MS);
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

  /**
   * Replaces a process after many files, or if it uses too much memory. Callers wait for the new one, which starts in
   * two seconds.
   */
  #replaceIfWorn(resident: ResidentProcess): void {
    if (this.#seen?.by !== resident) this.#seen = { by: resident, files: 0 };
    const grown = residentBytes(resident.pid ?? 0) > LASTING_BYTES;
    if (++this.#seen.files < this.#settings.filesPerProcess && !grown) return;
    const reason = grown ? "grown too large" : `${this.#seen.files} files`;
    this.#supervisor.retire(resident, new EngineFailure("busy", reason));
  }
}

async function prepare({ scratch, program, slot, heapBytes, timeoutMs }: VeraPdfProcessSettings): Promise<Launch> {
  const user = firstUserOf(USERS.veraPdf, slot + 1) + slot;
  const folder = await scratch.folder("verapdf");
  await chmod(folder.path, 0o711);
  // Copies the jars, because the process's user might be unable to access the project's folder.
  const jars = join(folder.path, "program");
  await cp(program, jars, { recursive: true });
  const temporary = join(folder.path, "temporary");
  await mkdir(temporary, { mode: 0o700 });
  if (process.getuid?.() === 0) await chown(temporary, user, user);
  const options = [
    // Starts with a small heap. By default, it has 1/64 of the machine's memory, and is filled before it is collected.
    "-Xms16m",
    `-Xmx${Math.ceil(heapBytes / 2 ** 20)}m`,
    "-XX:MaxMetaspaceSize=256m",
    "-XX:MetaspaceSize=128m",
    "-XX:+ExitOnOutOfMemoryError",
    // Files are small, so fast compilation matters more than optimized code, and parallel garbage collection brings
    // nothing.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    `-Djava.io.tmpdir=${temporary}`,
  ];
  const args = [...options, "-cp", join(jars, "*"), "Server", join(jars, "sample.pdf")];
  const files = { readable: [...JAVA_FILES, jars, folder.path], writable: [temporary] };
  const limits = { timeoutMs, cpuSeconds: CPU_SECONDS, openFiles: OPEN_FILES };
  const [launcher, ...launch] = confinedCommand(JAVA, args, { limits, user, files });
  return { program: launcher, args: launch, cwd: temporary, env: minimalEnvironment(temporary), folder };
}

function asBusy(error: unknown): never {
  if (!(error instanceof NotReady)) throw error;
  throw new EngineFailure("busy", `veraPDF is not ready: ${error.message}`, { cause: error });
}

function failureOf({ code, signal, reason }: ExitInfo): EngineFailure {
  if (reason) return reason;
  const detail = `veraPDF ended: ${signal ?? code}`;
  if (isExternalSignal(signal) || ASKED_EXIT_CODES.includes(code)) return new EngineLost(detail);
  return new EngineFailure(code === MEMORY_EXIT_CODE ? "too-large" : "crashed", detail);
}

function validationOf(response: Record<string, unknown>): Validation {
  if (typeof response.failed === "string") {
    throw new EngineFailure(REASONS[response.failed] ?? "crashed", String(response.detail));
  }
  return { valid: response.valid === true, failures: response.failures as readonly ReportedFailure[] };
}
