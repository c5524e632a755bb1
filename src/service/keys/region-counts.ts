// A region's side of limits (decisions/0064-allowances.md): counts what a client uses in the region, within allowances
// that the center grants in advance.

import { LIMITS } from "../../document/contract/limits.ts";
import type {
  LimitDecision,
  LimitName,
  LimitRequest,
  Limits,
  RemainingLimits,
  RemovedFile,
  StoredBytes,
} from "../ports/limiter.ts";
import type { Allowance, Report } from "./allowances.ts";
import { ClientCounts, type SerializedCounts, wantedBy } from "./client-counts.ts";
import { type Amounts, amountsOf, LIMIT_NAMES, NOTHING } from "./counted.ts";
import { ExpectedUse } from "./expected-use.ts";

/** Maximum difference that arises between two clocks in the lifetime of an allowance. */
const DRIFT_MS = 1000;
/**
 * Reports for one request. More than one is necessary if other requests used what the first one brought, or if a call
 * was lost.
 */
const REPORTS = 4;
const LOST_REPORTS = 2;

export interface RegionOptions {
  /** Asks the center. Must not take longer than `LIMITS.allowanceCallMs`. */
  call(report: Report): Promise<Allowance>;
  later(work: () => void, ms: number): void;
  /** @default Date.now */
  now?(): number;
}

/** A request that waits for an answer of the center. */
interface Waiter {
  readonly needed: Amounts;
  /** Number of reports that contained the request. */
  reports: number;
  /** Returns false if the request still waits. */
  decide(retryAfter: Allowance["retryAfter"]): boolean;
  fail(error: unknown): void;
}

export class RegionCounts {
  readonly #options: RegionOptions;
  readonly #local: () => number;
  readonly #counts: ClientCounts;
  readonly #expected: ExpectedUse;
  /** Maximum difference between the center's clock and the local one. */
  #aheadMs = 0;
  #sequence: number;
  #limits: Limits = {};
  #answer: Allowance | undefined;
  /** Requests and bytes that were counted since the start, also those that no longer count. Jobs are not included. */
  #spent: Amounts = NOTHING;
  /** {@link #used} at the last report. */
  #reported: Amounts = NOTHING;
  /** Requests that wait for the next report. */
  #waiting: Waiter[] = [];
  /** True if the counts have changed since the last report. */
  #isChanged = true;
  #isUnreachable = false;
  #isReporting = false;
  #isPlanned = false;

  constructor(serialized: SerializedCounts | undefined, options: RegionOptions) {
    this.#options = options;
    this.#local = options.now ?? Date.now;
    // The center's clock can be behind this one by the duration of a call.
    this.#counts = new ClientCounts(serialized, { now: () => this.#now, lateMs: LIMITS.allowanceCallMs });
    this.#expected = new ExpectedUse(this.#local());
    // Exceeds the numbers of an earlier process.
    this.#sequence = this.#local();
  }

  get kept(): SerializedCounts {
    return this.#counts.kept;
  }

  get isEmpty(): boolean {
    return this.#counts.isEmpty;
  }

  /** @throws Error if the center is needed, but unreachable */
  ask(limits: Limits, request: LimitRequest): Promise<LimitDecision> {
    return this.#decide(limits, wantedBy(request), () => {
      const { requestsPerMinute, megabytesPerDay } = limits;
      const lease = this.#counts.add(limits, request);
      this.#spend("requestsPerMinute", requestsPerMinute === undefined ? 0 : 1);
      this.#spend("megabytesPerDay", megabytesPerDay === undefined ? 0 : request.bytes);
      return lease === undefined ? {} : { lease };
    });
  }

  /** @throws Error if the center is needed, but unreachable */
  store(megabytes: number, stored: StoredBytes): Promise<LimitDecision> {
    return this.#decide({ storedMegabytes: megabytes }, { ...NOTHING, storedMegabytes: stored.bytes }, () => {
      this.#counts.addStored(stored);
      this.#spend("storedMegabytes", stored.bytes);
      return {};
    });
  }

  renew(lease: string): void {
    this.#counts.renew(lease);
    this.#changed();
  }

  leave(lease: string | undefined, bytes: number): void {
    this.#counts.leave(lease, bytes);
    this.#spend("megabytesPerDay", bytes);
    this.#changed();
  }

  giveBack(stored: StoredBytes): void {
    this.#counts.giveBack(stored);
    this.#changed();
  }

  removed(files: readonly RemovedFile[]): void {
    this.#counts.removed(files);
    this.#changed();
  }

  /** @throws Error if the center is unreachable */
  peek(limits: Limits): Promise<RemainingLimits> {
    this.#limits = { ...this.#limits, ...limits };
    return this.#wait(NOTHING, (retryAfter) => retryAfter && this.#left(limits));
  }

  /** The center's time, or a later time. */
  get #now(): number {
    return this.#local() + this.#aheadMs;
  }

  get #used(): Amounts {
    return { ...this.#spent, concurrentJobs: this.#counts.jobs };
  }

  /** What can be used now. Negative if bytes that were not announced exceed the allowance. */
  get #held(): Amounts {
    const { allowed = NOTHING, until = 0 } = this.#answer ?? {};
    const isOver = this.#now >= until - DRIFT_MS;
    const used = this.#used;
    return amountsOf((name) => {
      const unspent = this.#reported[name] - used[name];
      return isOver ? Math.min(0, unspent) : allowed[name] + unspent;
    });
  }

  #spend(name: LimitName, amount: number): void {
    this.#spent = { ...this.#spent, [name]: this.#spent[name] + amount };
    this.#expected.used(this.#local(), { ...NOTHING, [name]: amount }, this.#counts.jobs);
  }

  /** @param count counts the amounts, at the moment at which the allowance contains them */
  async #decide(limits: Limits, wanted: Amounts, count: () => Pick<LimitDecision, "lease">): Promise<LimitDecision> {
    this.#limits = { ...this.#limits, ...limits };
    const needed = amountsOf((name) => (limits[name] === undefined ? 0 : wanted[name]));
    return this.#wait(needed, (retryAfter = {}) => {
      const held = this.#held;
      const limit = LIMIT_NAMES.find((name) => needed[name] > Math.max(0, held[name]));
      if (limit === undefined) {
        const counted = count();
        this.#changed();
        return { ...counted, left: this.#left(limits) };
      }
      const retryAfterSeconds = retryAfter[limit];
      return retryAfterSeconds && { rejected: { limit, retryAfterSeconds }, left: this.#left(limits) };
    });
  }

  /** @param decide returns a falsy value until an answer of the center allows a decision */
  #wait<T extends object>(
    needed: Amounts,
    decide: (answer?: Allowance["retryAfter"]) => T | undefined | 0,
  ): Promise<T> {
    const decision = decide();
    if (decision) return Promise.resolve(decision);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const decideAgain = (retryAfter: Allowance["retryAfter"]) => {
      const decision = decide(retryAfter);
      if (decision) resolve(decision);
      return Boolean(decision);
    };
    this.#waiting.push({ needed, reports: 0, decide: decideAgain, fail: reject });
    void this.#report();
    return promise;
  }

  /** Reports to the center, and decides the waiting requests. There is one report at a time. */
  async #report(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    const waiters = this.#waiting;
    this.#waiting = [];
    try {
      const { retryAfter } = await this.#call(waiters);
      this.#waitAgain(
        waiters.filter(({ decide }) => !decide(retryAfter)),
        new Error("others used the allowances"),
        REPORTS,
      );
    } catch (error) {
      this.#isUnreachable = true;
      this.#waitAgain(waiters, error, LOST_REPORTS);
    }
    this.#isReporting = false;
    if (this.#waiting.length > 0) void this.#report();
    else this.#plan();
  }

  #waitAgain(waiters: readonly Waiter[], error: unknown, maxReports: number): void {
    for (const waiter of waiters) {
      waiter.reports++;
      if (waiter.reports >= maxReports) waiter.fail(error);
      else this.#waiting.push(waiter);
    }
  }

  async #call(waiters: readonly Waiter[]): Promise<Allowance> {
    const [used, sent, counted] = [this.#used, this.#local(), this.#counts.counted];
    const need = amountsOf((name) => waiters.reduce((sum, { needed }) => sum + needed[name], 0));
    const wish = this.#expected.wish(sent, counted.jobs);
    const held = this.#keepOnly(wish);
    this.#sequence++;
    this.#isChanged = false;
    const answer = await this.#options.call({
      ...{ sequence: this.#sequence, limits: this.#limits },
      ...{ counted, held, need, wish },
    });
    this.#isUnreachable = false;
    const isIgnored = answer.sequence !== this.#sequence;
    this.#sequence = answer.sequence;
    this.#isChanged ||= isIgnored;
    if (isIgnored) return answer;
    this.#aheadMs = answer.time - sent;
    this.#answer = answer;
    this.#reported = used;
    // The center still counts `held`, until the next report.
    this.#isChanged ||= LIMIT_NAMES.some((name) => held[name] > answer.allowed[name]);
    return answer;
  }

  /** Gives up the part of the allowance that exceeds these amounts, and returns the rest. */
  #keepOnly(amounts: Amounts): Amounts {
    const held = amountsOf((name) => Math.max(0, this.#held[name]));
    const rest = amountsOf((name) => Math.min(held[name], amounts[name]));
    if (this.#answer) {
      const { allowed } = this.#answer;
      this.#answer = { ...this.#answer, allowed: amountsOf((name) => allowed[name] - held[name] + rest[name]) };
    }
    return rest;
  }

  #changed(): void {
    this.#isChanged = true;
    this.#plan();
  }

  /** Plans the next report, which precedes the end of the allowance, unless there is nothing to report or to renew. */
  #plan(): void {
    if (this.#isReporting) return;
    const [used, held, { allowed = NOTHING } = {}] = [this.#used, this.#held, this.#answer];
    const isLow = (name: LimitName) => name !== "concurrentJobs" && held[name] < allowed[name] / 2;
    if (!this.#isUnreachable && this.#answer && LIMIT_NAMES.some(isLow)) return void this.#report();
    const hasNews = this.#isChanged || this.#isUnreachable || used.concurrentJobs > 0;
    if (this.#isPlanned || !(hasNews || LIMIT_NAMES.some((name) => allowed[name] > 0))) return;
    this.#isPlanned = true;
    const report = () => {
      this.#isPlanned = false;
      void this.#report();
    };
    this.#options.later(report, LIMITS.allowanceMs / 2);
  }

  /** Returns what was left at the last report, minus what was used since then. */
  #left(limits: Limits): RemainingLimits {
    const { left = {}, time = 0 } = this.#answer ?? {};
    const used = this.#used;
    const own = Object.entries(this.#counts.peek(limits)) as [LimitName, { readonly seconds?: number }][];
    return Object.fromEntries(
      own.map(([name, { seconds }]) => {
        const { count = 0, seconds: last } = left[name] ?? {};
        const rest = Math.max(0, count - (used[name] - this.#reported[name]));
        if (seconds === undefined || last === undefined) return [name, { count: rest }];
        const passed = Math.floor((this.#now - time) / 1000);
        return [name, { count: rest, seconds: Math.max(0, seconds, last - passed) }];
      }),
    );
  }
}
