// Runs wrangler without output, without a terminal and without network requests.

import { spawn } from "node:child_process";
import { join } from "node:path";

export const root: string = join(import.meta.dirname, "../..");

/** Path of wrangler's program. Its `bin` script would add a process that only forwards signals. */
export const wranglerCli: string = join(root, "node_modules/wrangler/wrangler-dist/cli.js");

/**
 * Returns an environment in which wrangler sends no telemetry, checks for no updates, and writes nothing outside the
 * checkout.
 */
export function wranglerEnvironment(registryPath?: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    // Without the banner, wrangler does not check for updates.
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    DO_NOT_TRACK: "1",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_WRITE_LOGS: "false",
    WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
    // Disables wrangler's pages that show all stored data at the service's port.
    X_LOCAL_EXPLORER: "false",
    X_LOCAL_OBSERVABILITY: "false",
    // A separate registry, so that two variants of the Worker do not find each other.
    ...(registryPath === undefined ? {} : { WRANGLER_REGISTRY_PATH: registryPath }),
    NO_COLOR: "1",
    FORCE_COLOR: "0",
  };
}

/**
 * Runs a wrangler command to its end.
 * @returns the command's standard output
 * @throws Error with all output of the command, if it fails
 */
export function runWrangler(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--no-warnings", wranglerCli, ...args], {
      cwd: root,
      env: wranglerEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`wrangler ${args.slice(0, 3).join(" ")} failed:\n${`${stdout}\n${stderr}`.trim()}`));
    });
  });
}
