// Downloads a stored file as a stream. Resumes the download after a broken connection.

import { backoffMs, delay, raceAbort } from "./backoff.ts";
import type { Connection } from "./connection.ts";
import { isTemporary, PagewrightError } from "./error.ts";
import type { CallOptions } from "./progress.ts";

export interface Download {
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** Size in bytes; undefined if unknown. */
  readonly size: number | undefined;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Maximum time without receiving data. */
const SILENCE_MS = 60_000;

/** Starts a download. */
export async function download(connection: Connection, id: string, options: CallOptions = {}): Promise<Download> {
  const { signal, onProgress } = options;
  const first = await connection.request(pathOf(id), { signal }, async (response) => response);
  const name = nameIn(first.headers.get("Content-Disposition")) ?? id;
  const length = first.headers.get("Content-Length");
  const size = length === null ? undefined : Number(length);
  const bytes = bytesOf(connection, id, first, signal);
  let receivedBytes = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await bytes.next();
        if (done) return controller.close();
        receivedBytes += value.length;
        onProgress?.({
          phase: "downloading",
          name,
          receivedBytes,
          ...(size === undefined ? {} : { totalBytes: size }),
        });
        controller.enqueue(value);
      },
      cancel: async () => {
        await bytes.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return { name, type: first.headers.get("Content-Type") ?? "application/octet-stream", size, body };
}

const pathOf = (id: string) => `/resource/${encodeURIComponent(id)}?format=file`;

/** Yields the bytes of a file. After a broken connection, requests the missing range. */
async function* bytesOf(
  connection: Connection,
  id: string,
  first: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const etag = first.headers.get("ETag");
  let [response, received, failures] = [first, 0, 0];
  for (;;) {
    const reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
    try {
      for (;;) {
        const { done, value } = await readWithin(reader, signal);
        if (done) return;
        received += value.length;
        failures = 0;
        yield value;
      }
    } catch (error) {
      if (!isTemporary(error) || etag === null || failures++ >= connection.retries) throw error;
      await delay(backoffMs(failures - 1, undefined), signal);
    } finally {
      reader.cancel().catch(() => {});
    }
    const headers = { Range: `bytes=${received}-`, "If-Match": etag };
    response = await connection.request(pathOf(id), { headers, signal }, async (answer) => answer);
    if (response.status !== 206) throw new PagewrightError(response.status, "The service did not resume the download.");
  }
}

async function readWithin<T>(reader: ReadableStreamDefaultReader<T>, signal: AbortSignal | undefined) {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error("No byte arrived for a minute.")), SILENCE_MS);
  try {
    return await raceAbort(raceAbort(reader.read(), limit.signal), signal);
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new PagewrightError(0, "The connection broke during the download.", { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the file name in a Content-Disposition (RFC 6266): `filename*`, or `filename` if the former is missing. */
function nameIn(disposition: string | null): string | undefined {
  const encoded = /filename\*=utf-8''([^;\s]+)/i.exec(disposition ?? "")?.[1];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  const [, quoted, token] = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;]+))/i.exec(disposition ?? "") ?? [];
  return quoted?.replace(/\\(.)/g, "$1") ?? token;
}
