// Engines that stay: processes that say in their first line whether they are ready, and then answer in lines of JSON. Knows no engine
// and no protocol beyond that.

import type { ChildProcess } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import { killGroup } from "./process.ts";

const startTimeoutMs = 60_000;

/** What the first line of a process that is ready says of it. */
export interface About {
  readonly version: string;
  readonly startMs: number;
}

/** Waits for the first line: {"ready":true,"version","startMs"} or {"ready":false,"reason"}. @throws Error why it is not ready */
export function handshake(child: ChildProcess): Promise<About> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no word within ${startTimeoutMs} ms`)), startTimeoutMs);
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    // For as long as it lives: a signal that cannot be sent is told like this too.
    child.on("error", fail);
    child.once("exit", (code, signal) => fail(new Error(`ended by ${signal ?? code}`)));
    const lines = linesOf(child);
    lines.once("line", (line) => {
      clearTimeout(timer);
      lines.close();
      const { ready, reason, version, startMs } = parseLine(line);
      if (ready === true) resolve({ version: String(version), startMs: Number(startMs) });
      else reject(new Error(String(reason)));
    });
  });
}

/** What it writes to its standard output; that it can be read no more is told by its end. */
export function linesOf(child: ChildProcess): Interface {
  return createInterface({ input: child.stdout! }).on("error", () => {});
}

/** A line that is no JSON object says nothing. */
export function parseLine(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Lets it end by itself, as it does when its requests end, and kills it if it does not. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.stdin?.end();
  const timer = setTimeout(() => killGroup(child), 1_000);
  await ended;
  clearTimeout(timer);
}
