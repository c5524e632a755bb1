// Sends requests to one service: with the key, a limit on the time until the answer, and further attempts.

import { backoffMs, delay } from "./backoff.ts";
import { errorOf, isTemporary, OriginRefused, PagewrightError } from "./error.ts";

export interface Options {
  /** Address of the service, for example `https://pagewright.example.com`. */
  readonly baseUrl: string | URL;
  /** Sent as `Api-Key`; the keyed variant requires one. */
  readonly apiKey?: string | undefined;
  /** Sent with each request, besides those of the client itself. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sends the requests. @default the global fetch */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** How often a request that failed for a passing reason is repeated. @default 5 */
  readonly retries?: number | undefined;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
  readonly signal?: AbortSignal | undefined;
  /** False if the body can be read only once. @default true */
  readonly repeatable?: boolean;
  /** Time until `read` has done its work. @default 60 s */
  readonly limitMs?: number;
  /** Statuses besides successes that `read` takes. */
  readonly expects?: readonly number[];
}

const LIMIT_MS = 60_000;
const PROBE_LIMIT_MS = 5_000;
const RETRIES = 5;

export class Connection {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly retries: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: NonNullable<Options["fetch"]>;
  /** From then on, a request that fails has lost its connection. */
  #hasAnswered = false;

  constructor({ baseUrl, apiKey, headers, fetch: send, retries = RETRIES }: Options) {
    const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
    if (url?.protocol !== "http:" && url?.protocol !== "https:") {
      throw new PagewrightError(0, `baseUrl must be an http or https URL, not "${baseUrl}".`);
    }
    this.baseUrl = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
    this.retries = retries;
    // Without this, each request would fail as if the service were away.
    if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey)) throw new PagewrightError(0, "The key has characters of no key.");
    this.#headers = { ...headers, ...(apiKey ? { "Api-Key": apiKey } : {}) };
    // A method of another object would be called with the wrong `this`.
    this.#fetch = send ?? ((target, init) => fetch(target, init));
  }

  /**
   * Sends a request until it succeeds, fails for good or has used up its attempts.
   * @param read reads the answer; if the connection breaks meanwhile, that is a failed attempt
   * @throws PagewrightError, or the reason of the signal
   */
  async request<T>(path: string, call: RequestOptions, read: (response: Response) => Promise<T>): Promise<T> {
    const attempts = call.repeatable === false ? 1 : this.retries + 1;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(path, call, read);
      } catch (error) {
        if (attempt >= attempts || !isTemporary(error)) throw error;
        await delay(backoffMs(attempt - 1, (error as PagewrightError).retryAfterMs), call.signal);
      }
    }
  }

  /** Sends a request once. */
  async once<T>(path: string, call: RequestOptions, read: (response: Response) => Promise<T>): Promise<T> {
    const { method = "GET", headers, body, signal, limitMs = LIMIT_MS, expects = [] } = call;
    signal?.throwIfAborted();
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), limitMs);
    try {
      const response = await this.#fetch(this.baseUrl + path, {
        method,
        headers: { ...this.#headers, ...headers },
        // A key must not follow a redirect to elsewhere.
        redirect: "manual",
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
        ...(body === undefined ? {} : { body }),
        // Without it, Node sends no streams.
        ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
      });
      this.#hasAnswered = true;
      if (!response.ok && !expects.includes(response.status)) throw await errorOf(response);
      return await read(response);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof PagewrightError) throw error;
      const why = limit.signal.aborted ? `did not answer within ${limitMs / 1000} s` : "could not be reached";
      if (!limit.signal.aborted) await this.#probe(error, signal);
      throw new PagewrightError(0, `The service at ${this.baseUrl} ${why}.`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Tells a service that refuses the page's origin from one that is away: browsers fail both alike, and take an answer
   * without CORS of the first one alone.
   * @throws OriginRefused
   */
  async #probe(cause: unknown, canceled: AbortSignal | undefined): Promise<void> {
    const { origin } = (globalThis as { location?: { origin?: string } }).location ?? {};
    if (this.#hasAnswered || !origin || origin === new URL(this.baseUrl).origin) return;
    const limit = AbortSignal.timeout(PROBE_LIMIT_MS);
    const signal = canceled ? AbortSignal.any([canceled, limit]) : limit;
    const isThere = await this.#fetch(`${this.baseUrl}/up`, { mode: "no-cors", signal } as RequestInit).then(
      () => true,
      () => false,
    );
    canceled?.throwIfAborted();
    if (!isThere) return;
    const message = `The service at ${this.baseUrl} does not name this page's origin, ${origin}, in CORS_ORIGINS.`;
    throw new OriginRefused(0, message, { cause });
  }
}

export async function json<T>(response: Response): Promise<T> {
  const text = await response.text();
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new PagewrightError(response.status, "The address answered, but it is not that of a service.", { cause });
  }
}

/** For answers without a body that matters. */
export async function discardBody(response: Response): Promise<void> {
  await response.body?.cancel();
}
