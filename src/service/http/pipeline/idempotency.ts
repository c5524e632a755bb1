// Carries out the work of a request with an Idempotency-Key once, and answers its repetitions with the same answer
// (docs/api.md#idempotency). Knows nothing about endpoints.

import { createHash, createHmac } from "node:crypto";
import { StorageFull } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import { delay } from "../../../runtime/delay.ts";
import { retryOnce } from "../../../runtime/rpc.ts";
import type { Claim, Claims, StoredResponse } from "../../ports/claims.ts";
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

/** Header field of an answer that another request with the same key got before. */
export const REPLAYED_HEADER = "Idempotent-Replayed";
const REPLAYED = { [REPLAYED_HEADER]: "true" };
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1000;

/**
 * Returns the claim on the key of a request; undefined if it has none.
 * @param client identifier of those who share their keys
 * @throws ServiceError 400 if the key is not 1 to 255 visible ASCII characters
 */
export function openClaim(headers: Headers, client: string, claims: Claims): Claim | undefined {
  const key = headers.get(IDEMPOTENCY_KEY_HEADER);
  if (key === null) return undefined;
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > LIMITS.idempotencyKeyLength)
    throw invalidHeader(IDEMPOTENCY_KEY_HEADER);
  const name = digest(`${client} ${key}`);
  // A Durable Object that has failed needs another stub. Every question may be asked twice.
  const ask = retryOnce(LIMITS.claimRpcMs, () => claims.getByName(name));
  return {
    acquire: (holder, fingerprint) => ask((claim) => claim.acquire(holder, fingerprint)),
    complete: (holder, fingerprint, answer) => ask((claim) => claim.complete(holder, fingerprint, answer)),
    release: (holder) => ask((claim) => claim.release(holder)),
    invalidate: (fileId) => ask((claim) => claim.invalidate(fileId)),
  };
}

/**
 * Returns what makes a form another one if it changes: its fields and the content of its files, in any encoding. Secrets
 * count by a digest that nobody can repeat without the key of the request.
 */
export function fingerprintContent({ fields, files, order, encoding }: Form, about: FingerprintOptions = {}): unknown {
  const { isOrdered = false, secrets, salt = "" } = about;
  const sent = [...fields].flatMap(([name, values]) => {
    const filled = values.filter(isFilled);
    // A list without values differs from a field that was not sent.
    const told = secrets?.has(name) ? filled.map((value) => keyedDigest(value, salt)) : filled;
    return filled.length > 0 || values.length === 0 ? [[name, told] as const] : [];
  });
  const byName = (a: readonly [string, unknown], b: readonly [string, unknown]) => (a[0] < b[0] ? -1 : 1);
  return {
    // JSON has another default for a field that was not sent.
    isJson: encoding === "json",
    fields: sent.sort(byName),
    files: [...files].map(([name, of]) => [name, of.map(({ name, sha256 }) => [name, sha256])] as const).sort(byName),
    order: isOrdered ? order.filter((name) => files.has(name) || name === "id" || name === "url") : [],
  };
}

export interface FingerprintOptions {
  /** True if the order in which inputs of different kinds arrive matters. @default false */
  readonly isOrdered?: boolean;
  /** Names of the fields that are secret. @default none */
  readonly secrets?: ReadonlySet<string>;
  /** See {@link saltOf}. */
  readonly salt?: string;
}

/** Returns the key of a request, of which nothing but a digest is kept. */
export const saltOf = (headers: Headers): string => headers.get(IDEMPOTENCY_KEY_HEADER) ?? "";

export interface HandledResponse {
  readonly response: Response;
  /** The stored file that is the body, if it is one. */
  readonly file?: NonNullable<StoredResponse["file"]>;
}

/** The right of a request to do the work of its key. */
export interface ClaimGrant {
  /** Identifier of the request. */
  readonly holder: string;
  /** Those of requests with the same content that were lost in a crash. */
  readonly lost: readonly string[];
}

/** The work of a request whose body has been read. */
export interface IdempotentWork {
  /** What makes the request another one if it changes, as JSON can hold it. */
  readonly content: unknown;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** @param claimed the right to work, if the request has a key */
  run(claimed?: ClaimGrant): Promise<HandledResponse>;
  /** Removes everything that the request stored. Called if another request has answered. */
  rollback(): Promise<void>;
}

type Serving = Pick<RequestServices, "claim" | "store" | "timing" | "log" | "caller">;

/**
 * Carries out the work, or waits for the request that does and returns its answer.
 * @throws ServiceError 409, 422; 503 if nobody knows whether the work was done
 * @throws the error of the work, now or then
 */
export async function runIdempotent({ claim, ...service }: Serving, work: IdempotentWork): Promise<Response> {
  if (!claim) return (await work.run()).response;
  const held = new HeldClaim(claim, digest(JSON.stringify(work.content)), service.log);
  const replayed = await service.timing.measure("wait", () => waitForReplay(held, work.signal, service.store));
  if (replayed) {
    service.log("response replayed", { status: replayed.status });
    await work.rollback();
    return replayed;
  }
  held.renewFromNowOn();
  try {
    const { response, file } = await work.run(held.claimed);
    const text = file ? "" : await response.text();
    const headers = [...response.headers, ...Object.entries(service.caller?.tokenHeaders() ?? {})];
    const other = await held.keep({ status: response.status, headers, text, ...(file ? { file } : {}) });
    if (!other) return file ? response : new Response(text, response);
    if (file) await response.body?.cancel();
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

/** Reports whether an error is certain to come again, unlike those of the service or of the moment. */
const isOfTheRequest = (status: number) => status >= 400 && status < 500 && ![408, 409, 423, 425, 429].includes(status);

/** @returns undefined if the work is ours */
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
 * @returns undefined if the file that was the answer is not there any more
 * @throws ServiceError if an error was the answer
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

/** A claim, as one request sees it. */
class HeldClaim {
  readonly #claim: Claim;
  readonly #fingerprint: string;
  readonly #holder = crypto.randomUUID();
  readonly #log: RequestServices["log"];
  #lost: readonly string[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #renewing: Promise<unknown> = Promise.resolve();

  constructor(claim: Claim, fingerprint: string, log: RequestServices["log"]) {
    this.#claim = claim;
    this.#fingerprint = fingerprint;
    this.#log = log;
  }

  get claimed(): ClaimGrant {
    return { holder: this.#holder, lost: this.#lost };
  }

  /** @throws ServiceError 503 if the claim cannot be reached */
  async take() {
    try {
      const taken = await this.#claim.acquire(this.#holder, this.#fingerprint);
      if (taken.kind === "granted") this.#lost = taken.lost ?? [];
      return taken;
    } catch (error) {
      if (error instanceof StorageFull) throw error;
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
   * Keeps an answer. If that fails, the answer is the client's all the same; only a repetition works again.
   * @returns the answer that counts instead
   */
  async keep(answer: StoredResponse): Promise<StoredResponse | undefined> {
    return this.#end(() => this.#claim.complete(this.#holder, this.#fingerprint, answer));
  }

  async free(): Promise<void> {
    await this.#end(() => this.#claim.release(this.#holder));
  }

  async forget({ file }: StoredResponse): Promise<void> {
    if (file) await this.#claim.invalidate(file.id);
  }

  /** A renewal that arrives after the end would take the claim again. */
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
