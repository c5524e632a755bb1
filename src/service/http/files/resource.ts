// Serves GET, HEAD and DELETE of a stored file (docs/api.md#stored-files; RFC 9110 for ranges and conditions).

import type { Config } from "../../settings/config.ts";
import type { ByteRange, FoundFile, StoredFile } from "../../storage/file.ts";
import type { DeletePolicy } from "../../storage/file-policy.ts";
import type { Store } from "../../storage/store.ts";
import {
  invalidRequest,
  noSuchFile,
  notOwner,
  outOfRange,
  preconditionFailed,
  rangeNotSatisfiable,
} from "../contract/errors.ts";
import { chunksOf } from "../requests/inputs.ts";
import { toReadableStream } from "../responses/body-stream.ts";
import { downloadHeaders, fileUrl, infoOf } from "../responses/operation-response.ts";
import { ALREADY_REMOVED } from "./delete-files.ts";

/** Query parameter with which a download also deletes the file. */
const LAST_DOWNLOAD = "delete_after";

export interface Resources {
  readonly store: Store;
  readonly baseUrl: string;
  readonly config: Pick<Config, "dialect">;
  /** Returns the properties of a file that depend on its content. */
  facts(file: StoredFile): Promise<object>;
  /**
   * Returns the policy that decides which files the request can delete.
   * @throws ServiceError 401
   */
  removals(): Promise<DeletePolicy>;
  /** Keeps the process alive after the response. */
  waitUntil(work: Promise<unknown>): void;
}

/**
 * Handles GET and HEAD.
 * @throws ServiceError 400 if the format is unknown, or is missing and the dialect has no default; 401, 403, 404, 416
 */
export async function readResource(request: Request, id: string, resources: Resources): Promise<Response> {
  const { store, baseUrl, config } = resources;
  const { searchParams } = new URL(request.url);
  const [format = config.dialect === "current" ? "file" : "", ...others] = searchParams.getAll("format");
  if (others.length > 0) throw invalidRequest();
  switch (format) {
    case "file":
      return isLastDownload(searchParams) ? readOnce(request, id, resources) : readFile(request, id, store);
    case "url":
      return Response.json({ url: fileUrl(baseUrl, (await known(id, store)).id) });
    case "info": {
      const file = await known(id, store);
      return Response.json({ ...infoOf(file, baseUrl), ...(await resources.facts(file)) });
    }
    default:
      throw invalidRequest();
  }
}

/**
 * Reports whether the download must delete the file.
 * @throws ServiceError 400
 */
function isLastDownload(query: URLSearchParams): boolean {
  const [value = "0", ...others] = query.getAll(LAST_DOWNLOAD);
  if (others.length > 0 || !/^[01]$/.test(value)) throw outOfRange(LAST_DOWNLOAD, value);
  return value === "1";
}

/** Responds with a file, and deletes the file after all its bytes have been sent. */
async function readOnce(request: Request, id: string, resources: Resources): Promise<Response> {
  const { store, waitUntil } = resources;
  const file = await known(id, store);
  if (!(await resources.removals())(file.marks)) throw notOwner();
  const response = await readFile(request, id, store);
  if (request.method !== "GET" || response.status !== 200 || response.body === null) return response;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  waitUntil(
    promise.then(async (error) => {
      if (error === undefined) await store.retire([file]);
    }),
  );
  const body = toReadableStream(chunksOf(response.body), { signal: request.signal, onEnd: resolve });
  return new Response(body, { headers: response.headers });
}

/** @throws ServiceError 401, 403, 404 */
export async function deleteResource(id: string, { store, removals }: Resources): Promise<Response> {
  const mayRemove = await removals();
  const file = await store.find(id);
  if (!file && (await store.isRetired(id))) return Response.json({ message: ALREADY_REMOVED });
  if (!file) throw noSuchFile();
  if (!mayRemove(file.marks)) throw notOwner();
  await store.retire([file]);
  return new Response(null, { status: 204 });
}

async function known(id: string, store: Store): Promise<FoundFile> {
  const file = await store.find(id);
  if (!file) throw noSuchFile();
  return file;
}

async function readFile(request: Request, id: string, store: Store): Promise<Response> {
  const { headers: requestHeaders, method } = request;
  const isConditional = ["If-Match", "If-None-Match", "If-Modified-Since", "Range"].some((name) =>
    requestHeaders.has(name),
  );
  if (method === "HEAD" || isConditional) {
    const file = await known(id, store);
    const headers = fileHeaders(file);
    if (!matchesTag(requestHeaders.get("If-Match"), file.etag, true)) throw preconditionFailed();
    if (isUnchanged(requestHeaders, file)) {
      headers.delete("Content-Length");
      return new Response(null, { status: 304, headers });
    }
    const range =
      method === "GET" && isRangeCurrent(requestHeaders, file)
        ? parseRange(requestHeaders.get("Range"), file.size)
        : undefined;
    if (range === "unsatisfiable") throw rangeNotSatisfiable(file.size);
    if (range) {
      headers.set("Content-Length", String(range.length));
      headers.set("Content-Range", `bytes ${range.offset}-${range.offset + range.length - 1}/${file.size}`);
      const opened = await store.open(id, range);
      if (!opened) throw noSuchFile();
      return new Response(opened.body, { status: 206, headers });
    }
    if (method === "HEAD") return new Response(null, { headers });
  }
  const opened = await store.open(id);
  if (!opened) throw noSuchFile();
  return new Response(opened.body, { headers: fileHeaders(opened.file) });
}

function fileHeaders({ name, type, size, etag, modified, expires }: FoundFile): Headers {
  return new Headers({
    ...(expires ? { Expires: expires.toUTCString() } : {}),
    ...downloadHeaders({ name, type }),
    "Content-Length": String(size),
    ETag: `"${etag}"`,
    "Last-Modified": modified.toUTCString(),
    "Accept-Ranges": "bytes",
    // IDs are secrets, so shared caches must not store files. Files can be deleted, so private caches must revalidate
    // them.
    "Cache-Control": "private, no-cache",
  });
}

/**
 * Compares an entity tag with If-Match (RFC 9110 13.1.1, strong) or If-None-Match (13.1.2, weak). A missing header
 * matches.
 */
function matchesTag(header: string | null, etag: string, strong: boolean): boolean {
  if (header === null || header.trim() === "*") return true;
  return header.split(",").some((item) => {
    const tag = item.trim();
    return tag === `"${etag}"` || (!strong && tag === `W/"${etag}"`);
  });
}

/** Evaluates If-None-Match and If-Modified-Since. If both are present, only the entity tag counts (RFC 9110 13.1.3). */
function isUnchanged(headers: Headers, { etag, modified }: FoundFile): boolean {
  const tags = headers.get("If-None-Match");
  if (tags !== null) return matchesTag(tags, etag, false);
  const since = Date.parse(headers.get("If-Modified-Since") ?? "");
  return Math.floor(modified.getTime() / 1000) * 1000 <= since;
}

/** Evaluates If-Range: if it does not match, the caller returns the whole file (RFC 9110 13.1.5). */
function isRangeCurrent(headers: Headers, { etag, modified }: FoundFile): boolean {
  const ifRange = headers.get("If-Range");
  return ifRange === null || ifRange === `"${etag}"` || ifRange === modified.toUTCString();
}

/**
 * Parses a Range header (RFC 9110 14.1.2). Returns undefined for several ranges or an invalid range: the caller then
 * returns the whole file, as RFC 9110 14.2 allows.
 */
function parseRange(header: string | null, size: number): ByteRange | "unsatisfiable" | undefined {
  const match = /^\s*bytes\s*=\s*(?:(\d{1,15})\s*)?-\s*(?:(\d{1,15})\s*)?$/i.exec(header ?? "");
  const [, from, to] = match ?? [];
  if (from === undefined) {
    if (to === undefined) return undefined;
    const length = Math.min(Number(to), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const first = Number(from);
  const last = to === undefined ? size - 1 : Number(to);
  if (last < first) return to === undefined ? "unsatisfiable" : undefined;
  return first >= size ? "unsatisfiable" : { offset: first, length: Math.min(last, size - 1) - first + 1 };
}
