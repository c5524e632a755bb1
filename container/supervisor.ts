// Keeps one engine's process running: watches that it lives, and starts it again when it has ended. Knows no engine and
// no job.

import { setTimeout as sleep } from "node:timers/promises";
import { EngineFailure } from "../src/operations/operation.ts";
import { EngineLost } from "./attempts.ts";
import { watchForFrozen } from "./frozen.ts";
import { type Ending, type Launch, NotReady, Resident } from "./resident.ts";
import { untilAborted } from "./until-aborted.ts";

export interface Supervised {
  /** The engine's name, for the log. */
  readonly engine: string;
  /** A process that has written nothing for so long is ended. */
  readonly silenceMs: number;
  /** A request that it answers at once. @default none: it writes a line every second by itself */
  readonly ping?: object;
  /** @throws NotReady */
  prepare(): Promise<Launch>;
  /** Told of each line that it writes. */
  heard(resident: Resident, line: Record<string, unknown>): void;
  /** Told when it has ended; its jobs have to be told. */
  ended(resident: Resident, ending: Ending): void;
  log(message: string, details?: Record<string, unknown>): void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
const HEARTBEAT_MS = 1_000;
/** A process that is killed as it starts is started again so often before the service does without. */
const MOST_STARTS = 5;

export class Supervisor {
  readonly #settings: Supervised;
  readonly #closing = new AbortController();
  #current: Resident | undefined;
  #next = nextResident();
  /** Why it could not be started again when that was tried last. */
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

  /** Whether it could not be started again, so far. */
  get isFailing(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Waits for a process that is starting.
   * @throws NotReady as long as none can be started
   * @throws the signal's reason when aborted
   */
  async ready(signal: AbortSignal): Promise<Resident> {
    signal.throwIfAborted();
    if (this.#closing.signal.aborted) throw new EngineFailure("busy", "closing");
    if (this.#failure) throw this.#failure;
    return this.#current ?? untilAborted(this.#next.promise, signal);
  }

  /** Ends a process; whoever comes next gets another one. */
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
    // Beats and not time: after this process itself was held up, what the other one wrote meanwhile is still to be
    // read.
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
        // Whoever waits goes on waiting where it was only killed as it started.
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
  // That nobody waits for it is no unhandled rejection.
  next.promise.catch(() => {});
  return next;
}

const asNotReady = (error: unknown) =>
  error instanceof NotReady ? error : new NotReady(String(error), { cause: error });
