// Counts the requests of one client, in one Durable Object per client. The counts are in memory. They are stored with a
// delay of one second, because a response must wait for earlier writes. A crash loses the last second. With regions, the
// client has one more object in each region, which asks the first one for allowances.

import { DurableObject } from "cloudflare:workers";
import { LIMITS } from "../../document/contract/limits.ts";
import { withTimeout } from "../../runtime/rpc.ts";
import type {
  LimitDecision,
  LimitRequest,
  Limits,
  RemainingLimits,
  RemovedFile,
  StoredBytes,
} from "../ports/limiter.ts";
import { objectAt } from "../regions/located-env.ts";
import { regionNamed } from "../regions/regions.ts";
import type { Env } from "../settings/config.ts";
import { type Allowance, Allowances, type Report, type SerializedAllowances } from "./allowances.ts";
import { ClientCounts, type SerializedCounts } from "./client-counts.ts";
import { RegionCounts } from "./region-counts.ts";

const KEY = "counts";
const ALLOWANCES_KEY = "allowances";
const STORE_AFTER_MS = 1000;
/** Delay of the alarm that deletes the storage of an inactive client. After it, even the daily counts have expired. */
const TIDY_AFTER_MS = 25 * 3_600_000;

/** Names the center of an object that works with allowances. */
export interface AllowanceSource {
  readonly client: string;
  /** Region of the center. */
  readonly center: string;
  /** Region of the object. */
  readonly region: string;
}

export class ClientLimits extends DurableObject<Env> {
  #allowances = new Allowances();
  #counts = new ClientCounts();
  /** The counts of an object that works with allowances. */
  #region: RegionCounts | undefined;
  #hasAlarm = false;
  #isDue = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => {
      const others = () => this.#allowances.counted;
      this.#allowances = new Allowances(await ctx.storage.get<SerializedAllowances>(ALLOWANCES_KEY));
      this.#counts = new ClientCounts(await ctx.storage.get<SerializedCounts>(KEY), { others });
      this.#hasAlarm = (await ctx.storage.getAlarm()) !== null;
    });
  }

  async ask(limits: Limits, request: LimitRequest, source?: AllowanceSource): Promise<LimitDecision> {
    return this.#keepAccepted(await this.#countsOf(source).ask(limits, request));
  }

  renew(lease: string, source?: AllowanceSource): void {
    this.#countsOf(source).renew(lease);
    this.#keep();
  }

  leave(lease: string | undefined, bytes: number, source?: AllowanceSource): void {
    this.#countsOf(source).leave(lease, bytes);
    this.#keep();
  }

  async store(megabytes: number, stored: StoredBytes, source?: AllowanceSource): Promise<LimitDecision> {
    return this.#keepAccepted(await this.#countsOf(source).store(megabytes, stored));
  }

  giveBack(stored: StoredBytes, source?: AllowanceSource): void {
    this.#countsOf(source).giveBack(stored);
    this.#keep();
  }

  removed(files: readonly RemovedFile[], source?: AllowanceSource): void {
    this.#countsOf(source).removed(files);
    this.#keep();
  }

  async peek(limits: Limits, source?: AllowanceSource): Promise<RemainingLimits> {
    return this.#countsOf(source).peek(limits);
  }

  /** Grants an allowance to a region. The platform holds the response back until the allowance is stored. */
  grant(region: string, report: Report): Allowance {
    const allowance = this.#allowances.grant(region, report, this.#counts);
    void this.ctx.storage.put(ALLOWANCES_KEY, this.#allowances.kept);
    this.#keep();
    return allowance;
  }

  /** Deletes the storage of an inactive client, because the platform charges for each object with storage. */
  override async alarm(): Promise<void> {
    this.#hasAlarm = false;
    if ((this.#region ?? this.#counts).isEmpty && this.#allowances.isEmpty) await this.ctx.storage.deleteAll();
    else this.#keep();
  }

  #countsOf(source: AllowanceSource | undefined): ClientCounts | RegionCounts {
    if (source === undefined) return this.#counts;
    const call = (report: Report) =>
      withTimeout(LIMITS.allowanceCallMs, async () => this.#centerOf(source).grant(source.region, report));
    this.#region ??= new RegionCounts(this.#counts.kept, { call, later: (work, ms) => void setTimeout(work, ms) });
    return this.#region;
  }

  #centerOf({ client, center }: AllowanceSource): DurableObjectStub<ClientLimits> {
    const namespace = this.env.CLIENT_LIMITS as DurableObjectNamespace<ClientLimits>;
    const region = regionNamed(center, this.env);
    return region ? objectAt(namespace, this.env, region, client) : namespace.get(namespace.idFromName(client));
  }

  #keepAccepted(decision: LimitDecision): LimitDecision {
    if (!decision.rejected) this.#keep();
    return decision;
  }

  #keep(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      void this.ctx.storage.put(KEY, (this.#region ?? this.#counts).kept);
      if (!this.#hasAlarm) void this.ctx.storage.setAlarm(Date.now() + TIDY_AFTER_MS);
      this.#hasAlarm = true;
    }, STORE_AFTER_MS);
  }
}
