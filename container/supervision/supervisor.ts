// Keeps one engine's process running: checks its heartbeat, and restarts it after its exit.

import { EngineFailure } from "../../src/document/contract/failure.ts";
import { EngineLost } from "../processes/retry.ts";
import { watchForStopped } from "../processes/stopped-processes.ts";
import { countEvent } from "./engine-events.ts";
import { type ExitInfo, type Launch, NotReady, ResidentProcess } from "./resident.ts";
import { Restarter } from "./restarter.ts";

export interface SupervisorSettings {
  /** The engine's name, for the log. */
  readonly engine: string;
  /** Time without output after which a process is killed. */
  readonly heartbeatTimeoutMs: number;
  /**
   * Request to which the process responds immediately. @default none, if the process writes a line every second by
   * itself
   */
  readonly ping?: object;
  /** @throws NotReady */
  prepare(): Promise<Launch>;
  /** Called with each process after its start. */
  started?(resident: ResidentProcess): void;
  /** Called with each line that the process writes. */
  heard(resident: ResidentProcess, line: Record<string, unknown>): void;
  /** Called when the process has exited. Must fail the process's jobs. */
  onExit(resident: ResidentProcess, ending: ExitInfo): void;
  log(message: string, details?: Record<string, unknown>): void;
}

/**
 * Backoff between starts. An engine that has never started is probably not built, or has the wrong version. Its start
 * is retried less often, because it can be slow and would take CPU time from the fallback.
 */
const FIRST_START = { initialDelayMs: 0, minBackoffMs: 100, maxBackoffMs: 60_000 };
const RESTART = { initialDelayMs: 100, minBackoffMs: 100, maxBackoffMs: 10_000 };
const HEARTBEAT_MS = 1_000;
/** Number of times that the process can be killed during its first start. After that, waiting callers fail. */
const MAX_STARTS = 5;

export class Supervisor {
  readonly #settings: SupervisorSettings;
  readonly #keeper: Restarter<ResidentProcess>;
  #hasRun = false;
  /** Number of times that the process was killed before it had started once. */
  #kills = 0;
  /** Reason of the last failed start, to log a repeated failure only once. */
  #reason: string | undefined;

  /** Starts the process in the background. Retries while the start fails. */
  constructor(settings: SupervisorSettings) {
    this.#settings = settings;
    this.#keeper = new Restarter({
      start: async (signal) => ResidentProcess.start(await settings.prepare(), signal),
      started: (resident) => this.#started(resident),
      failed: (error, pauseMs) => this.#failed(error, pauseMs),
      end: (resident) => resident.close(),
    });
    void this.#keeper.start(FIRST_START);
  }

  /** The process, if it is ready. */
  get current(): ResidentProcess | undefined {
    return this.#keeper.current;
  }

  /** True if the last attempt to start the process failed. */
  get isFailing(): boolean {
    return this.#keeper.failure !== undefined;
  }

  /**
   * Returns the current process, or waits for one that is starting.
   * @throws NotReady if the last start failed
   * @throws the signal's reason when aborted
   */
  ready(signal: AbortSignal): Promise<ResidentProcess> {
    return this.#keeper.ready(signal);
  }

  /** Kills a process. Later callers receive another process. */
  retire(resident: ResidentProcess, reason: EngineFailure): void {
    this.#keeper.clear(resident);
    resident.end(reason);
  }

  close(): Promise<void> {
    return this.#keeper.close();
  }

  #started(resident: ResidentProcess): void {
    this.#hasRun = true;
    this.#reason = undefined;
    const { engine, heartbeatTimeoutMs, ping, heard } = this.#settings;
    let silentBeats = 0;
    resident.onLine = (line) => {
      silentBeats = 0;
      heard(resident, line);
    };
    // Counts timer ticks instead of time: if this process was delayed, output of the engine might be waiting unread.
    const beat = setInterval(() => {
      if (++silentBeats * HEARTBEAT_MS > heartbeatTimeoutMs) {
        resident.end(new EngineFailure("crashed", `${engine} sent no heartbeat for ${heartbeatTimeoutMs} ms`));
      }
      if (ping) resident.write(ping);
    }, HEARTBEAT_MS).unref();
    const onStopped = () => resident.end(new EngineLost(`${engine} was stopped`));
    const stoppedWatch = watchForStopped(() => (resident.pid === undefined ? [] : [resident.pid]), onStopped);
    void resident.ended.then((ending) => {
      clearInterval(beat);
      stoppedWatch[Symbol.dispose]();
      void this.handleExit(resident, ending);
    });
    this.#settings.started?.(resident);
  }

  async handleExit(resident: ResidentProcess, ending: ExitInfo): Promise<void> {
    this.#keeper.clear(resident);
    const { engine, onExit, log } = this.#settings;
    onExit(resident, ending);
    if (this.#keeper.isClosing) return;
    const { code, signal, reason } = ending;
    countEvent(engine, "restart");
    if (reason) countEvent(engine, "kill");
    log("engine ended", { engine, how: String(signal ?? code), reason: reason?.detail });
    await resident.close();
    await this.#keeper.start(RESTART);
  }

  #failed(error: unknown, pauseMs: number): NotReady | undefined {
    const reason = String(error);
    const isKilled = error instanceof EngineLost;
    // The caller that waits for the first start reports its failure, so it is not logged here.
    const isTold = !this.#hasRun && this.#reason === undefined && !isKilled;
    if (reason !== this.#reason && !isTold) {
      const { engine, log } = this.#settings;
      log("engine not started", { engine, error: reason, hasRun: this.#hasRun, pauseMs });
    }
    this.#reason = reason;
    // If the process was only killed during its start, callers keep waiting.
    if (isKilled && (this.#hasRun || ++this.#kills < MAX_STARTS)) return undefined;
    return error instanceof NotReady ? error : new NotReady(reason, { cause: error });
  }
}
