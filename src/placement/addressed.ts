// Connects a request to a container that has an address, in development. There is only one, so a job is retried there.

import { EngineFailure } from "../core/failure.ts";
import { LIMITS } from "../core/limits.ts";
import { wait } from "../core/pause.ts";
import type { Caller, ConnectedContainer } from "./connection.ts";
import { exchange, NotTaken } from "./exchange.ts";

const ASK_EVERY_MS = 500;

export function connectAddress(base: string, secret: string, { requestId, client }: Caller): ConnectedContainer {
  return {
    post({ name }, frames, signal) {
      const headers = { Authorization: `Bearer ${secret}`, "X-Request-Id": requestId, "X-Client": client };
      return exchange({ url: `${base}/${name}`, headers, frames, signal, fetch: (request) => fetch(request) });
    },

    async comesBack(error, signal) {
      if (!(error instanceof EngineFailure && error.reason === "lost")) return false;
      // Nothing else will accept what this container refuses, such as the secret.
      if (error instanceof NotTaken && error.status !== undefined && error.status < 500) return false;
      const until = Date.now() + LIMITS.containerReturnMs;
      while (Date.now() < until) {
        await wait(ASK_EVERY_MS, signal);
        if ((await isUp(base, AbortSignal.any([signal, AbortSignal.timeout(until - Date.now())]))) === true) break;
        signal.throwIfAborted();
      }
      return true;
    },

    startAhead() {},
  };
}

/** @returns true if the container accepts jobs, false if it ends, undefined if it does not answer */
export async function isUp(base: string, signal: AbortSignal): Promise<boolean | undefined> {
  const response = await fetch(`${base}/up`, { signal }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok;
}
