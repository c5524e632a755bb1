// The server's side of supervise.pl: signs of life, and what becomes of an exception that nobody caught. Knows no job.

import { writeSync } from "node:fs";

type Log = (message: string, details?: Record<string, unknown>) => void;

/** The supervisor waits several times as long. */
const BEAT_MS = 500;
/** More than these within a minute are no accidents. */
const MOST_UNEXPECTED = 20;
const MINUTE_MS = 60_000;
/** sysexits(3): EX_SOFTWARE. */
const EXIT_CODE = 70;

/** Called once the server is ready. Nothing happens where it has no supervisor. */
export function showLife(descriptor = Number(process.env.HEARTBEAT_FD)): void {
  if (!Number.isInteger(descriptor)) return;
  const beat = () => {
    try {
      writeSync(descriptor, ".");
    } catch {
      // The supervisor has not read for long; what it has is enough.
    }
  };
  beat();
  setInterval(beat, BEAT_MS).unref();
}

/**
 * An exception that nobody caught is a defect of ours, and costs its own job alone: jobs share no state but pools and engines that
 * check what they hold, and every wait for what the exception cut short has a limit. So the process goes on, and the other jobs
 * with it, unless there is no end of exceptions, or it has not come up.
 */
export function outliveExceptions(log: Log, isUp: () => boolean): void {
  const times: number[] = [];
  const take = (kind: string) => (error: unknown) => {
    log("unexpected", { kind, error: String(error), stack: (error as Error | undefined)?.stack });
    const now = performance.now();
    times.push(now);
    if (times.length > MOST_UNEXPECTED) times.shift();
    const isTooMuch = times.length === MOST_UNEXPECTED && now - times[0]! < MINUTE_MS;
    if (isUp() && !isTooMuch) return;
    log("ending", { why: isUp() ? "too many unexpected exceptions" : "it has not come up" });
    process.exit(EXIT_CODE);
  };
  process.on("uncaughtException", take("exception"));
  process.on("unhandledRejection", take("rejection"));
}
