// Decides which instance runs a job, which instance starts, and which job is rejected. dispatcher.ts executes the
// decisions, so this file is independent of platform and clock. A PermitQueue would not suffice: jobs must renew their
// requests and leases by messages, and each slot belongs to an instance.

import { countsOf, leastServed, ticketToEvict } from "../../../runtime/client-shares.ts";

export interface SlotLimits {
  /** Maximum number of instances, numbered from 0. */
  readonly instances: number;
  /** Jobs that an instance runs at full speed, one per CPU. */
  readonly jobs: number;
  /** Additional jobs of an instance. They must have run for `slowAfterMs`, after which a job has a low CPU priority. */
  readonly slowJobs: number;
  readonly slowAfterMs: number;
  /** Maximum number of queued jobs. */
  readonly waiting: number;
  /** Time without renewal after which a job loses its slot or its position in the queue. */
  readonly leaseMs: number;
  /** Time after its last job for which an instance counts as awake. Shorter than the platform's sleep timeout. */
  readonly awakeMs: number;
  /** Time for which a faulty instance receives no jobs. */
  readonly troubleMs: Readonly<Record<InstanceFault, number>>;
}

/**
 * `gone`: the connection to the instance broke. `full`: the instance rejected a job. `not-started`: the platform failed
 * to start the instance. `other-version`: the frame version differs from the Worker's.
 */
export type InstanceFault = "gone" | "full" | "not-started" | "other-version";

/** Faults that usually last longer than a job waits for a slot. */
const LASTING: ReadonlySet<InstanceFault> = new Set(["not-started", "other-version"]);

/** `asked`: the query whether the instance runs is pending. */
type InstanceState =
  | { readonly is: "unknown" | "asked" | "asleep" | "starting" }
  | { readonly is: "ready"; readonly until: number }
  | { readonly is: "in-trouble"; readonly reason: InstanceFault; readonly until: number };

/** A job that requests a slot. */
export interface SlotRequest {
  readonly id: string;
  /** Distinguishes clients for fair scheduling. */
  readonly client: string;
  /** Instances that failed this job. They are used again only if no other instance is available. */
  readonly avoid: readonly number[];
}

/** The right of a job to run on an instance. */
export interface SlotLease {
  readonly id: string;
  readonly client: string;
  readonly instance: number;
}

export interface Decisions {
  readonly granted: readonly SlotLease[];
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  /** Instances to start. */
  readonly start: readonly number[];
}

interface Waiting extends SlotRequest {
  heardAt: number;
}

interface Held extends SlotLease {
  readonly since: number;
  heardAt: number;
}

const UNKNOWN: InstanceState = { is: "unknown" };

export class SlotScheduler {
  readonly #limits: SlotLimits;
  readonly #now: () => number;
  readonly #conditions: InstanceState[];
  /** In order of arrival. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #held = new Map<string, Held>();
  #refused: { id: string; reason: string }[] = [];
  /** Instances whose last start failed. */
  readonly #unstartable = new Set<number>();

  constructor(limits: SlotLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#conditions = Array.from({ length: limits.instances }, () => UNKNOWN);
  }

  /** Adds a job to the queue, or renews its queue position. */
  request(job: SlotRequest): void {
    const heardAt = this.#now();
    const held = this.#held.get(job.id);
    const waits = this.#waiting.get(job.id);
    if (held) held.heardAt = heardAt;
    else if (waits) waits.heardAt = heardAt;
    else if (this.#waiting.size >= this.#limits.waiting && !this.#evictFor(job.client)) {
      this.#refused.push({ id: job.id, reason: `${this.#waiting.size} jobs are already queued` });
    } else this.#waiting.set(job.id, { ...job, heardAt });
  }

  /** Returns the lease of a job; undefined if the job has no lease. */
  leaseOf(id: string): SlotLease | undefined {
    return this.#held.get(id);
  }

  /**
   * Renews the lease of a running job. Restores an unknown lease, which was granted before this object lost its memory.
   */
  renew({ id, client, instance }: SlotLease): void {
    if (this.#conditions[instance] === undefined) return;
    const now = this.#now();
    this.#held.set(id, { id, client, instance, since: this.#held.get(id)?.since ?? now, heardAt: now });
    this.#used(instance);
  }

  /** Frees the slot of a job, or its queue position. */
  release(id: string): void {
    const held = this.#held.get(id);
    if (held) this.#used(held.instance);
    this.#held.delete(id);
    this.#waiting.delete(id);
  }

  /** Returns the instances whose state is unknown, and marks them as queried. */
  takeUnknown(): readonly number[] {
    const unknown = this.#all().filter((instance) => this.#condition(instance).is === "unknown");
    for (const instance of unknown) this.#conditions[instance] = { is: "asked" };
    return unknown;
  }

  markReady(instance: number): void {
    this.#unstartable.delete(instance);
    this.#conditions[instance] = { is: "ready", until: this.#now() + this.#limits.awakeMs };
  }

  markAsleep(instance: number): void {
    this.#conditions[instance] = { is: "asleep" };
  }

  markFaulted(instance: number, reason: InstanceFault): void {
    if (this.#conditions[instance] === undefined) return;
    if (reason === "not-started") this.#unstartable.add(instance);
    const until = this.#now() + this.#limits.troubleMs[reason];
    this.#conditions[instance] = { is: "in-trouble", reason, until };
  }

  /** Returns the instance to start in advance; undefined if one is awake or starting. */
  prewarm(): number | undefined {
    if (this.#all().some((instance) => ["ready", "starting", "asked"].includes(this.#condition(instance).is))) return;
    const asleep = this.#asleep()[0];
    if (asleep !== undefined) this.#conditions[asleep] = { is: "starting" };
    return asleep;
  }

  /** Grants slots, rejects jobs that no instance can run, and selects the instances to start. */
  decide(): Decisions {
    this.#expireStale();
    const granted: Held[] = [];
    const crowded: Waiting[] = [];
    for (let job = this.#nextIn(crowded); job; job = this.#nextIn(crowded)) {
      const instance = this.#idle(job) ?? this.#shared(job);
      if (instance === undefined || this.#count(instance) >= this.#limits.jobs) crowded.push(job);
      if (instance !== undefined) granted.push(this.#grant(job, instance));
    }
    const start = this.#startFor(crowded);
    this.#rejectUnservable();
    const refused = this.#refused;
    this.#refused = [];
    return { granted, refused, start };
  }

  /**
   * Returns the milliseconds until decisions can change without an event, for example because a lease expires;
   * undefined if no job is queued.
   */
  msToNextChange(): number | undefined {
    if (this.#waiting.size === 0) return undefined;
    const now = this.#now();
    const { slowAfterMs, leaseMs } = this.#limits;
    const times = [
      ...[...this.#held.values()].flatMap(({ since, heardAt }) => [since + slowAfterMs, heardAt + leaseMs]),
      ...this.#conditions.flatMap((condition) => ("until" in condition ? [condition.until] : [])),
    ].filter((time) => time > now);
    return times.length === 0 ? undefined : Math.min(...times) - now + 1;
  }

  /** True if a queued job can only wait for the end of another job: no instance is asleep or starts. */
  get isFull(): boolean {
    return this.#all().every((instance) => ["ready", "in-trouble"].includes(this.#condition(instance).is));
  }

  /** Describes the instances and the queue, for /ready. */
  get summary(): { readonly instances: readonly string[]; readonly jobs: number; readonly waiting: number } {
    const instances = this.#all().map((instance) => {
      const condition = this.#condition(instance);
      if (condition.is === "in-trouble") return condition.reason;
      return condition.is === "asleep" && this.#unstartable.has(instance) ? "not-started" : condition.is;
    });
    return { instances, jobs: this.#held.size, waiting: this.#waiting.size };
  }

  #all(): readonly number[] {
    return [...this.#conditions.keys()];
  }

  #asleep(): readonly number[] {
    return this.#all().filter((instance) => this.#condition(instance).is === "asleep");
  }

  #condition(instance: number): InstanceState {
    const condition = this.#conditions[instance] ?? UNKNOWN;
    return "until" in condition && condition.until <= this.#now() ? UNKNOWN : condition;
  }

  #used(instance: number): void {
    if (this.#condition(instance).is === "ready") this.markReady(instance);
  }

  #count(instance: number): number {
    return [...this.#held.values()].filter((held) => held.instance === instance).length;
  }

  #quickCount(instance: number): number {
    const quickSince = this.#now() - this.#limits.slowAfterMs;
    return [...this.#held.values()].filter((held) => held.instance === instance && held.since > quickSince).length;
  }

  /**
   * Returns the candidates for a job. These are the instances that the job does not avoid; if all of them are in
   * trouble, all instances.
   */
  #candidates({ avoid }: SlotRequest): readonly number[] {
    const others = this.#all().filter((instance) => !avoid.includes(instance));
    const isHopeful = others.some((instance) => this.#condition(instance).is !== "in-trouble");
    return isHopeful ? others : this.#all();
  }

  #ready(job: SlotRequest): readonly number[] {
    return this.#candidates(job).filter((instance) => this.#condition(instance).is === "ready");
  }

  /**
   * Returns the first instance with an idle CPU. The first one is preferred, so that the last instances can go to
   * sleep.
   */
  #idle(job: SlotRequest): number | undefined {
    return this.#ready(job).find((instance) => this.#count(instance) < this.#limits.jobs);
  }

  /**
   * Returns the instance with the fewest jobs, among the instances that can accept another job because some of their
   * jobs are slow.
   */
  #shared(job: SlotRequest): number | undefined {
    const { jobs, slowJobs } = this.#limits;
    return this.#ready(job)
      .filter((instance) => this.#quickCount(instance) < jobs && this.#count(instance) < jobs + slowJobs)
      .sort((one, other) => this.#count(one) - this.#count(other))[0];
  }

  /** Maximum number of slots per client: half of all slots, because slow jobs occupy slots for minutes. */
  get #mostOfClient(): number {
    const { instances, jobs, slowJobs } = this.#limits;
    return Math.max(1, Math.floor((instances * (jobs + slowJobs)) / 2));
  }

  /** Returns the next job to decide on: the oldest queued job of the client with the fewest slots. */
  #nextIn(decided: readonly Waiting[]): Waiting | undefined {
    const slots = countsOf(this.#held.values());
    const able = [...this.#waiting.values()].filter(
      (job) => !decided.includes(job) && (slots.get(job.client) ?? 0) < this.#mostOfClient,
    );
    return leastServed(able, slots);
  }

  #grant({ id, client }: Waiting, instance: number): Held {
    const now = this.#now();
    const held: Held = { id, client, instance, since: now, heardAt: now };
    this.#waiting.delete(id);
    this.#held.set(id, held);
    this.#used(instance);
    return held;
  }

  /** Selects sleeping instances to start, for jobs that found no idle CPU. */
  #startFor(crowded: readonly Waiting[]): readonly number[] {
    // One of the queried instances might run.
    if (this.#all().some((instance) => this.#condition(instance).is === "asked")) return [];
    const starting = this.#all().filter((instance) => this.#condition(instance).is === "starting");
    let room = starting.length * this.#limits.jobs;
    const chosen: number[] = [];
    for (const job of crowded) {
      if (room-- > 0) continue;
      const candidates = this.#candidates(job);
      const asleep = this.#asleep().find((instance) => candidates.includes(instance));
      if (asleep === undefined) continue;
      this.#conditions[asleep] = { is: "starting" };
      chosen.push(asleep);
      room = this.#limits.jobs - 1;
    }
    return chosen;
  }

  #rejectUnservable(): void {
    const conditions = this.#all().map((instance) => this.#condition(instance));
    const troubles = conditions.flatMap((condition) => (condition.is === "in-trouble" ? [condition.reason] : []));
    if (troubles.length < conditions.length || !troubles.every((reason) => LASTING.has(reason))) return;
    const reason = `all ${conditions.length} instances are in trouble: ${[...new Set(troubles)].join(", ")}`;
    for (const id of this.#waiting.keys()) this.#refused.push({ id, reason });
    this.#waiting.clear();
  }

  #expireStale(): void {
    const silentSince = this.#now() - this.#limits.leaseMs;
    for (const jobs of [this.#waiting, this.#held]) {
      for (const [id, { heardAt }] of jobs) if (heardAt <= silentSince) jobs.delete(id);
    }
  }

  /**
   * Evicts the last job of the client with the most queued jobs, if that client has at least two more queued jobs than
   * `client`.
   */
  #evictFor(client: string): boolean {
    const waiting = [...this.#waiting.values()];
    const own = waiting.filter((job) => job.client === client).length;
    const last = ticketToEvict(waiting, (queued) => queued > own + 1);
    if (!last) return false;
    this.#waiting.delete(last.id);
    this.#refused.push({ id: last.id, reason: "evicted for another client" });
    return true;
  }
}
