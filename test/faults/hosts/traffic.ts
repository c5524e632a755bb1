// Mixed requests to hosts under faults, and what their clients know about the answers.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SERVED_BY } from "../../support/balancer.ts";
import type { Random } from "../statistics.ts";

export const PLAIN = "key-without-limits";
export const LIMITED = "key-with-limits";
export const UPLOADS = "key-of-uploads";
/** A client gives up on a request after this time. */
const ANSWER_MS = 20_000;
/** Time after which a request without any answer is a defect. */
const GIVE_UP_MS = 240_000;
const RETRY_MS = 300;

export type Kind = "sync" | "idempotent" | "async" | "limited" | "tus";
const KINDS: readonly Kind[] = ["sync", "idempotent", "idempotent", "async", "async", "limited", "limited", "tus"];

/** A response with its body, or undefined for a broken connection. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Accepted {
  readonly kind: Kind;
  /** The different sets of file IDs that answers contained: must be one. */
  readonly results: Set<string>;
  /** The different IDs of the job. */
  readonly jobs: Set<string>;
  readonly ids: Set<string>;
}

/** A successful request of one key. Times are in milliseconds since 1970. */
export interface Success {
  readonly key: string;
  readonly sent: number;
  readonly answered: number;
  /** Port of the host. */
  readonly host: number;
}

/** A request without a response: the client does not know its outcome. Times are in milliseconds since 1970. */
export interface Broken {
  readonly key: string;
  readonly sent: number;
  readonly ended: number;
  /** True if the client gave up, false if the connection broke. */
  readonly isLate: boolean;
}

export class Traffic {
  readonly #url: string;
  readonly #webhook: string;
  readonly #random: Random;
  readonly #pdf: Uint8Array;
  readonly accepted: Accepted[] = [];
  readonly successes: Success[] = [];
  readonly complaints: string[] = [];
  readonly broken: Broken[] = [];
  /** Numbers of responses by status. */
  readonly statuses = new Map<number, number>();
  done = 0;

  constructor(url: string, webhook: string, random: Random, pdf: Uint8Array) {
    [this.#url, this.#webhook, this.#random, this.#pdf] = [url, webhook, random, pdf];
  }

  /** Sends requests until `count` of them are done, with several clients. */
  async run(count: number, clients: number, pauseMs = 0): Promise<void> {
    let next = 0;
    const client = async () => {
      while (next < count) {
        const kind = KINDS[next++ % KINDS.length]!;
        await this.#one(kind).catch((error: Error) => this.complaints.push(`${kind}: ${error.message}`));
        this.done++;
        await sleep(pauseMs * this.#random.next());
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
  }

  /** Waits until all accepted jobs are completed, and adds their results. */
  async jobs(): Promise<void> {
    for (const entry of this.accepted.filter(({ kind }) => kind === "async")) {
      for (const id of entry.jobs) {
        await this.#completed(id, entry).catch((error: Error) => this.complaints.push(`job ${id}: ${error.message}`));
      }
    }
  }

  async #one(kind: Kind): Promise<void> {
    if (kind === "tus") return await this.#upload();
    const entry: Accepted = { kind, results: new Set(), jobs: new Set(), ids: new Set() };
    const isPicture = kind !== "limited" && this.#random.next() < 0.5;
    const body = () => formOf(kind, isPicture ? this.#pdf : undefined);
    const path = isPicture ? "/png" : "/html";
    const headers: Record<string, string> = { "Api-Key": kind === "limited" ? LIMITED : PLAIN };
    if (kind === "async") Object.assign(headers, { Prefer: "respond-async", "Webhook-Url": this.#webhook });
    if (kind === "idempotent" || kind === "async") headers["Idempotency-Key"] = randomUUID();
    const send = () => this.#send("POST", path, headers, body);
    if (kind === "limited" || kind === "sync") return void this.#take(entry, await send());
    await this.#until(async () => this.#take(entry, await send()));
    // The same again, on another host, perhaps twice at the same time.
    const copies = this.#random.next() < 0.3 ? [send(), send()] : [send()];
    for (const copy of await Promise.all(copies)) this.#take(entry, copy);
  }

  /** Takes the result of an answer. @returns true if there is one */
  #take(entry: Accepted, answer: Answer | undefined): boolean {
    if (!answer || answer.status >= 500 || answer.status === 409 || answer.status === 429) {
      return false;
    }
    if (answer.status > 202) throw new Error(`status ${answer.status}: ${JSON.stringify(answer.body)}`);
    if (entry.results.size + entry.jobs.size === 0) this.accepted.push(entry);
    const { requestId } = answer.body;
    if (typeof requestId === "string" && answer.status === 202) entry.jobs.add(requestId);
    else addResult(entry, answer.body);
    return true;
  }

  async #upload(): Promise<void> {
    const entry: Accepted = { kind: "tus", results: new Set(), jobs: new Set(), ids: new Set() };
    const headers = { "Api-Key": UPLOADS, "Tus-Resumable": "1.0.0" };
    const length = String(this.#pdf.length);
    const half = this.#pdf.length >> 1;
    let path = "";
    await this.#until(async () => {
      const made = await this.#send("POST", "/upload/tus", { ...headers, "Upload-Length": length });
      if (made?.status === 201) path = new URL(made.headers.get("Location")!, this.#url).pathname;
      return path !== "";
    });
    await this.#until(async () => {
      const head = await this.#send("HEAD", path, headers);
      if (head?.status !== 200) return false;
      const offset = Number(head.headers.get("Upload-Offset"));
      if (offset === this.#pdf.length) return true;
      const part = this.#pdf.subarray(offset, offset < half ? half : undefined);
      const type = { "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(offset) };
      await this.#send("PATCH", path, { ...headers, ...type }, () => Buffer.from(part));
      return false;
    });
    addResult(entry, { inputId: path.split("/").at(-1) });
    this.accepted.push(entry);
  }

  async #completed(id: string, entry: Accepted): Promise<void> {
    await this.#until(async () => {
      const answer = await this.#send("GET", `/request-status/${id}`, {});
      if (answer?.status !== 200) return false;
      const { status, error } = answer.body;
      if (status === "failed") throw new Error(`failed: ${error}`);
      if (status === "completed") addResult(entry, answer.body);
      return status === "completed";
    });
  }

  async #until(attempt: () => Promise<boolean>): Promise<void> {
    const started = performance.now();
    while (!(await attempt())) {
      if (performance.now() - started > GIVE_UP_MS) throw new Error(`no answer within ${GIVE_UP_MS} ms`);
      await sleep(RETRY_MS);
    }
  }

  /** @returns undefined if the connection broke or the client gave up */
  async #send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: () => FormData | Buffer<ArrayBuffer>,
  ): Promise<Answer | undefined> {
    const sent = Date.now();
    const key = headers["Api-Key"] ?? "";
    try {
      const signal = AbortSignal.timeout(ANSWER_MS);
      const init = { method, headers, signal, ...(body ? { body: body() } : {}) };
      const response = await fetch(this.#url + path, init);
      const text = await response.text();
      const { status } = response;
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      const isRefused = status === 503 && response.headers.has("Retry-After");
      if (status >= 500 && !isRefused) this.complaints.push(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
      const host = Number(response.headers.get(SERVED_BY));
      if (status < 300) this.successes.push({ key, sent, answered: Date.now(), host });
      return { status, headers: response.headers, body: text.startsWith("{") ? JSON.parse(text) : {} };
    } catch (error) {
      this.broken.push({ key, sent, ended: Date.now(), isLate: (error as Error).name === "TimeoutError" });
      return undefined;
    }
  }
}

/** Adds the files of a JSON answer. */
export function addResult(entry: Accepted, body: Readonly<Record<string, unknown>>): void {
  const ids = [body.outputId ?? [], body.inputId ?? []].flat() as string[];
  entry.results.add(JSON.stringify(ids));
  for (const id of ids) entry.ids.add(id);
}

function formOf(kind: Kind, pdf: Uint8Array | undefined): FormData {
  const form = new FormData();
  form.set("output", "made");
  if (pdf) {
    form.set("file", new File([Buffer.from(pdf)], "a.pdf"));
    form.set("resolution", "24");
  } else form.set("content", contentOf(kind));
  return form;
}

/** Content by which a stored file tells from which kind of request it is. */
export const contentOf = (kind: Kind) => `<p>content of ${kind}`;
