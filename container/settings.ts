// Reads the settings of the container's server from environment variables. Old names stay valid. They take
// precedence, because the image always sets the current names.

import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { CONTAINER_LIMITS } from "./limits.ts";

export interface ServerSettings {
  /** Number of concurrent jobs per operation. */
  readonly jobs: number;
  /** Time that running jobs have after SIGTERM. */
  readonly graceMs: number;
  /** Folder with fonts for all jobs. */
  readonly fontsFolder?: string;
  /** True if static documents of one client share a renderer. */
  readonly sharesRenderers: boolean;
}

/** @throws Error with a message for the operator, if a setting is invalid */
export function readServerSettings(environment: Readonly<Record<string, string | undefined>>): ServerSettings {
  const { JOBS, JOB_CONCURRENCY, GRACE_MS, SHUTDOWN_GRACE_SECONDS, FONTS_DIR, SHARED_RENDERERS } = environment;
  const count = (name: string, unit: string, text: string) => {
    if (/^\d{1,9}$/.test(text)) return Number(text);
    throw new Error(`${name} must be a number of ${unit}, not "${text}".`);
  };
  let graceMs: number = CONTAINER_LIMITS.graceMs;
  if (SHUTDOWN_GRACE_SECONDS) graceMs = 1000 * count("SHUTDOWN_GRACE_SECONDS", "seconds", SHUTDOWN_GRACE_SECONDS);
  if (GRACE_MS) graceMs = count("GRACE_MS", "milliseconds", GRACE_MS);
  const jobs = Number(JOBS || JOB_CONCURRENCY) || Math.max(2, availableParallelism());
  if (FONTS_DIR && !statSync(FONTS_DIR, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`FONTS_DIR must be a folder, and "${FONTS_DIR}" is none.`);
  }
  const shared = SHARED_RENDERERS || "on";
  if (!["on", "off"].includes(shared)) throw new Error(`SHARED_RENDERERS must be on or off, not "${shared}".`);
  return {
    jobs: Math.max(1, jobs),
    graceMs,
    sharesRenderers: shared === "on",
    ...(FONTS_DIR ? { fontsFolder: FONTS_DIR } : {}),
  };
}
