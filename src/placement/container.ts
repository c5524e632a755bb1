// Connects the Worker to the container, for placement/remote.ts: a Durable Object in production, an address in
// development, a shared secret in both. Knows nothing about operations or frames.
import type { Env } from "../core/config.ts";
import { EngineFailure } from "../core/failure.ts";
import { LIMITS } from "../core/limits.ts";
import type { Container } from "../core/operation.ts";
import { wait } from "../core/pause.ts";

const DEFAULT_INSTANCES = 2;
const ASK_EVERY_MS = 500;

export interface ConnectedContainer extends Container {
  /**
   * Waits, for a limited time, until a lost container responds again.
   * @throws the signal's reason when aborted
   */
  comesBack(signal: AbortSignal): Promise<void>;
}

/**
 * @param client distinguishes the requests of one client from those of others, and has no other meaning
 * @returns undefined if the service runs without a container
 */
export function connectContainer(env: Env, requestId: string, client: string): ConnectedContainer | undefined {
  const { CONTAINER_SECRET: secret } = env;
  const connection = secret ? connectionOf(env) : undefined;
  if (!secret || !connection) return undefined;
  return {
    async post(operation, body, signal) {
      // This timeout covers only the wait for a response. The time limit of a job is set elsewhere.
      const slow = new AbortController();
      const timer = setTimeout(() => slow.abort(), LIMITS.containerAnswerMs);
      const upload = streamOf(body);
      const request = new Request(`${connection.base}/${operation}`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${secret}`,
          "Content-Type": "application/octet-stream",
          "X-Request-Id": requestId,
          "X-Client": client,
        },
        body: upload.stream,
        // Node requires it for a body that is a stream.
        ...{ duplex: "half" },
        signal: AbortSignal.any([signal, slow.signal]),
      });
      const response = await connection
        .fetch(request)
        .catch((cause) => {
          signal.throwIfAborted();
          if (upload.failure) throw upload.failure;
          const reason = slow.signal.aborted ? "busy" : "lost";
          throw new EngineFailure(reason, `the container is away: ${cause}`, { cause });
        })
        .finally(() => clearTimeout(timer));
      if (response.status === 200 && response.body) return response.body;
      await response.body?.cancel();
      // The job itself did not fail: the container reports a job's failure inside a response with status 200.
      const reason = response.status >= 500 ? "lost" : "busy";
      throw new EngineFailure(reason, `the container answered ${response.status}`);
    },

    async comesBack(signal) {
      const until = Date.now() + LIMITS.containerReturnMs;
      while (Date.now() < until) {
        await wait(ASK_EVERY_MS, signal);
        const ends = AbortSignal.any([signal, AbortSignal.timeout(until - Date.now())]);
        const response = await connection
          .fetch(new Request(`${connection.base}/up`, { signal: ends }))
          .catch(() => undefined);
        await response?.body?.cancel();
        signal.throwIfAborted();
        if (response?.status === 200) return;
      }
    },
  };
}

function connectionOf({ CONTAINER_URL, CONTAINER, CONTAINER_INSTANCES }: Env) {
  if (CONTAINER_URL) return { base: CONTAINER_URL, fetch: (request: Request) => fetch(request) };
  if (!CONTAINER) return undefined;
  const instances = Math.max(1, Number(CONTAINER_INSTANCES) || DEFAULT_INSTANCES);
  return {
    base: "http://container",
    fetch: (request: Request) => {
      const name = `instance-${Math.floor(Math.random() * instances)}`;
      return CONTAINER.get(CONTAINER.idFromName(name)).fetch(request);
    },
  };
}

/**
 * Returns a stream that pulls from chunks, and the error that ended them, which says more than the error of the broken
 * connection.
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
