// Runs a request with an Idempotency-Key once. Retries receive the stored response (docs/api.md#idempotency).

import { createHash, createHmac } from "node:crypto";
import { StorageFull } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import { delay } from "../../../runtime/delay.ts";
import { type RpcCall, retryOnce } from "../../../runtime/rpc.ts";
import { throughOutage } from "../../jobs/through-outage.ts";
import type { Claim, Claims, StoredResponse } from "../../ports/claims.ts";
import { RegionLost } from "../../regions/region-errors.ts";
import type { RequestServices } from "../contract/endpoint.ts";
import {
  busy,
  idempotencyKeyReused,
  invalidHeader,
  replayedError,
  requestInProgress,
  toServiceError,
} from "../contract/errors.ts";
import { isFilled } from "../contract/fields.ts";
import type { Form } from "../contract/form.ts";
import { IDEMPOTENCY_KEY_HEADER } from "../responses/negotiation.ts";

/** Name of the header that marks a replayed response. */
export const REPLAYED_HEADER = "Idempotent-Replayed";
const REPLAYED = { [REPLAYED_HEADER]: "true" };
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1000;

/**
 * Returns the claim on the request's key; undefined without a key.
 * @param client ID of the client. Equal keys of different clients are independent
 * @param regional explains the errors of calls. @default they remain as they are
 * @throws ServiceError 400 if the key is not 1 to 255 visible ASCII characters
 */
export function openClaim(
  headers: Headers,
  client: string,
  claims: Claims,
  regional = (call: RpcCall<Claim>) => call,
): Claim | undefined {
  const key = headers.get(IDEMPOTENCY_KEY_HEADER);
  if (key === null) return undefined;
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > LIMITS.idempotencyKeyLength)
    throw invalidHeader(IDEMPOTENCY_KEY_HEADER);
  const name = digest(`${client} ${key}`);
  // A failed call is repeated with a new stub, because the stub of a failed Durable Object is unusable. All calls are
  // idempotent.
  const ask = regional(retryOnce(LIMITS.claimRpcMs, () => claims.getByName(name)));
  return {
    acquire: (holder, fingerprint) => ask((claim) => claim.acquire(holder, fingerprint)),
    complete: (holder, fingerprint, response) => ask((claim) => claim.complete(holder, fingerprint, response)),
    release: (holder) => ask((claim) => claim.release(holder)),
    invalidate: (fileId) => ask((claim) => claim.invalidate(fileId)),
  };
}

/**
 * Returns a JSON value that identifies a form: its fields, and digests of its files. For a secret field, it contains a
 * digest that cannot be computed without the idempotency key.
 */
export function fingerprintContent({ fields, files, order, encoding }: Form, about: FingerprintOptions = {}): unknown {
  const { ordered, secrets, salt = "" } = about;
  const sent = [...fields].flatMap(([name, values]) => {
    const isSecret = secrets?.has(name) === true;
    // A password can consist of spaces.
    const filled = values.filter((text) => (isSecret ? text !== "" : isFilled(text)));
    // Keeps a field with an empty list, which differs from a missing field.
    const hashed = isSecret ? filled.map((value) => keyedDigest(value, salt)) : filled;
    return filled.length > 0 || values.length === 0 ? [[name, hashed] as const] : [];
  });
  const byName = (a: readonly [string, unknown], b: readonly [string, unknown]) => (a[0] < b[0] ? -1 : 1);
  return {
    // The encoding matters, because missing fields have different defaults in JSON bodies.
    isJson: encoding === "json",
    fields: sent.sort(byName),
    files: [...files]
      .map(([name, of]) => [name, of.map(({ folder = "", name, sha256 }) => [folder + name, sha256])] as const)
      .sort(byName),
    order: order.filter((name) => ordered?.has(name)),
  };
}

export interface FingerprintOptions {
  /** Names of the fields whose values are ordered by arrival, across all these fields. @default none */
  readonly ordered?: ReadonlySet<string>;
  /** Names of the secret fields. @default none */
  readonly secrets?: ReadonlySet<string>;
  /** Key for the digests of secret fields, see {@link saltOf}. */
  readonly salt?: string;
}

/** Returns the idempotency key, which is suitable as a salt because the service stores only its digest. */
export const saltOf = (headers: Headers): string => headers.get(IDEMPOTENCY_KEY_HEADER) ?? "";

export interface HandledResponse {
  readonly response: Response;
  /** The stored file, if it is the response body. */
  readonly file?: NonNullable<StoredResponse["file"]>;
  /**
   * Cancels the asynchronous job that the response announces. Called if another request has completed for the same key.
   * @default there is no such job
   */
  cancel?(): Promise<void>;
}

/** The permission of a request to run. */
interface Grant {
  /** Unique ID of the request. */
  readonly holder: string;
  /** IDs of requests with the same key and content that were lost in a crash. */
  readonly lost: readonly string[];
}

/** A request whose body has been read, ready to run. */
export interface IdempotentWork {
  /** JSON value whose digest is the fingerprint of the request. */
  readonly content: unknown;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  run(grant: Grant): Promise<HandledResponse>;
  /**
   * Deletes all files that the request stored. Called if the request fails, or another request has completed for the
   * same key.
   */
  rollback(): Promise<void>;
}

type Serving = Pick<RequestServices, "claim" | "store" | "timing" | "log" | "caller">;

/**
 * Runs the request. If another request with the same key is running or has completed, waits for it and returns its
 * response instead.
 * @throws ServiceError 409, 422; 503 if the claim is unreachable
 * @throws the error of this request, or the stored error of the completed request
 */
export async function runIdempotent({ claim, ...service }: Serving, work: IdempotentWork): Promise<Response> {
  try {
    if (claim) return await runForKey(claim, service, work);
    return (await work.run({ holder: service.store.taggedId(), lost: [] })).response;
  } catch (error) {
    await work.rollback();
    throw error;
  }
}

async function runForKey(claim: Claim, service: Omit<Serving, "claim">, work: IdempotentWork): Promise<Response> {
  const held = new HeldClaim(claim, digest(JSON.stringify(work.content)), service);
  const replayed = await service.timing.measure("wait", () => waitForReplay(held, work.signal, service.store));
  if (replayed) {
    service.log("response replayed", { status: replayed.status });
    await work.rollback();
    return replayed;
  }
  held.renewFromNowOn();
  try {
    const { response, file, cancel } = await work.run(held.grant);
    const text = file ? "" : await response.text();
    const headers = [...response.headers, ...Object.entries(service.caller?.tokenHeaders() ?? {})];
    const other = await held.keep({ status: response.status, headers, text, ...(file ? { file } : {}) });
    // A retry that found the job of this request has announced the same one.
    const isSame = other !== undefined && file === undefined && other.text === text;
    if (!other || isSame) return file ? response : new Response(text, response);
    if (file) await response.body?.cancel();
    await cancel?.();
    await work.rollback();
    return (await replay(other, service.store)) ?? Promise.reject(busy());
  } catch (error) {
    const { status, message, headers } = toServiceError(error);
    const text = JSON.stringify({ error: message });
    if (work.signal.aborted || !isOfTheRequest(status)) await held.free();
    else await held.keep({ status, headers: Object.entries(headers), text });
    throw error;
  }
}

/** Reports whether a retry would certainly fail with the same error, because the request itself causes it. */
const isOfTheRequest = (status: number) => status >= 400 && status < 500 && ![408, 409, 423, 425, 429].includes(status);

/** @returns undefined if this request must run */
async function waitForReplay(
  held: HeldClaim,
  signal: AbortSignal,
  store: RequestServices["store"],
): Promise<Response | undefined> {
  const until = Date.now() + LIMITS.claimWaitMs;
  for (let pauseMs = MIN_BACKOFF_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_BACKOFF_MS)) {
    const taken = await held.take();
    if (taken.kind === "granted") return undefined;
    if (taken.kind === "other") throw idempotencyKeyReused();
    if (taken.kind === "kept") {
      const replayed = await replay(taken.answer, store);
      if (replayed) return replayed;
      await held.forget(taken.answer);
    } else {
      if (Date.now() + pauseMs > until) throw requestInProgress();
      await delay(pauseMs, signal);
    }
  }
}

/**
 * @returns undefined if the stored response was a file that no longer exists
 * @throws ServiceError if the stored response was an error
 */
async function replay(
  { status, headers, text, file }: StoredResponse,
  store: RequestServices["store"],
): Promise<Response | undefined> {
  const all = { ...Object.fromEntries(headers), ...REPLAYED };
  if (status >= 400) throw replayedError(status, (JSON.parse(text) as { readonly error: string }).error, all);
  if (!file) return new Response(text, { status, headers: all });
  const opened = await store.open(file.id);
  return opened && new Response(opened.body, { status, headers: all });
}

/** The claim of one request. */
class HeldClaim {
  readonly #claim: Claim;
  readonly #fingerprint: string;
  readonly #holder: string;
  readonly #log: RequestServices["log"];
  #lost: readonly string[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #renewing: Promise<unknown> = Promise.resolve();

  constructor(claim: Claim, fingerprint: string, { log, store }: Pick<RequestServices, "log" | "store">) {
    this.#holder = store.taggedId();
    this.#claim = claim;
    this.#fingerprint = fingerprint;
    this.#log = log;
  }

  get grant(): Grant {
    return { holder: this.#holder, lost: this.#lost };
  }

  /** @throws ServiceError 503 if the claim is unreachable */
  async take() {
    try {
      const taken = await this.#claim.acquire(this.#holder, this.#fingerprint);
      if (taken.kind === "granted") this.#lost = taken.lost ?? [];
      return taken;
    } catch (error) {
      if (error instanceof StorageFull || error instanceof RegionLost) throw error;
      this.#log("claims unavailable", { error: String(error) });
      throw busy();
    }
  }

  renewFromNowOn(): void {
    this.#timer = setInterval(() => {
      this.#renewing = this.#claim.acquire(this.#holder, this.#fingerprint).catch(() => {});
    }, LIMITS.claimRenewMs);
  }

  /**
   * Stores a response. If that fails for as long as the claim lasts, the client receives the response anyway, but a
   * retry will run the request again.
   * @returns the response to send instead, if another request has stored one before
   */
  async keep(response: StoredResponse): Promise<StoredResponse | undefined> {
    const complete = () => this.#claim.complete(this.#holder, this.#fingerprint, response);
    return this.#end(() => throughOutage(LIMITS.claimLeaseMs, complete));
  }

  async free(): Promise<void> {
    await this.#end(() => this.#claim.release(this.#holder));
  }

  async forget({ file }: StoredResponse): Promise<void> {
    if (file) await this.#claim.invalidate(file.id);
  }

  /** Stops renewing before the last call, because a later renewal would acquire the claim again. */
  async #end<T>(last: () => Promise<T>): Promise<T | undefined> {
    clearInterval(this.#timer);
    await this.#renewing;
    try {
      return await last();
    } catch (error) {
      this.#log("claims unavailable", { error: String(error) });
      return undefined;
    }
  }
}

const keyedDigest = (text: string, key: string): string => createHmac("sha256", key).update(text).digest("hex");
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
