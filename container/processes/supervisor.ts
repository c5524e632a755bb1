// Keeps one engine's process running: checks that it is alive, and restarts it when it has ended. Knows no engine and
// no job.

import { setTimeout as sleep } from "node:timers/promises";
import { EngineFailure } from "../../src/core/failure.ts";
import { EngineLost } from "./attempts.ts";
import { watchForFrozen } from "./frozen.ts";
import { type Ending, type Launch, NotReady, Resident } from "./resident.ts";
import { untilAborted } from "./until-aborted.ts";

export interface Supervised {
  /** The engine's name, for the log. */
  readonly engine: string;
  /** Time without output after which a process is ended. */
  readonly silenceMs: number;
  /** Request that the process answers at once. @default none: it writes a line every second by itself */
  readonly ping?: object;
  /** @throws NotReady */
  prepare(): Promise<Launch>;
  /** Called with each line that the process writes. */
  heard(resident: Resident, line: Record<string, unknown>): void;
  /** Called when the process has ended, to fail its jobs. */
  ended(resident: Resident, ending: Ending): void;
  log(message: string, details?: Record<string, unknown>): void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
const HEARTBEAT_MS = 1_000;
/** Maximum number of starts of a process that is killed as it starts; then the service runs without it. */
const MOST_STARTS = 5;

export class Supervisor {
  readonly #settings: Supervised;
  readonly #closing = new AbortController();
  #current: Resident | undefined;
  #next = nextResident();
  /** Failure of the last attempt to restart the process. */
  #failure: NotReady | undefined;

  private constructor(settings: Supervised) {
    this.#settings = settings;
  }

  /** @throws NotReady */
  static async start(settings: Supervised): Promise<Supervisor> {
    const supervisor = new Supervisor(settings);
    for (let starts = 1; ; starts++) {
      try {
        await supervisor.#launch();
        return supervisor;
      } catch (error) {
        if (!(error instanceof EngineLost) || starts === MOST_STARTS) throw asNotReady(error);
        settings.log(`${settings.engine}: killed as it started, and started again`, { error: String(error) });
      }
    }
  }

  /** The process that is ready, if there is one. */
  get current(): Resident | undefined {
    return this.#current;
  }

  /** True while the last attempt to restart the process has failed. */
  get isFailing(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Returns the current process, or waits for one that is starting.
   * @throws NotReady while none can be started
   * @throws the signal's reason when aborted
   */
  async ready(signal: AbortSignal): Promise<Resident> {
    signal.throwIfAborted();
    if (this.#closing.signal.aborted) throw new EngineFailure("busy", "closing");
    if (this.#failure) throw this.#failure;
    return this.#current ?? untilAborted(this.#next.promise, signal);
  }

  /** Ends a process. Later callers get another one. */
  retire(resident: Resident, why: EngineFailure): void {
    this.#vacate(resident);
    resident.end(why);
  }

  async close(): Promise<void> {
    const closing = new EngineFailure("busy", "closing");
    this.#closing.abort(closing);
    this.#next.reject(closing);
    await this.#current?.close();
  }

  /** @throws NotReady, EngineLost */
  async #launch(): Promise<void> {
    const resident = await Resident.start(await this.#settings.prepare(), this.#closing.signal);
    const { engine, silenceMs, ping, heard } = this.#settings;
    let silentBeats = 0;
    resident.heard = (line) => {
      silentBeats = 0;
      heard(resident, line);
    };
    // Counts beats rather than time: if this process was itself held up, the other one's output from that time is still
    // unread.
    const beat = setInterval(() => {
      if (++silentBeats * HEARTBEAT_MS > silenceMs) {
        resident.end(new EngineFailure("crashed", `${engine} was silent for ${silenceMs} ms`));
      }
      if (ping) resident.write(ping);
    }, HEARTBEAT_MS).unref();
    const lost = () => resident.end(new EngineLost(`${engine} was frozen`));
    const frozen = watchForFrozen(() => (resident.pid === undefined ? [] : [resident.pid]), lost);
    void resident.ended.then((ending) => {
      clearInterval(beat);
      frozen[Symbol.dispose]();
      this.#bury(resident, ending);
    });
    this.#failure = undefined;
    this.#current = resident;
    this.#next.resolve(resident);
  }

  #vacate(resident: Resident): void {
    if (this.#current !== resident) return;
    this.#current = undefined;
    this.#next = nextResident();
  }

  #bury(resident: Resident, ending: Ending): void {
    this.#vacate(resident);
    const { engine, ended, log } = this.#settings;
    ended(resident, ending);
    if (this.#closing.signal.aborted) return;
    const { code, signal, why } = ending;
    log(`${engine}: ended and is started again`, { how: String(signal ?? code), why: why?.detail });
    void this.#restart(resident);
  }

  async #restart(left: Resident): Promise<void> {
    await left.close();
    const { signal } = this.#closing;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        return await this.#launch();
      } catch (error) {
        if (signal.aborted) return;
        this.#settings.log(`${this.#settings.engine}: not started again, yet`, { error: String(error), pauseMs });
        // Callers keep waiting if the process was only killed as it started.
        if (!(error instanceof EngineLost)) this.#fail(asNotReady(error));
      }
    }
  }

  #fail(failure: NotReady): void {
    this.#failure = failure;
    this.#next.reject(failure);
    this.#next = nextResident();
  }
}

function nextResident(): PromiseWithResolvers<Resident> {
  const next = Promise.withResolvers<Resident>();
  // Without a waiting caller, the rejection must not count as unhandled.
  next.promise.catch(() => {});
  return next;
}

const asNotReady = (error: unknown) =>
  error instanceof NotReady ? error : new NotReady(String(error), { cause: error });
