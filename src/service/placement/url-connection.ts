// Connects a request to a container with a URL: on the host, and in development. There is only one such container, so a
// failed job is retried on it.

import { EngineFailure, NO_ENGINE } from "../../document/contract/failure.ts";
import { LIMITS } from "../../document/contract/limits.ts";
import { delay } from "../../runtime/delay.ts";
import { type ConnectedContainer, type JobOrigin, originHeaders } from "./connection.ts";
import type { ContainerHealth } from "./container-health.ts";
import { exchange, NotAccepted } from "./exchange.ts";

const ASK_EVERY_MS = 500;

export function connectUrl(base: string, secret: string, caller: JobOrigin): ConnectedContainer {
  return {
    async post({ name }, frames, signal) {
      const headers = { Authorization: `Bearer ${secret}`, ...originHeaders(caller) };
      const options = { url: `${base}/${name}`, headers, frames, signal };
      return exchange({ ...options, fetch: (to, init) => fetch(to, init) }).catch((error) => {
        if (!(error instanceof NotAccepted && error.status === 404)) throw error;
        // Nothing is lost: another host might have the engine.
        throw new EngineFailure("busy", `ENGINES excludes the engine of ${name}`, { cause: error, feature: NO_ENGINE });
      });
    },

    async prepareRetry(error, signal) {
      if (!(error instanceof EngineFailure && error.reason === "lost")) return false;
      // The container rejected the request, for example because of a wrong secret. It would reject the retry, too.
      if (error instanceof NotAccepted && error.status !== undefined && error.status < 500) return false;
      const until = Date.now() + LIMITS.containerReturnMs;
      while (Date.now() < until) {
        await delay(ASK_EVERY_MS, signal);
        if (await isUp(base, AbortSignal.any([signal, AbortSignal.timeout(until - Date.now())]))) break;
        signal.throwIfAborted();
      }
      return true;
    },

    prewarm() {},

    onSpans: (spans) => caller.trace?.received(spans),
  };
}

async function isUp(base: string, signal: AbortSignal): Promise<boolean> {
  const up = (await answerOf(`${base}/up`, signal)) as { readonly status?: string } | undefined;
  return up?.status === "OK";
}

/** @returns undefined if the container does not respond, or the URL belongs to another server */
export async function fetchReadiness(base: string, signal: AbortSignal): Promise<ContainerHealth | undefined> {
  const health = (await answerOf(`${base}/ready`, signal)) as Partial<ContainerHealth> | undefined;
  return health?.engines && health.queue ? (health as ContainerHealth) : undefined;
}

/** @returns undefined if the container does not respond with JSON */
async function answerOf(url: string, signal: AbortSignal): Promise<object | undefined> {
  try {
    return Object(await (await fetch(url, { signal })).json());
  } catch {
    return undefined;
  }
}
