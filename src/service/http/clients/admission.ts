// Admits requests: counts each request against the client's limits, and records the usage of its key.

import type { UsageCollector } from "../../keys/usage-collector.ts";
import type { ClientAccount } from "../../ports/client-account.ts";
import type { LimitDecision, Limiter, Limits } from "../../ports/limiter.ts";
import type { UsageRecords } from "../../ports/usage.ts";
import { RegionLost } from "../../regions/region-errors.ts";
import type { FilePolicy } from "../../storage/file-policy.ts";
import type { Storing } from "../../storage/stored-bytes.ts";
import type { Quota } from "../../storage/uploads/one-time-uploads.ts";
import { busy, lengthRequired, outOfScope } from "../contract/errors.ts";
import { clientIdOfKey, DELETE_TOKEN_HEADER, hashToken, type ValidKey } from "./auth.ts";
import { ClientJobLease } from "./client-job-lease.ts";
import { rateLimitHeaders, refusal } from "./rate-limit.ts";
import { storingOf } from "./storing.ts";

/** Name under which requests to paths without an endpoint are counted. */
export const OTHER_OPERATION = "other";

export interface AdmissionOptions {
  /** Name under which the client is counted, from `countedName` or `addressClient`. */
  readonly client: string;
  /** The key, in the keyed variant. */
  readonly key?: ValidKey;
  readonly limits?: Limits;
  /** Name of the endpoint, or {@link OTHER_OPERATION}. */
  readonly operation: string;
  readonly isJob: boolean;
  /** Size of the body; undefined if unknown. */
  readonly bodyBytes: number | undefined;
  readonly limiter?: Limiter | undefined;
  readonly usage: { readonly collector: UsageCollector; readonly records: UsageRecords | undefined };
  waitUntil(work: Promise<unknown>): void;
  log(message: string, details: Record<string, unknown>): void;
}

/** A request whose limits are checked. */
export type LimitCheck = Pick<AdmissionOptions, "client" | "isJob" | "bodyBytes" | "limiter" | "log"> & {
  readonly limits: Limits;
};

/** Counts a request against the client's limits. @throws ServiceError 411, 429, 503 */
export async function checkLimits({
  client,
  isJob,
  bodyBytes,
  limiter,
  log,
  limits,
}: LimitCheck): Promise<LimitDecision> {
  if (limits.megabytesPerDay !== undefined && bodyBytes === undefined) throw lengthRequired();
  const verdict = await limiter?.acquire(client, limits, { isJob, bytes: bodyBytes ?? 0 }).catch((error) => {
    log("limiter unavailable", { error: String(error) });
    if (error instanceof RegionLost) throw error;
    return undefined;
  });
  if (verdict === undefined) throw busy();
  const { rejected } = verdict;
  if (rejected) throw refusal(limits, { ...verdict, rejected });
  return verdict;
}

export class Admission {
  readonly #options: AdmissionOptions;
  #receivedBytes = 0;
  #madeBytes = 0;
  #tokens = 0;
  #headers: Record<string, string> = {};
  readonly #lease: ClientJobLease;
  #token: string | undefined;
  #status = 0;
  /** Reference count: one for the request, and one for each job that continues after the response. */
  #holds = 1;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#lease = new ClientJobLease(options);
  }

  get key(): ValidKey | undefined {
    return this.#options.key;
  }

  /** The client that is charged for the request's asynchronous job. */
  get account(): ClientAccount {
    const { client, key, limits, operation } = this.#options;
    return { client, operation, ...(key ? { key: key.hash } : {}), ...(limits ? { limits } : {}) };
  }

  /** The limits for a file that a third party uploads; undefined if the client has no limit on bytes. */
  get quota(): Quota | undefined {
    const { limits, client } = this.#options;
    const { megabytesPerDay, storedMegabytes } = limits ?? {};
    if (megabytesPerDay === undefined && storedMegabytes === undefined) return undefined;
    return {
      client,
      ...(megabytesPerDay === undefined ? {} : { megabytesPerDay }),
      ...(storedMegabytes === undefined ? {} : { storedMegabytes }),
    };
  }

  /** @throws ServiceError 403, 411, 429, 503 */
  async admit(): Promise<void> {
    const { key, limits, operation } = this.#options;
    const scopes = key?.record.scopes;
    if (scopes !== undefined && operation !== OTHER_OPERATION && !scopes.includes(operation)) throw outOfScope();
    if (limits === undefined) return;
    const verdict = await checkLimits({ ...this.#options, limits });
    this.#headers = rateLimitHeaders(limits, verdict);
    if (verdict.lease !== undefined) this.#lease.start(verdict.lease);
  }

  /** Headers of every response. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }

  /** Headers of a response that contains IDs of files stored by the request. */
  get tokenHeaders(): Readonly<Record<string, string>> {
    return this.#token === undefined ? {} : { [DELETE_TOKEN_HEADER]: this.#token };
  }

  /** Returns the policy of a file stored now. The response contains the delete token. */
  newFilePolicy(): FilePolicy {
    const { key, client, limits } = this.#options;
    const counts = limits?.storedMegabytes === undefined ? {} : { counts: client };
    if (key === undefined) return counts;
    this.#token ??= crypto.randomUUID();
    return { ...counts, owner: clientIdOfKey(key), token: hashToken(this.#token) };
  }

  /** Returns the counter for stored files, see {@link storingOf}. */
  storing(expires: () => number | undefined): Storing | undefined {
    return storingOf(this.#options, expires);
  }

  /** Counts received and fetched bytes. */
  countReceived(bytes: number): void {
    this.#receivedBytes += bytes;
  }

  /** Counts the bytes of outputs, which are stored or sent. */
  countProduced(bytes: number): void {
    this.#madeBytes += bytes;
  }

  /** Counts tokens of the language model. */
  countTokens(tokens: number): void {
    this.#tokens += tokens;
  }

  /** Keeps the request counted until disposed. Used for a job that might end after the response has started. */
  retain(): Disposable {
    this.#holds++;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#release();
        isHeld = false;
      },
    };
  }

  complete(status: number): void {
    this.#status = status;
    this.#release();
  }

  #release(): void {
    this.#holds--;
    if (this.#holds > 0) return;
    const { key, limits, operation, bodyBytes = 0, usage, waitUntil, log } = this.#options;
    const uncounted = Math.max(0, this.#receivedBytes - bodyBytes) + this.#madeBytes;
    this.#lease.end(limits?.megabytesPerDay === undefined ? 0 : uncounted);
    const { collector, records } = usage;
    if (key === undefined || records === undefined) return;
    const isError = this.#status >= 400;
    // The larger number counts: the body includes more than its files, but the service might also have fetched files. A
    // failed request might not have sent all of its Content-Length, so only its received bytes count.
    const bytesIn = isError ? this.#receivedBytes : Math.max(bodyBytes, this.#receivedBytes);
    const counts = { requests: 1, errors: isError ? 1 : 0, bytesIn, bytesOut: this.#madeBytes, tokens: this.#tokens };
    collector.add(key.hash, operation, counts, { records, waitUntil, log });
  }
}
