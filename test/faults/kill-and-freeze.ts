// Kills and freezes every process of every engine at random moments while jobs run. Flags:
//   --rounds 100        rounds per target and signal
//   --only a,b          prefixes of the names of the targets to run
//   --signals SIGKILL   one of SIGKILL and SIGSTOP
//   --clients 4         concurrent jobs
//   --recover-ms 5000   time after which the engine has to work again
//   --give-up-ms 30000  time after which a round stops waiting for recovery
//   --most-failures 3   rounds without recovery after which a target is skipped
//   --double-every 10   every tenth round also hits the replacement of the process that was hit

import { type ContainerEngine, containerSamples, type EngineSamples } from "./container-samples.ts";
import { NoVictim, type Round, type RoundSettings, runDeath, runRound } from "./fault-round.ts";
import { Flight } from "./load.ts";
import { RoundFigures } from "./round-figures.ts";
import { Random, seedOf } from "./statistics.ts";
import type { FaultOptions, Run } from "./suite.ts";
import { type FaultSignal, TARGETS, type Target } from "./targets.ts";
import { TestedService } from "./tested-service.ts";

export const run: Run = async (options) => {
  const targets = TARGETS.filter(({ name }) => isWanted(name, options.only));
  if (targets.length === 0)
    throw new Error(`No target begins with ${options.only}: ${TARGETS.map(({ name }) => name)}`);
  const runner = new Runner(options, await containerSamples(), new Set(targets.flatMap(({ engines }) => engines)));
  const figures = new RoundFigures();
  try {
    for (const target of targets) {
      for (const signal of signalsOf(options).filter((one) => target.signals?.includes(one) ?? true)) {
        const own = await runner.carryOut(target, signal);
        figures.add(own);
        console.log(`${own.isGood ? "ok    " : "FAILED"}  ${target.name} ${signal}: ${own.text}`);
      }
    }
  } finally {
    await runner.stop();
  }
  return { ok: figures.isGood, line: figures.text };
};

const isWanted = (name: string, only: readonly string[]) =>
  only.length === 0 || only.some((beginning) => name.startsWith(beginning));

function signalsOf(options: FaultOptions): readonly FaultSignal[] {
  const all: readonly FaultSignal[] = ["SIGKILL", "SIGSTOP"];
  const words = options.words("signals");
  const unknown = words.find((word) => !all.some((signal) => signal === word));
  if (unknown !== undefined) throw new Error(`"${unknown}" is none of ${all}.`);
  return words.length === 0 ? all : all.filter((signal) => words.includes(signal));
}

/** Reuses one service for many rounds, and starts another one if it does not recover. */
class Runner {
  readonly #options: FaultOptions;
  readonly #samples: Readonly<Record<ContainerEngine, EngineSamples>>;
  readonly #engines: ReadonlySet<ContainerEngine>;
  #service: TestedService | undefined;

  /** @param engines the engines that the rounds use */
  constructor(
    options: FaultOptions,
    samples: Readonly<Record<ContainerEngine, EngineSamples>>,
    engines: ReadonlySet<ContainerEngine>,
  ) {
    this.#options = options;
    this.#samples = samples;
    this.#engines = engines;
  }

  async carryOut(target: Target, signal: FaultSignal): Promise<RoundFigures> {
    const { seed } = this.#options;
    const random = new Random(seedOf(seed, `${target.name} ${signal}`));
    const figures = new RoundFigures();
    const rounds = this.#options.count("rounds", 100);
    const mostFailures = this.#options.count("most-failures", 3);
    const doubleEvery = this.#options.count("double-every", 10);
    let unrecovered = 0;
    for (let round = 0; round < rounds && unrecovered < mostFailures; round++) {
      const samples = this.#samples[target.engines[round % target.engines.length]!];
      const isDouble = round % doubleEvery === doubleEvery - 1;
      const outcome = await this.#round({ target, signal, ...this.#limits() }, samples, random, isDouble);
      if (outcome === undefined) break;
      figures.round(outcome);
      const isOver = target.endsService === true && signal === "SIGKILL";
      if (!isOver && outcome.recoveryMs === undefined) unrecovered++;
      // A failed round must not affect the next one.
      if (isOver || outcome.complaints.length > 0) await this.#end();
    }
    if (unrecovered >= mostFailures) figures.note(`left after ${unrecovered} rounds without recovery`);
    return figures;
  }

  /** @returns undefined if no process of an optional kind exists */
  async #round(
    settings: RoundSettings,
    samples: EngineSamples,
    random: Random,
    isDouble: boolean,
  ): Promise<Round | undefined> {
    const { target, signal } = settings;
    const service = await this.#living();
    if (target.isOptional && service.processes().every(({ kind }) => kind !== target.kind)) return undefined;
    try {
      if (target.endsService && signal === "SIGKILL") return await runDeath(service, settings, samples, random);
      return await runRound(service, settings, samples, random, isDouble);
    } catch (error) {
      if (!(error instanceof NoVictim)) throw error;
      if (target.isOptional) return undefined;
      const nothing = { recoveryMs: undefined, running: 0, right: 0, begunAnew: 0, busy: 0, excused: 0 };
      return { ...nothing, complaints: [error.message] };
    }
  }

  #limits(): Pick<RoundSettings, "clients" | "recoverMs" | "giveUpMs"> {
    return {
      clients: this.#options.count("clients", 4),
      recoverMs: this.#options.count("recover-ms", 5_000),
      giveUpMs: this.#options.count("give-up-ms", 30_000),
    };
  }

  /**
   * Returns a service that has done every job once, so that right results are known and no engine starts for the first
   * time.
   */
  async #living(): Promise<TestedService> {
    if (this.#service) return this.#service;
    const service = await TestedService.start();
    this.#service = service;
    for (const engine of this.#engines) {
      const { probe, load } = this.#samples[engine];
      for (const sample of [...load, probe]) {
        const flight = new Flight(service.container, sample);
        await flight.ended;
        if (!flight.isRight) throw new Error(`Before any fault: ${sample.name}: ${flight.complaint}`);
      }
    }
    await service.rest();
    return service;
  }

  async #end(): Promise<void> {
    await this.#service?.stop();
    this.#service = undefined;
  }

  stop(): Promise<void> {
    return this.#end();
  }
}
