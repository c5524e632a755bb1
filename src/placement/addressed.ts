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
        if (await isUp(base, AbortSignal.any([signal, AbortSignal.timeout(until - Date.now())]))) break;
        signal.throwIfAborted();
      }
      return true;
    },

    startAhead() {},
  };
}

async function isUp(base: string, signal: AbortSignal): Promise<boolean> {
  return (await healthOf(base, signal))?.status === "OK";
}

/** A part of the container's answer to `GET /up`. */
interface Health {
  /** `ending` if the container accepts no more jobs. */
  readonly status: "OK" | "ending";
  /** The state of each engine; absent if something else has the address. */
  readonly engines?: Readonly<Record<string, string>>;
}

/** @returns undefined if the container does not answer */
export async function healthOf(base: string, signal: AbortSignal): Promise<Health | undefined> {
  try {
    return (await (await fetch(`${base}/up`, { signal })).json()) as Health;
  } catch {
    return undefined;
  }
}
