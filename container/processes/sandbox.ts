// Detects the parts of the engines' sandboxes that this machine lacks (SECURITY.md).

import { execFile } from "node:child_process";

/**
 * `users`: engines run as the service's user. `landlock`: files are protected by the user's permissions alone.
 * `network`: command-line flags keep Chromium to its proxy. `sandbox`: renderers are not in Chromium's sandbox.
 */
export const SANDBOX_PARTS = ["users", "landlock", "network", "sandbox"] as const;
export type SandboxPart = (typeof SANDBOX_PARTS)[number];

const PROBE_TIMEOUT_MS = 5_000;
/**
 * Queries the version of Landlock, as confine.pl does. landlock_create_ruleset(2) has the same number on all
 * architectures.
 */
const LANDLOCK = "exit(syscall(444, 0, 0, 1) < 1)";

/** Returns the missing parts that affect every engine with separate processes. */
export async function missingParts(): Promise<readonly SandboxPart[]> {
  const hasLandlock = await new Promise<boolean>((resolve) => {
    execFile("perl", ["-e", LANDLOCK], { timeout: PROBE_TIMEOUT_MS }, (error) => resolve(error === null));
  });
  return [...(process.getuid?.() === 0 ? [] : ["users" as const]), ...(hasLandlock ? [] : ["landlock" as const])];
}
