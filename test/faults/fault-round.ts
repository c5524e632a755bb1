// One round: starts jobs, kills or stops one process at a random moment, and checks that everything is afterwards as it
// was before.

import { setTimeout as sleep } from "node:timers/promises";
import type { EngineSamples } from "./container-samples.ts";
import { type Flight, Load, recover } from "./load.ts";
import type { KnownProcess } from "./process-kinds.ts";
import { isAlive, readProcess, signalProcess } from "./process-table.ts";
import { isBusy, isCleanFailure } from "./sample.ts";
import type { Random } from "./statistics.ts";
import { candidatesOf, type FaultSignal, type Target } from "./targets.ts";
import type { TestedService } from "./tested-service.ts";

export interface RoundSettings {
  readonly target: Target;
  readonly signal: FaultSignal;
  readonly clients: number;
  /** Maximum time until the engine must work again. */
  readonly recoverMs: number;
  /** Time after which the round stops waiting for recovery. */
  readonly giveUpMs: number;
}

export interface Round {
  /** Time until a new job had a correct response; undefined if no job had one. */
  readonly recoveryMs: number | undefined;
  /** Number of jobs that were running when the process was hit, and how many of them had a correct response. */
  readonly running: number;
  readonly right: number;
  /** Number of retried jobs, according to the log. */
  readonly begunAnew: number;
  /** New jobs that were rejected with 503 and Retry-After. */
  readonly busy: number;
  /** Jobs that failed cleanly because they were hit twice. */
  readonly excused: number;
  /** Every violated requirement; empty for a successful round. */
  readonly complaints: readonly string[];
}

/** Earliest and latest time of a hit. */
const EARLIEST_MS = 200;
const LATEST_MS = 1_800;
const FIND_WITHIN_MS = 20_000;
const LEAVE_WITHIN_MS = 15_000;
/** Longer than reading the process tree, which itself takes milliseconds. */
const LOOK_EVERY_MS = 15;
const WATCH_EVERY_MS = 100;

/** Thrown if no process of the required kind appeared in time. */
export class NoVictim extends Error {
  override readonly name = "NoVictim";
}

/**
 * Runs one round.
 * @param isDouble true to hit the replacement of the process as well
 * @throws NoVictim
 */
export async function runRound(
  service: TestedService,
  settings: RoundSettings,
  samples: EngineSamples,
  random: Random,
  isDouble: boolean,
): Promise<Round> {
  const { target, signal, clients, giveUpMs } = settings;
  const carrier = target.through === "worker" ? await service.worker() : service.container;
  const anewBefore = await service.begunAnew();
  const load = new Load(carrier, samples.load, clients, random);
  const witness = new Witness(service);
  try {
    await sleep(EARLIEST_MS + random.next() * (LATEST_MS - EARLIEST_MS));
    const victims = [await hit(service, target, signal, random)];
    let since = performance.now();
    const running = load.running;
    load.stop();
    if (isDouble) {
      const second = await hit(service, target, signal, random, victims).catch(() => undefined);
      if (second) {
        victims.push(second);
        since = performance.now();
      }
    }
    const recovery = await recover(carrier, samples.probe, since, giveUpMs);
    await load.over();
    await Promise.all(recovery.probes.map(({ ended }) => ended));
    if (target.staysFrozen) for (const victim of victims) signalProcess(victim, "SIGCONT");
    // If an idle process was stopped, the next check finds it, possibly after all jobs have ended.
    const survivors = target.staysFrozen ? [] : await survivorsOf(victims, LEAVE_WITHIN_MS);
    const left = await service.leftBehind(witness.seen(), LEAVE_WITHIN_MS);
    return judged({
      settings,
      recoveryMs: recovery.ms,
      running,
      others: [...load.flights.filter((flight) => !running.includes(flight)), ...recovery.probes],
      hits: victims.length,
      begunAnew: (await service.begunAnew()) - anewBefore,
      left: [
        ...left,
        ...survivors.map(({ kind, pid }) => `left behind: the ${kind} that was hit (${readProcess(pid)?.state})`),
      ],
    });
  } finally {
    load.stop();
    witness.end();
  }
}

/** Kills the process that started the service; the whole service must end with it. */
export async function runDeath(
  service: TestedService,
  { clients, target, signal }: RoundSettings,
  samples: EngineSamples,
  random: Random,
): Promise<Round> {
  const load = new Load(await service.worker(), samples.load, clients, random);
  const witness = new Witness(service);
  await sleep(EARLIEST_MS + random.next() * (LATEST_MS - EARLIEST_MS));
  await hit(service, target, signal, random);
  const running = load.running.length;
  load.stop();
  const left = await service.afterDeath(witness.seen(), LEAVE_WITHIN_MS);
  witness.end();
  await service.kill(witness.seen());
  await load.over();
  return { recoveryMs: undefined, running, right: 0, begunAnew: 0, busy: 0, excused: running, complaints: left };
}

/** Waits until the processes have ended. @returns the processes that are still alive after `withinMs` */
async function survivorsOf(victims: readonly KnownProcess[], withinMs: number): Promise<readonly KnownProcess[]> {
  const until = performance.now() + withinMs;
  while (victims.some(isAlive) && performance.now() < until) await sleep(WATCH_EVERY_MS);
  return victims.filter(isAlive);
}

/** Records every process that existed during a round. */
class Witness {
  readonly #service: TestedService;
  readonly #seen = new Map<string, KnownProcess>();
  readonly #timer: NodeJS.Timeout;

  constructor(service: TestedService) {
    this.#service = service;
    this.#look();
    this.#timer = setInterval(() => this.#look(), WATCH_EVERY_MS);
  }

  seen(): readonly KnownProcess[] {
    return [...this.#seen.values()];
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const process of this.#service.processes()) {
      this.#seen.set(`${process.pid} ${process.startedAt}`, process);
    }
  }
}

/** @throws NoVictim */
async function hit(
  service: TestedService,
  target: Target,
  signal: FaultSignal,
  random: Random,
  but: readonly KnownProcess[] = [],
): Promise<KnownProcess> {
  const until = performance.now() + FIND_WITHIN_MS;
  while (performance.now() < until) {
    const others = candidatesOf(target, service.processes()).filter(({ pid }) => but.every((one) => one.pid !== pid));
    if (others.length > 0) {
      const victim = random.pick(others);
      // The process can have ended in the meantime, or another process can have its ID.
      if (readProcess(victim.pid)?.startedAt === victim.startedAt && signalProcess(victim, signal)) return victim;
    }
    await sleep(LOOK_EVERY_MS);
  }
  throw new NoVictim(`there was no ${target.kind}`);
}

interface Seen {
  readonly settings: RoundSettings;
  readonly recoveryMs: number | undefined;
  /** Jobs that were running when the process was hit. */
  readonly running: readonly Flight[];
  /** Jobs that ended before the hit or started after it. */
  readonly others: readonly Flight[];
  readonly hits: number;
  readonly begunAnew: number;
  readonly left: readonly string[];
}

function judged({ settings, recoveryMs, running, others, hits, begunAnew, left }: Seen): Round {
  const complaints = [...left];
  let excused = 0;
  let busy = 0;
  for (const flight of [...running, ...others]) {
    if (flight.isLate) complaints.push(`${flight.sample.engine} later than its limit`);
    if (flight.isRight || !flight.answer) continue;
    // A job that arrives while an engine starts can be rejected; a job that was already running must not be rejected.
    if (others.includes(flight) && isBusy(flight.answer)) busy++;
    else if (hits > 1 && isCleanFailure(flight.answer)) excused++;
    else complaints.push(`${running.includes(flight) ? "running" : "new"} job: ${flight.complaint}`);
  }
  if (recoveryMs === undefined) complaints.push(`not at work again within ${settings.giveUpMs} ms`);
  else if (recoveryMs > settings.recoverMs) complaints.push(`at work again later than ${settings.recoverMs} ms`);
  const right = running.filter(({ isRight }) => isRight).length;
  return { recoveryMs, running: running.length, right, begunAnew, busy, excused, complaints };
}
