// Detects which parts of the engines' sandboxes this machine lacks (SECURITY.md).

import { execFile } from "node:child_process";

/**
 * Without `users`, engines run as the service's user. Without `landlock`, only the user's permissions protect files.
 * Without `network`, only command-line flags limit Chromium to its proxy. Without `sandbox`, renderers run outside
 * Chromium's sandbox.
 */
export const SANDBOX_PARTS = ["users", "landlock", "network", "sandbox"] as const;
export type SandboxPart = (typeof SANDBOX_PARTS)[number];

const PROBE_TIMEOUT_MS = 5_000;
/**
 * Queries the version of Landlock as confine.pl does. landlock_create_ruleset(2) has the same number on all
 * architectures.
 */
const LANDLOCK = "exit(syscall(444, 0, 0, 1) < 1)";

/** Returns the missing parts that affect all engines with separate processes. */
export async function missingParts(): Promise<readonly SandboxPart[]> {
  const hasLandlock = await new Promise<boolean>((resolve) => {
    execFile("perl", ["-e", LANDLOCK], { timeout: PROBE_TIMEOUT_MS }, (error) => resolve(error === null));
  });
  return [...(process.getuid?.() === 0 ? [] : ["users" as const]), ...(hasLandlock ? [] : ["landlock" as const])];
}
