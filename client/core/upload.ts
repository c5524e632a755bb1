// Uploads files. Sends a small file in one request, and a larger file in chunks (tus 1.0). Sends a stream of unknown
// size as the stream of one request, if the platform supports it.

import { backoffMs, delay } from "./backoff.ts";
import { type Connection, json } from "./connection.ts";
import { isTemporary, PagewrightError } from "./error.ts";
import type { LocalFile } from "./inputs.ts";
import type { CallOptions } from "./progress.ts";

/**
 * Bytes per request of a chunked upload, so that only one chunk is in memory. Cloudflare accepts at most 100 MB per
 * request.
 */
const PIECE_BYTES = 8 * 1024 * 1024;
const UPLOAD_LIMIT_MS = 600_000;
const TUS = { "Tus-Resumable": "1.0.0" };

export interface Uploaded {
  readonly id: string;
  readonly sizeBytes: number;
}

/** Uploads a file, and closes it, even after a failure. */
export async function uploadFile(
  connection: Connection,
  file: LocalFile,
  options: CallOptions = {},
): Promise<Uploaded> {
  const sent = (sentBytes: number) => {
    const totalBytes = file.sizeBytes === undefined ? {} : { totalBytes: file.sizeBytes };
    options.onProgress?.({ phase: "uploading", name: file.name, sentBytes, ...totalBytes });
  };
  try {
    sent(0);
    const first = await file.read(0, PIECE_BYTES);
    if (first.length < PIECE_BYTES && (file.sizeBytes ?? first.length) !== first.length) throw endedEarly(file.name);
    const isWhole = first.length < PIECE_BYTES || file.sizeBytes === PIECE_BYTES;
    if (isWhole) {
      const stored = await postFile(connection, file.name, first, options);
      sent(first.length);
      return { ...stored, sizeBytes: first.length };
    }
    if (file.sizeBytes === undefined) return await sendUnsized(connection, file, first, options, sent);
    return await sendPieces(connection, { ...file, sizeBytes: file.sizeBytes }, options, sent);
  } finally {
    await file.close();
  }
}

const endedEarly = (name: string) => new PagewrightError(0, `${name} ended before its size was reached.`);

async function postFile(
  connection: Connection,
  name: string,
  body: BodyInit,
  { signal }: CallOptions,
): Promise<{ readonly id: string }> {
  const headers = { "Content-Type": "application/octet-stream", "Content-Filename": encodeURIComponent(name) };
  const repeatable = !(body instanceof ReadableStream);
  const call = { method: "POST", headers, body, signal, repeatable, limitMs: UPLOAD_LIMIT_MS };
  const { files } = await connection.request("/upload", call, json<{ files: [{ id: string }] }>);
  return files[0];
}

/**
 * Time limit of a request in which the service fetches a URL. The service itself allows 300 s
 * (docs/api.md#inputs-by-url).
 */
const FETCH_LIMIT_MS = 360_000;

/** Sends a URL to the service, which fetches and stores the file. */
export async function storeAddress(
  connection: Connection,
  url: string,
  { signal }: CallOptions = {},
): Promise<{ readonly id: string }> {
  const headers = { "Content-Type": "application/json" };
  const call = { method: "POST", headers, body: JSON.stringify({ url: [url] }), signal, limitMs: FETCH_LIMIT_MS };
  const { files } = await connection.request("/upload", call, json<{ files: [{ id: string }] }>);
  return files[0];
}

/**
 * Reports whether the platform can send a stream as a request body. Browsers cannot on every connection: they collect
 * the stream in a Blob, which they keep on disk if it is large.
 */
const sendsStreams = () =>
  !(globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent?.startsWith("Mozilla/");

async function sendUnsized(
  connection: Connection,
  file: LocalFile,
  first: Uint8Array<ArrayBuffer>,
  options: CallOptions,
  sent: (bytes: number) => void,
): Promise<Uploaded> {
  let [start, piece] = [0, first];
  const next = async () => {
    start += piece.length;
    piece = piece.length < PIECE_BYTES ? new Uint8Array() : await file.read(start, start + PIECE_BYTES);
  };
  if (!sendsStreams()) {
    const parts: Blob[] = [];
    for (; piece.length > 0; await next()) parts.push(new Blob([piece]));
    const blob = new Blob(parts);
    const read = async (from: number, to: number) => new Uint8Array(await blob.slice(from, to).arrayBuffer());
    return sendPieces(connection, { ...file, sizeBytes: blob.size, read }, options, sent);
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (piece.length === 0) return controller.close();
        controller.enqueue(piece);
        await next();
        sent(start);
      },
    },
    { highWaterMark: 0 },
  );
  const stored = await postFile(connection, file.name, body, options);
  return { ...stored, sizeBytes: start };
}

/** Uploads a file in chunks by tus. After a failure, continues at the offset that the service reports. */
async function sendPieces(
  connection: Connection,
  file: LocalFile & { readonly sizeBytes: number },
  options: CallOptions,
  sent: (bytes: number) => void,
): Promise<Uploaded> {
  const { signal } = options;
  const { name, sizeBytes } = file;
  const path = await createUpload(connection, name, sizeBytes, signal);
  try {
    let [offset, failures] = [0, 0];
    while (offset < sizeBytes) {
      const before = offset;
      try {
        const piece = await file.read(offset, Math.min(offset + PIECE_BYTES, sizeBytes));
        if (piece.length === 0) throw endedEarly(name);
        offset = await sendPiece(connection, path, offset, piece, signal);
      } catch (error) {
        if (!isInterruption(error) || failures++ >= connection.retries) throw error;
        await delay(backoffMs(failures - 1, (error as PagewrightError).retryAfterMs), signal);
        offset = await askOffset(connection, path, signal);
      }
      if (offset > before) failures = 0;
      sent(offset);
    }
  } catch (error) {
    await connection.discard(path, TUS);
    throw error;
  }
  return { id: path.slice(path.lastIndexOf("/") + 1), sizeBytes };
}

/**
 * Reports whether an upload can continue after an error. 409 and 423 mean that the service still handles the request
 * whose connection broke.
 */
const isInterruption = (error: unknown): boolean =>
  isTemporary(error) || (error instanceof PagewrightError && [409, 423].includes(error.status));

/** Creates an upload. @returns the path of its URL, without the origin, which can differ from `baseUrl` */
function createUpload(
  connection: Connection,
  name: string,
  sizeBytes: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const headers = { ...TUS, "Upload-Length": String(sizeBytes), "Upload-Metadata": `filename ${base64(name)}` };
  return connection.request("/upload/tus", { method: "POST", headers, signal }, async (response) => {
    const id = /[^/?#]+$/.exec(response.headers.get("Location") ?? "")?.[0];
    if (id === undefined) throw new PagewrightError(response.status, "The service returned no URL for the upload.");
    return `/upload/tus/${id}`;
  });
}

function sendPiece(
  connection: Connection,
  path: string,
  offset: number,
  body: Uint8Array<ArrayBuffer>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const headers = { ...TUS, "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" };
  return connection.once(path, { method: "PATCH", headers, body, signal, limitMs: UPLOAD_LIMIT_MS }, offsetIn);
}

const askOffset = (connection: Connection, path: string, signal: AbortSignal | undefined): Promise<number> =>
  connection.request(path, { method: "HEAD", headers: TUS, signal }, offsetIn);

async function offsetIn(response: Response): Promise<number> {
  const header = response.headers.get("Upload-Offset");
  if (header !== null && /^\d+$/.test(header)) return Number(header);
  throw new PagewrightError(response.status, "The service did not report the upload offset.");
}

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
