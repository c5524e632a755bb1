// Sends requests to a service. Adds the API key, limits the response time, and retries after transient failures.

import { backoffMs, delay } from "./backoff.ts";
import { errorOf, isTemporary, OriginRefused, PagewrightError } from "./error.ts";

export interface Options {
  /** Base URL of the service, for example `https://pagewright.example.com`. */
  readonly baseUrl: string | URL;
  /** API key, which the keyed variant of the service requires. */
  readonly apiKey?: string | undefined;
  /** Headers sent with each request in addition to the client's own. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sends the requests. @default the global fetch */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Maximum retries of a request after a transient failure. @default 5 */
  readonly retries?: number | undefined;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
  readonly signal?: AbortSignal | undefined;
  /** False if the request cannot be retried, because its body can be read only once. @default true */
  readonly repeatable?: boolean;
  /** Time limit until `read` has finished. @default 60 s */
  readonly limitMs?: number;
  /** Statuses other than 2xx that `read` handles. */
  readonly expects?: readonly number[];
}

const LIMIT_MS = 60_000;
/** Time limit for deleting the job and files of a canceled call. It is short, because it delays the cancellation. */
export const CANCEL_TIMEOUT_MS = 3_000;
const PROBE_LIMIT_MS = 5_000;
const RETRIES = 5;

export class Connection {
  /** Base URL of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly retries: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: NonNullable<Options["fetch"]>;
  /**
   * True after the first response. A later network failure is then a lost connection, not a wrong URL or a CORS error.
   */
  #hasAnswered = false;

  constructor({ baseUrl, apiKey, headers, fetch: send, retries = RETRIES }: Options) {
    const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
    if (url?.protocol !== "http:" && url?.protocol !== "https:") {
      throw new PagewrightError(0, `baseUrl must be an http or https URL, not "${baseUrl}".`);
    }
    this.baseUrl = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
    this.retries = retries;
    // Without this check, an invalid key would make `fetch` throw, as if the service were unreachable.
    if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey))
      throw new PagewrightError(0, "The API key contains invalid characters.");
    this.#headers = { ...headers, ...(apiKey ? { "Api-Key": apiKey } : {}) };
    // Browsers throw if `fetch` is called as a method of another object.
    this.#fetch = send ?? ((target, init) => fetch(target, init));
  }

  /**
   * Sends a request, and retries it until it succeeds, fails permanently or runs out of attempts.
   * @param read reads the response. If the connection breaks while `read` runs, the attempt has failed
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
        // A redirect could send the key to another host.
        redirect: "manual",
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
        ...(body === undefined ? {} : { body }),
        // Node requires `duplex` to send a stream.
        ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
      });
      this.#hasAnswered = true;
      if (!response.ok && !expects.includes(response.status)) throw await errorOf(response);
      return await read(response);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof PagewrightError) throw error;
      const reason = limit.signal.aborted ? `did not answer within ${limitMs / 1000} s` : "could not be reached";
      if (!limit.signal.aborted) await this.#probe(error, signal);
      throw new PagewrightError(0, `The service at ${this.baseUrl} ${reason}.`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Deletes the job or a file of a canceled call. Ignores failures. */
  async discard(path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.once(path, { method: "DELETE", headers, limitMs: CANCEL_TIMEOUT_MS }, discardBody).catch(() => {});
  }

  /**
   * Checks whether a failed request was blocked by CORS. In browsers, `fetch` fails in the same way if the service is
   * unreachable and if it rejects the page's origin. A `no-cors` request succeeds if the service is reachable.
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
    throw new PagewrightError(response.status, "The URL is not a Pagewright service.", { cause });
  }
}

/** Discards the body of a response. */
export async function discardBody(response: Response): Promise<void> {
  await response.body?.cancel();
}
