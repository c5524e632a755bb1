// The server's part of the supervision by supervise.pl: sends heartbeats, and handles uncaught exceptions.

import { writeSync } from "node:fs";
import type { Log } from "../../src/runtime/log-line.ts";

/** Interval between heartbeats. The supervisor waits for several intervals before it kills the server. */
const BEAT_MS = 500;
/** Maximum number of uncaught exceptions within a minute. More indicate a persistent fault. */
const MAX_UNEXPECTED = 20;
const MINUTE_MS = 60_000;
/** Exit code EX_SOFTWARE of sysexits(3). */
const EXIT_CODE = 70;

/** Starts to send heartbeats. Must be called when the server is ready. Does nothing if there is no supervisor. */
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
 * Keeps the process running after an uncaught exception. Such an exception is a bug in this service, but only its own
 * job fails: jobs share only pools and engines, which check their own state, and every wait for the interrupted work
 * has a limit. The process exits only after too many exceptions, or if it has not finished starting.
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
