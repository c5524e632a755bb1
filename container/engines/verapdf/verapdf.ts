// Validates PDFs against a PDF/A level with veraPDF, in long-lived processes that validate one file at a time.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { PermitQueue } from "../../../src/runtime/permit-queue.ts";
import { untilAborted } from "../../../src/runtime/until-aborted.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { retryCrashOnce } from "../../processes/retry.ts";
import type { EngineState } from "../../supervision/engine-state.ts";
import { VeraPdfProcess, type VeraPdfProcessSettings } from "./process.ts";
import type { ValidatedLevel, Validation, VeraPdfSettings } from "./validation.ts";

/**
 * Expected cost of a file. Heavy files need much time and memory, so only one of them is validated at a time. Light
 * files overtake queued heavy ones.
 */
export type Weight = "light" | "heavy";

/** Maximum number of queued heavy files; further ones are rejected. */
const MAX_WAITING = 3;

/** A queued validation request. */
interface Ticket {
  readonly weight: Weight;
}

type ProcessSettings = Omit<VeraPdfProcessSettings, "slot"> & {
  /** Maximum number of processes. */
  readonly processes: number;
};

const isHeavy = ({ weight }: Ticket) => weight === "heavy";

const DEFAULT_DIST = join(import.meta.dirname, "../../dist");

/** A running veraPDF, made by {@link startVeraPdf}. */
export class VeraPdf implements AsyncDisposable {
  readonly #processes: VeraPdfProcess[] = [];
  /** Idle processes. */
  readonly #idle: VeraPdfProcess[] = [];
  readonly #settings: ProcessSettings;
  readonly #queue: PermitQueue<Ticket>;
  /** The start of a further process, while it is in progress. */
  #growing: Promise<void> | undefined;
  #isClosing = false;

  constructor(settings: ProcessSettings, first: VeraPdfProcess) {
    this.#settings = settings;
    this.#queue = new PermitQueue<Ticket>({
      concurrency: settings.processes,
      next: (waiting, working) =>
        working.length < this.#processes.length
          ? waiting.find((ticket) => !(isHeavy(ticket) && working.some(isHeavy)))
          : undefined,
    });
    this.#add(first);
  }

  get state(): EngineState {
    return this.#processes.some(({ isReady }) => isReady) ? "warm" : "starting";
  }

  /** Process IDs of the running processes. */
  get pids(): number[] {
    return this.#processes.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  /**
   * Validates a file. Retries it in another process if its process was lost or crashed.
   *
   * @param path of the file, which is not changed
   * @param weight the file's weight. @default "light"
   * @throws EngineFailure `password-protected`, `damaged` (veraPDF cannot parse it), `too-complex`, `too-large`
   * (memory), `timed-out`, `busy` (veraPDF cannot be started, was lost twice, or has too many queued heavy files)
   * @throws the signal's reason when aborted
   */
  async validate(
    path: string,
    level: ValidatedLevel,
    signal: AbortSignal,
    weight: Weight = "light",
  ): Promise<Validation> {
    return retryCrashOnce({ signal, log: this.#settings.log }, (until) => this.#attempt(path, level, until, weight));
  }

  async #attempt(path: string, level: ValidatedLevel, signal: AbortSignal, weight: Weight): Promise<Validation> {
    if (weight === "heavy" && this.#queue.queued.filter(isHeavy).length >= MAX_WAITING) {
      throw new EngineFailure("busy", `${MAX_WAITING} heavy files are already queued`);
    }
    const taken = this.#queue.acquire({ weight }, signal);
    if (this.#queue.queued.length > 0) this.#grow();
    const permit = await taken;
    // Takes a ready process. If there is none, takes the last one and waits for it.
    const index = this.#idle.findLastIndex(({ isReady }) => isReady);
    const [process] = this.#idle.splice(index, 1) as [VeraPdfProcess];
    // After an abort, the validation continues for a while, because killing the process would cost more.
    const validation = process.validate(path, level, signal).finally(() => {
      this.#idle.push(process);
      permit[Symbol.dispose]();
    });
    return untilAborted(validation, signal);
  }

  /**
   * Probes an idle process with a sample. If all processes are busy, needs no probe, because their jobs show whether
   * they work.
   * @throws EngineFailure, or the signal's reason when aborted
   */
  async prove(signal: AbortSignal): Promise<void> {
    if (!this.#idle.some(({ isReady }) => isReady)) return;
    const sample = join(this.#settings.program, "sample.pdf");
    await this.#attempt(sample, { part: 2, conformance: "b" }, signal, "light");
  }

  /** Restarts all processes after a failed probe. */
  replace(reason: string): void {
    for (const process of this.#processes) process.replace(reason);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#growing;
    await Promise.all(this.#processes.map((process) => process.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #add(process: VeraPdfProcess): void {
    this.#processes.push(process);
    this.#idle.push(process);
    this.#queue.admit();
  }

  /** Starts a further process for a queued file. An existing process might validate the file before that. */
  #grow(): void {
    if (this.#growing || this.#isClosing || this.#processes.length >= this.#settings.processes) return;
    this.#growing = VeraPdfProcess.start({ ...this.#settings, slot: this.#processes.length })
      .then(
        (process) => this.#add(process),
        (error) => this.#settings.log("verapdf process not started", { error: String(error) }),
      )
      .finally(() => {
        this.#growing = undefined;
      });
  }
}

/**
 * Starts veraPDF with one process, which tests itself with a file that conforms. Further processes start when files are
 * queued. Processes that exit later are restarted.
 * @throws EngineFailure `busy` if veraPDF is not built or fails its self-test
 */
export async function startVeraPdf(settings: VeraPdfSettings): Promise<VeraPdf> {
  const { dist = DEFAULT_DIST, log } = settings;
  const program = join(dist, "verapdf");
  if (!existsSync(join(program, "pagewright-server.jar"))) throw new EngineFailure("busy", `${program} is not built`);
  const full = {
    ...settings,
    program,
    processes: settings.processes ?? 1,
    timeoutMs: settings.timeoutMs ?? CONTAINER_LIMITS.veraPdfMs,
    heapBytes: settings.heapBytes ?? CONTAINER_LIMITS.veraPdfHeapBytes,
    filesPerProcess: settings.filesPerProcess ?? 2000,
  };
  const first = await VeraPdfProcess.start({ ...full, slot: 0 });
  log("verapdf warmed", { ...first.about });
  return new VeraPdf(full, first);
}
