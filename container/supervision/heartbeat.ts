// The server's side of supervise.pl: sends heartbeats and handles uncaught exceptions.

import { writeSync } from "node:fs";
import type { Log } from "../../src/runtime/log-line.ts";

/** Heartbeat interval. The supervisor waits several times as long. */
const BEAT_MS = 500;
/** Maximum number of uncaught exceptions within a minute. More than that indicate a persistent fault. */
const MAX_UNEXPECTED = 20;
const MINUTE_MS = 60_000;
/** sysexits(3): EX_SOFTWARE. */
const EXIT_CODE = 70;

/** Starts the heartbeat. Call it once the server is ready. Does nothing without a supervisor. */
export function startHeartbeat(descriptor = Number(process.env.HEARTBEAT_FD)): void {
  if (!Number.isInteger(descriptor)) return;
  const beat = () => {
    try {
      writeSync(descriptor, ".");
    } catch {
      // The pipe is full of unread heartbeats, so no further one is needed.
    }
  };
  beat();
  setInterval(beat, BEAT_MS).unref();
}

/**
 * Keeps the process running after an uncaught exception. Such an exception is a bug in this service and fails only its
 * own job: jobs share only pools and engines, which check their own state, and nothing waits without a limit for the
 * interrupted work. The process ends only if there are too many exceptions, or if it has not finished starting.
 */
export function surviveExceptions(log: Log, isUp: () => boolean): void {
  const times: number[] = [];
  const take = (kind: string) => (error: unknown) => {
    log("unexpected error thrown", { kind, error: String(error), stack: (error as Error | undefined)?.stack });
    const now = performance.now();
    times.push(now);
    if (times.length > MAX_UNEXPECTED) times.shift();
    const isTooMuch = times.length === MAX_UNEXPECTED && now - times[0]! < MINUTE_MS;
    if (isUp() && !isTooMuch) return;
    log("shutdown started", { reason: isUp() ? "too many unexpected exceptions" : "it has not come up" });
    process.exit(EXIT_CODE);
  };
  process.on("uncaughtException", take("exception"));
  process.on("unhandledRejection", take("rejection"));
}
