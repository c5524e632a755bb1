// Sends signed requests to a bucket of an S3-compatible store, and maps error responses to errors.

import { DOMParser, type Element } from "@xmldom/xmldom";
import { AwsClient } from "aws4fetch";
import { StorageFull } from "../../../src/document/contract/failure.ts";
import { LIMITS } from "../../../src/document/contract/limits.ts";

export interface S3Settings {
  /** URL of the store, without the bucket. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Key of an object. @default the request is for the bucket itself */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Statuses that the caller handles, in addition to success. */
  readonly expected?: readonly number[];
}

/** An unexpected response of the store. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  readonly status: number;
  readonly code: string;
  constructor(what: string, status: number, code: string) {
    super(`the S3 store answered ${what} with ${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

const RETRIES = 3;
/**
 * A request to a store that has just not responded waits this long. A failed request deletes its files one after the
 * other, and would otherwise wait for the whole limit again and again.
 */
const SILENT_LIMIT_MS = 3000;
/** Time after an expired limit in which the shorter limit applies, unless the store responds. */
const SILENT_MS = 15_000;
/** A timer is as late as this only if the process does not run. */
const LATE_MS = 1000;
const INSUFFICIENT_STORAGE = 507;
/** Error codes of a full store: Ceph, MinIO and its derivatives, Wasabi, Scality. */
const FULL = new Set([
  "QuotaExceeded",
  "XMinioStorageFull",
  "StorageFull",
  "InsufficientStorage",
  "InsufficientCapacity",
]);

export class S3Client {
  readonly #aws: AwsClient;
  readonly #url: string;
  /** Time until which requests have the shorter limit. The clock is that of `performance.now()`. */
  #silentUntil = 0;

  constructor({ endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Settings) {
    this.#aws = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3", retries: RETRIES });
    this.#url = `${endpoint.replace(/\/+$/, "")}/${bucket}`;
  }

  /**
   * Resolves with the response headers. The time limit ends there, because the reader determines the duration of the
   * body.
   * @throws StorageFull, or S3Error if the status is neither success nor expected
   */
  send(request: S3Request): Promise<Response> {
    return this.#sendAndRead(request, async (response) => response);
  }

  /** Sends a request, and buffers the response. */
  sendWhole(request: S3Request): Promise<Response> {
    return this.#sendAndRead(
      request,
      async (response) => new Response(response.status === 204 ? null : await response.bytes(), response),
    );
  }

  async #sendAndRead(request: S3Request, read: (response: Response) => Promise<Response>): Promise<Response> {
    const { method, key, query = {}, headers = {}, body, expected = [] } = request;
    const url = new URL(
      key === undefined ? this.#url : `${this.#url}/${key.split("/").map(encodeURIComponent).join("/")}`,
    );
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const limit = new AbortController();
    const limitMs = performance.now() < this.#silentUntil ? SILENT_LIMIT_MS : LIMITS.storeResponseMs;
    using _ = timeLimit(limitMs, () => {
      if (limitMs === LIMITS.storeResponseMs) this.#silentUntil = performance.now() + SILENT_MS;
      limit.abort(new Error("the S3 store does not respond"));
    });
    const init = { method, headers, signal: limit.signal, ...(body === undefined ? {} : { body: body as BodyInit }) };
    const response = await this.#aws.fetch(url, init);
    this.#silentUntil = 0;
    if (response.ok || expected.includes(response.status)) return await read(response);
    throw failure(`${method} ${key ?? ""}`, response.status, await response.text());
  }

  /**
   * Sends a request, and parses the XML response. If a store fails after it has sent status 200, the XML contains an
   * error.
   */
  async sendForXml(request: S3Request): Promise<Element> {
    const text = await (await this.sendWhole(request)).text();
    const root = parse(text);
    if (root === undefined || root.localName === "Error") throw failure(request.method, 200, text);
    return root;
  }
}

/**
 * Calls a function after the time limit of a response. If this process was frozen meanwhile, the limit starts again:
 * the response might have arrived, and a file whose deletion counts as failed would remain.
 */
function timeLimit(limitMs: number, expire: () => void): Disposable {
  let timer: ReturnType<typeof setTimeout>;
  const start = () => {
    const started = performance.now();
    timer = setTimeout(() => (performance.now() - started > limitMs + LATE_MS ? start() : expire()), limitMs);
  };
  start();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

function failure(what: string, status: number, text: string): Error {
  const root = parse(text);
  const code = root ? (textOf(root, "Code") ?? "") : "";
  const error = new S3Error(what, status, code);
  if (status !== INSUFFICIENT_STORAGE && !FULL.has(code)) return error;
  return new StorageFull("the S3 store is full", { cause: error });
}

function parse(text: string): Element | undefined {
  if (text.trim() === "") return undefined;
  try {
    return new DOMParser({ onError: () => {} }).parseFromString(text, "text/xml").documentElement ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns the text of the first child element with a name. */
export function textOf(parent: Element, name: string): string | undefined {
  return childrenOf(parent, name)[0]?.textContent ?? undefined;
}

export function childrenOf(parent: Element, name: string): Element[] {
  return [...parent.childNodes].filter((node): node is Element => (node as Element).localName === name);
}

export const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
