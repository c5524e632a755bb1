// Streams a body while it is produced. A failure aborts the connection, so that no client mistakes a truncated file for
// a complete one.

import { EngineFailure } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import type { Chunks } from "./overflow.ts";

export interface StreamOptions {
  /** Aborted when the client has disconnected or the job has timed out. */
  readonly signal: AbortSignal;
  /**
   * Called once, when the client has read the whole body or the stream has been aborted.
   * @param error the reason for the abort; undefined if the body is complete
   */
  onEnd(error?: unknown): void;
}

/** Returns a stream that requests a chunk only after the client has read the previous one. */
export function toReadableStream(chunks: Chunks, { signal, onEnd }: StreamOptions): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let breakOff: (error: unknown) => void = () => {};
  const end = (error?: unknown) => {
    clearTimeout(timer);
    if (isOver) return;
    isOver = true;
    signal.removeEventListener("abort", onAbort);
    // `return` waits until the current chunk has been produced.
    chunks.return(undefined).then(
      () => onEnd(error),
      () => onEnd(error),
    );
  };
  const onAbort = () => {
    breakOff(signal.reason);
    end(signal.reason);
  };
  const waitForClient = () => {
    timer = setTimeout(() => {
      const error = new EngineFailure("timed-out", `the client read nothing for ${LIMITS.answerStallMs} ms`);
      breakOff(error);
      end(error);
    }, LIMITS.answerStallMs);
  };
  signal.addEventListener("abort", onAbort);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        breakOff = (error) => controller.error(error);
        waitForClient();
      },
      async pull(controller) {
        clearTimeout(timer);
        try {
          const { done, value } = await chunks.next();
          if (isOver) return;
          if (done) {
            controller.close();
            end();
          } else {
            // Copies the chunk, because the producer can reuse its buffer.
            controller.enqueue(value.slice());
            waitForClient();
          }
        } catch (error) {
          end(error);
          throw error;
        }
      },
      cancel: (reason) => end(reason ?? new Error("the client disconnected")),
    },
    { highWaterMark: 0 },
  );
}
