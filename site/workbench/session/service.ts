// Sends requests to the service through its client library: stores files, runs jobs, deletes files. Has no state: each
// call receives the API key.
import { Connection, discardBody, json, type RequestOptions } from "../../../client/core/connection.ts";
import { PagewrightError } from "../../../client/core/error.ts";
import { fileOfBlob } from "../../../client/core/inputs.ts";
import { runOperation } from "../../../client/core/jobs.ts";
import { storeAddress, uploadFile } from "../../../client/core/upload.ts";
import type { Problem } from "../model/problems.ts";
import { factsIn, type JobProgress, type JobResponse, type StoredInfo } from "../model/responses.ts";

/** Thrown after an error response of the service or a broken connection. */
export class RequestError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.sentence);
    this.problem = problem;
  }
}

/** Maximum number of IDs in one request to /delete: the default of MAX_INPUTS. */
const MAX_REMOVED = 1000;

/** Returns the URL of a path of the service. The base URL of the service can itself contain a path. */
export const urlOf = (path: string): string => new URL(path.replace(/^\//, ""), document.baseURI).href;

export const fileAddress = (id: string): string => urlOf(`resource/${id}?format=file`);

const connectionOf = (
  apiKey: string,
  options: { readonly headers?: Record<string, string>; fetch?: typeof send } = {},
) => new Connection({ baseUrl: urlOf("."), apiKey, ...options });

/** Runs a function, and converts errors of the client library. @throws RequestError */
async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PagewrightError ? new RequestError(problemOf(error)) : error;
  }
}

function problemOf({ status, message, requestId, parameter, help }: PagewrightError): Problem {
  return {
    status,
    sentence: status === 0 ? "The connection to the service was lost." : message,
    ...(requestId === undefined ? {} : { requestId }),
    ...(parameter === undefined ? {} : { parameter }),
    ...(help === undefined ? {} : { help: new URL(help).hash.slice(1) }),
  };
}

/**
 * Stores a file. Sends a large file in several requests, and resumes after a broken connection.
 * @param onProgress called with the uploaded fraction of the file, from 0 to 1
 * @returns its id
 */
export function upload(
  file: File,
  { key, onProgress, signal }: { key: string; onProgress(part: number): void; signal: AbortSignal },
): Promise<string> {
  let stored = 0;
  const tell = (sent: number) => onProgress(file.size > 0 ? Math.min(1, sent / file.size) : 0);
  const connection = connectionOf(key, { fetch: (url, init) => send(url, init, (sent) => tell(stored + sent)) });
  return asking(async () => {
    const { id } = await uploadFile(connection, fileOfBlob(file), {
      signal,
      onProgress: (progress) => {
        if (progress.phase === "uploading") stored = progress.sentBytes;
      },
    });
    return id;
  });
}

/** Sends a request like `fetch`, but reports upload progress. */
function send(url: string, init: RequestInit, onSent?: (bytes: number) => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(init.method ?? "GET", url);
    for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent?.(loaded);
    request.onload = () => {
      const headers = request.getAllResponseHeaders().trim().split("\r\n");
      const pairs = headers.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
      const body = request.status === 204 ? null : request.responseText;
      resolve(new Response(body, { status: request.status, headers: pairs }));
    };
    request.onerror = () => reject(new TypeError("The connection broke."));
    request.onabort = () => reject(init.signal?.reason);
    init.signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(init.body as XMLHttpRequestBodyInit);
  });
}

/**
 * Sends a URL to the service, which fetches and stores the file.
 * @returns its id
 */
export const uploadFrom = (url: string, { key, signal }: { key: string; signal: AbortSignal }): Promise<string> =>
  asking(async () => (await storeAddress(connectionOf(key), url, { signal })).id);

/** Returns the properties of a stored file; undefined if they are unavailable. */
export const infoOf = (id: string): Promise<StoredInfo | undefined> =>
  connectionOf("")
    .once(`/resource/${id}?format=info`, {}, json<StoredInfo>)
    .then(factsIn, () => undefined);

/** Deletes a file. Succeeds if the file does not exist. */
export const remove = (id: string, key: string): Promise<void> =>
  asking(() => connectionOf(key).request(`/resource/${id}`, { method: "DELETE", expects: [404] }, discardBody));

/** Deletes files. Succeeds if some of them do not exist. */
export async function removeAll(ids: readonly string[], key: string): Promise<void> {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  for (let at = 0; at < ids.length; at += MAX_REMOVED) {
    const body = JSON.stringify({ ids: ids.slice(at, at + MAX_REMOVED) });
    await asking(() => connectionOf(key).request("/delete", { method: "POST", headers, body }, discardBody));
  }
}

const HEAD: RequestOptions = { method: "HEAD", expects: [404] };
const askHead = (id: string): Promise<Response | undefined> =>
  connectionOf("")
    .once(`/resource/${id}?format=file`, HEAD, async (response) => response)
    .catch(() => undefined);

/** Reports whether a file still exists. Also returns true if the request fails for any reason other than 404. */
export const isStored = async (id: string): Promise<boolean> => (await askHead(id))?.status !== 404;

/**
 * Returns the properties of a stored file that the response headers of a HEAD request contain. The service need not
 * open the file for them. Returns undefined if the request fails.
 */
export async function headOf(id: string): Promise<StoredInfo | undefined> {
  const response = await askHead(id);
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

/** Returns the file name in a Content-Disposition of the service. It can be encoded (RFC 8187), quoted or a token. */
function nameIn(disposition: string): string | undefined {
  const coded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  return coded === undefined ? /filename="?([^";]+)/i.exec(disposition)?.[1] : decodeURIComponent(coded);
}

/** Starts the browser's download of a stored file. */
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
  readonly signal: AbortSignal;
  /** Lifetime of the stored files. @default the lifetime in the service's settings */
  readonly lifetimeSeconds?: number;
  onProgress?(progress: JobProgress): void;
}

/** Runs a job, and waits for its end. Cancels the job when the signal is aborted. */
export function runJob(settings: JobSettings): Promise<JobResponse> {
  const { path, body, key, signal, lifetimeSeconds, onProgress } = settings;
  const lifetime = lifetimeSeconds === undefined ? {} : { "File-Lifetime": String(lifetimeSeconds) };
  const connection = connectionOf(key, { headers: { "Include-File-Info": "true", ...lifetime } });
  return asking(async () => {
    const response = await runOperation(connection, path, body, {
      ...{ signal, async: true },
      onProgress: (progress) => {
        if (progress.phase === "waiting" || progress.phase === "running") onProgress?.(progress);
      },
    });
    // The events of an asynchronous job contain no file properties, so they are requested with the status.
    const { requestId } = response;
    return requestId === undefined
      ? response
      : connection.request(`/request-status/${requestId}`, { signal }, json<JobResponse>);
  });
}
