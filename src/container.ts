// The way from the Worker to the container, for operations/remote.ts: a Durable Object in production, an address in
// development, a shared secret in both. Knows no operation and no frame.
import type { Env } from "./config.ts";
import { type Container, EngineFailure } from "./operations/operation.ts";

/** An instance that sleeps has to be started first; one that is awake answers at once, before it begins to work. */
const ANSWERS_WITHIN_MS = 30_000;
const DEFAULT_INSTANCES = 2;

/**
 * @param client tells requests of one client from those of others, and nothing else
 * @returns undefined where the service runs without a container
 */
export function connectContainer(env: Env, requestId: string, client: string): Container | undefined {
  const { CONTAINER_SECRET: secret } = env;
  const connection = secret ? connectionOf(env) : undefined;
  if (!secret || !connection) return undefined;
  return {
    async post(operation, body, signal) {
      // Only getting an answer is limited here; how long a job may take is decided elsewhere.
      const slow = new AbortController();
      const timer = setTimeout(() => slow.abort(), ANSWERS_WITHIN_MS);
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
        signal: AbortSignal.any([signal, slow.signal]),
      });
      const response = await connection
        .fetch(request)
        .catch((cause) => {
          signal.throwIfAborted();
          if (upload.failure) throw upload.failure;
          throw new EngineFailure("busy", `the container is away: ${cause}`, { cause });
        })
        .finally(() => clearTimeout(timer));
      if (response.status === 200 && response.body) return response.body;
      await response.body?.cancel();
      const reason = response.status >= 500 ? "busy" : "crashed";
      throw new EngineFailure(reason, `the container answered ${response.status}`);
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

/** A stream that is pulled from chunks, with what made them end, for a connection that breaks tells less. */
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
