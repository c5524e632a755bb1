// Talks to the service: stores files, runs jobs and follows them, removes files. Keeps nothing, and no key.

import type { Problem } from "../model/problems.ts";
import { factsIn, type JobProgress, type JobResponse, type StoredInfo } from "../model/responses.ts";

/** An error with which the service answered, or a connection that broke. */
export class RequestError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.sentence);
    this.problem = problem;
  }
}

const POLL_MS = 400;
/** Questions about a job in a row that may get no answer; the pause before each is twice as long as before. */
const MAX_LOST_POLLS = 5;
/** `MAX_INPUTS` of a service that has not changed it. */
const MAX_REMOVED = 1000;
/** Makes an answer tell about the files that it names. */
const DESCRIBED = { "Include-File-Info": "true" };
const LOST: Problem = { status: 0, sentence: "The connection to the service was lost." };

/** Returns the address of a path of the service, which may be served below a path itself. */
export const urlOf = (path: string): string => new URL(path.replace(/^\//, ""), document.baseURI).href;

export const fileAddress = (id: string): string => urlOf(`resource/${id}?format=file`);

const keyHeader = (key: string): Record<string, string> => (key === "" ? {} : { "Api-Key": key });

/**
 * Stores a file.
 * @param onProgress called with the part of the file that was sent, from 0 to 1
 * @returns its id
 */
export function upload(
  file: File,
  { key, onProgress, signal }: { key: string; onProgress(part: number): void; signal: AbortSignal },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", urlOf("upload"));
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Content-Filename", encodeURIComponent(file.name));
    for (const [name, value] of Object.entries(keyHeader(key))) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const requestId = request.getResponseHeader("X-Request-Id") ?? undefined;
      const body = parse(request.responseText) as { files?: { id: string }[]; error?: string };
      const id = body.files?.[0]?.id;
      if (request.status === 200 && id !== undefined) resolve(id);
      else reject(new RequestError(problemOf(request.status, body.error, requestId)));
    };
    request.onerror = () => reject(new RequestError(LOST));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}

/**
 * Stores the file at an address, which the service fetches.
 * @returns its id
 */
export async function uploadFrom(url: string, { key, signal }: { key: string; signal: AbortSignal }): Promise<string> {
  const headers = { "Content-Type": "application/json", Accept: "application/json", ...keyHeader(key) };
  const response = await send("upload", { method: "POST", headers, body: JSON.stringify({ url: [url] }), signal });
  if (!response.ok) throw await refusalOf(response);
  return ((await response.json()) as { files: { id: string }[] }).files[0]!.id;
}

/** @returns undefined if nothing is known about the file */
export async function infoOf(id: string): Promise<StoredInfo | undefined> {
  const response = await fetch(urlOf(`resource/${id}?format=info`)).catch(() => undefined);
  return response?.ok ? factsIn((await response.json()) as StoredInfo) : undefined;
}

export async function remove(id: string, key: string): Promise<void> {
  const response = await send(`resource/${id}`, { method: "DELETE", headers: keyHeader(key) });
  if (!response.ok && response.status !== 404) throw await refusalOf(response);
}

/** Removes files. Those that are gone already are no error. */
export async function removeAll(ids: readonly string[], key: string): Promise<void> {
  const headers = { "Content-Type": "application/json", Accept: "application/json", ...keyHeader(key) };
  for (let at = 0; at < ids.length; at += MAX_REMOVED) {
    const body = JSON.stringify({ ids: ids.slice(at, at + MAX_REMOVED) });
    const response = await send("delete", { method: "POST", headers, body });
    if (!response.ok) throw await refusalOf(response);
  }
}

/** Reports whether the service has a file, as far as it can be asked. */
export async function isStored(id: string): Promise<boolean> {
  const response = await fetch(fileAddress(id), { method: "HEAD" }).catch(() => undefined);
  return response?.status !== 404;
}

/** Returns facts about a file that need not be opened for them; undefined if nothing is known about it. */
export async function headOf(id: string): Promise<StoredInfo | undefined> {
  const response = await fetch(fileAddress(id), { method: "HEAD" }).catch(() => undefined);
  if (!response?.ok) return undefined;
  const { headers } = response;
  const expires = headers.get("Expires");
  return {
    name: nameIn(headers.get("Content-Disposition") ?? "") ?? id,
    type: headers.get("Content-Type") ?? "",
    size: Number(headers.get("Content-Length")),
    ...(expires === null ? {} : { expires: new Date(expires).toISOString() }),
  };
}

/** Returns the name in a Content-Disposition as the service writes it: coded (RFC 8187), quoted or a token. */
function nameIn(disposition: string): string | undefined {
  const coded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  return coded === undefined ? /filename="?([^";]+)/i.exec(disposition)?.[1] : decodeURIComponent(coded);
}

/** Makes the browser download a stored file. */
export function saveFile(id: string): void {
  const link = document.createElement("a");
  link.href = fileAddress(id);
  link.download = "";
  link.click();
}

export interface JobSettings {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string;
  /** True if the service tells about jobs while they run. */
  readonly follows: boolean;
  readonly signal: AbortSignal;
  /** Lifetime of what is stored. @default that of all files */
  readonly lifetimeSeconds?: number;
  onProgress?(progress: JobProgress): void;
}

/** Runs a job to its end. When the signal aborts, the job is canceled, and what it stored is removed. */
export async function runJob(settings: JobSettings): Promise<JobResponse> {
  const { path, body, key, follows, signal, lifetimeSeconds, onProgress } = settings;
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json",
    ...DESCRIBED,
    ...keyHeader(key),
    ...(lifetimeSeconds === undefined ? {} : { "File-Lifetime": String(lifetimeSeconds) }),
    ...(follows ? { Prefer: "respond-async" } : {}),
  };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  if (!follows) return (await answerOf(await send(path, { ...init, signal }))) as JobResponse;
  // Only the acceptance names the job. It is awaited even if nobody wants the job any more, which could run otherwise.
  const accepted = send(path, init).then(answerOf);
  const answer = await unlessAborted(accepted, signal, () => void accepted.then(discard, () => {}));
  return "requestId" in answer
    ? await follow(answer.requestId, { key, signal, ...(onProgress ? { onProgress } : {}) })
    : answer;

  function discard(unwanted: JobResponse | { readonly requestId: string }): void {
    if ("requestId" in unwanted) cancelJob(unwanted.requestId, key);
    else for (const id of [unwanted.outputId].flat()) void remove(id, key).catch(() => {});
  }
}

async function answerOf(response: Response): Promise<JobResponse | { readonly requestId: string }> {
  if (!response.ok) throw await refusalOf(response);
  return (await response.json()) as JobResponse | { requestId: string };
}

function cancelJob(requestId: string, key: string): void {
  const init = { method: "DELETE", headers: keyHeader(key), keepalive: true };
  void fetch(urlOf(`request-status/${requestId}`), init).catch(() => {});
}

type Status =
  | ({ readonly status: "pending" } & JobProgress)
  | ({ readonly status: "completed" } & JobResponse)
  | { readonly status: "failed"; readonly error: string; readonly errorStatus: number };

async function follow(
  requestId: string,
  { key, signal, onProgress }: Pick<JobSettings, "key" | "signal" | "onProgress">,
): Promise<JobResponse> {
  const cancel = () => cancelJob(requestId, key);
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (let lost = 0; ; ) {
      const answer = await statusOf(requestId, key, signal).catch((error: unknown) => {
        if (!isTransient(error) || ++lost > MAX_LOST_POLLS) throw error;
      });
      if (answer) {
        lost = 0;
        if (answer.status === "completed") return answer;
        if (answer.status === "failed") throw new RequestError(problemOf(answer.errorStatus, answer.error, requestId));
        onProgress?.(answer);
      }
      await pause(POLL_MS * 2 ** lost, signal);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

async function statusOf(requestId: string, key: string, signal: AbortSignal): Promise<Status> {
  const response = await send(`request-status/${requestId}`, { headers: { ...DESCRIBED, ...keyHeader(key) }, signal });
  if (!response.ok) throw await refusalOf(response);
  return (await response.json()) as Status;
}

/** Reports whether the same question may be answered later: no answer came, or the service or a proxy is busy. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false;
  const { status } = error.problem;
  return status === 0 || status === 429 || status >= 500;
}

export const pause = (ms: number, signal: AbortSignal): Promise<void> => {
  let timer: ReturnType<typeof setTimeout>;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return unlessAborted(over, signal, () => clearTimeout(timer));
};

/** Waits for a value, but no longer than until the signal aborts. */
function unlessAborted<T>(value: Promise<T>, signal: AbortSignal, onAbort: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      onAbort();
      reject(signal.reason);
    };
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Draws one page of a stored PDF, where pages have no addresses of their own. Nothing is stored. */
export async function drawPage(id: string, page: number, { key, dpi }: { key: string; dpi: number }): Promise<Blob> {
  const headers = { "Content-Type": "application/json", Accept: "image/png", ...keyHeader(key) };
  const body = JSON.stringify({ id, output: "page", pages: String(page), resolution: dpi });
  const response = await send("png", { method: "POST", headers, body });
  if (!response.ok) throw await refusalOf(response);
  return await response.blob();
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(urlOf(path), init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new RequestError(LOST);
  }
}

async function refusalOf(response: Response): Promise<RequestError> {
  const { error } = parse(await response.text()) as { error?: string };
  const problem = problemOf(response.status, error, response.headers.get("X-Request-Id") ?? undefined);
  const retrySeconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return new RequestError({ ...problem, ...(Number.isFinite(retrySeconds) ? { retrySeconds } : {}) });
}

const problemOf = (status: number, sentence: string | undefined, requestId: string | undefined): Problem => ({
  status,
  sentence: sentence ?? `The service answered with status ${status}.`,
  ...(requestId === undefined ? {} : { requestId }),
});

/** A proxy before the service may answer with something other than JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
