// Sends the frames of one request over HTTP, and returns the frames of the response or throws an error. Used for
// containers with a URL and for instances of the platform.

import { EngineFailure } from "../../document/contract/failure.ts";
import { LIMITS } from "../../document/contract/limits.ts";
import { FRAME_VERSION, FRAME_VERSION_HEADER, sameFrames } from "./frame-version.ts";

export interface ExchangeOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly frames: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/**
 * Thrown if the container did not accept a job. If a job itself fails, the response has status 200 and contains a
 * failure frame.
 */
export class NotAccepted extends EngineFailure {
  /** Status of the response; undefined without a response. */
  readonly status: number | undefined;
  readonly isOtherVersion: boolean;
  constructor(detail: string, { status, isOtherVersion = false, ...options }: NotTakenOptions = {}) {
    super("lost", detail, options);
    this.status = status;
    this.isOtherVersion = isOtherVersion;
  }
}

interface NotTakenOptions extends ErrorOptions {
  readonly status?: number;
  readonly isOtherVersion?: boolean;
}

/**
 * @throws NotAccepted if the connection breaks, or the response has no readable frames
 * @throws EngineFailure `busy` if the response takes too long
 * @throws the errors of `frames`, and the signal's reason when aborted
 */
export async function exchange(settings: ExchangeOptions): Promise<ReadableStream<Uint8Array>> {
  const response = await sendRequest(settings);
  const { status, headers, body } = response;
  const version = headers.get(FRAME_VERSION_HEADER);
  if (status === 200 && body && sameFrames(version)) return body;
  await body?.cancel();
  const isOtherVersion = (status === 200 || version !== null) && !sameFrames(version);
  const detail = isOtherVersion ? `uses frames of version ${version}, not ${FRAME_VERSION}` : `answered ${status}`;
  throw new NotAccepted(`the container ${detail}`, { status, isOtherVersion });
}

async function sendRequest({ url, headers, frames, signal, fetch }: ExchangeOptions): Promise<Response> {
  // This timeout covers only the wait for response headers. The job has a separate time limit.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), LIMITS.containerResponseMs);
  const upload = streamOf(frames);
  // Not a Request: Node no longer cancels the response of one that has been collected as garbage.
  const init = {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/octet-stream", [FRAME_VERSION_HEADER]: FRAME_VERSION },
    body: upload.stream,
    // Node requires this option for a streamed body.
    ...{ duplex: "half" },
    signal: AbortSignal.any([signal, deadline.signal]),
  };
  try {
    return await fetch(url, init);
  } catch (cause) {
    signal.throwIfAborted();
    if (upload.failure) throw upload.failure;
    if (deadline.signal.aborted) throw new EngineFailure("busy", "the container does not respond", { cause });
    throw new NotAccepted(`the container is away: ${cause}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns a stream of the chunks, and the error that the chunks ended with. This error is more precise than the error
 * of the connection that it breaks.
 */
function streamOf(chunks: AsyncIterable<Uint8Array>): {
  stream: ReadableStream<Uint8Array>;
  readonly failure?: unknown;
} {
  const iterator = chunks[Symbol.asyncIterator]();
  const upload: { stream: ReadableStream<Uint8Array>; failure?: unknown } = {
    stream: new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const { done, value } = await iterator.next();
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (error) {
            upload.failure = error;
            throw error;
          }
        },
        async cancel() {
          await iterator.return?.();
        },
      },
      { highWaterMark: 0 },
    ),
  };
  return upload;
}
