// Engines that start while the service already listens. Knows none of them.

import { EngineFailure } from "../src/operations/operation.ts";
import { untilAborted } from "./until-aborted.ts";

interface Engine {
  /** How it runs, for the health answer. */
  readonly mode: string;
  close(): Promise<void>;
}

export interface Watched<E> {
  readonly name: string;
  readonly starting: Promise<E>;
  mode(): string;
  close(): Promise<void>;
}

/** @param name for the log */
export function watched<E extends Engine>(
  name: string,
  starting: Promise<E>,
  log: (message: string, details?: Record<string, unknown>) => void,
): Watched<E> {
  let engine: E | "starting" | "failed" = "starting";
  starting.then(
    (running) => {
      engine = running;
    },
    (error) => {
      engine = "failed";
      log(`${name} cannot be started`, { error: String(error) });
    },
  );
  return {
    name,
    starting,
    mode: () => (typeof engine === "string" ? engine : engine.mode),
    // What was still starting ends with this process.
    close: async () => (typeof engine === "string" ? undefined : engine.close().catch(() => {})),
  };
}

/**
 * Whoever comes while an engine starts waits for it, but not when the job is ended.
 * @throws EngineFailure `busy` where it cannot be started
 */
export async function started<E>({ name, starting }: Watched<E>, signal: AbortSignal): Promise<E> {
  try {
    return await untilAborted(starting, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new EngineFailure("busy", `${name} cannot be started: ${error}`, { cause: error });
  }
}
