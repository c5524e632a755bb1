// Installs the container's engines on this machine, and runs the container's service with a log file. Used by start.ts
// and by tests.

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { areFontsMade } from "../../container/fonts/make-fonts.ts";
import { type EngineServer, startEngineServer } from "../../host/engines.ts";
import { isPortFree } from "./ports.ts";
import { root } from "./wrangler.ts";

export interface ContainerOptions {
  /** Preferred port. If it is in use, any free port is used. @default any free port */
  readonly port?: number;
  /** Secret that callers must send. @default a random one */
  readonly secret?: string;
  /** Path of the log file, which is overwritten. */
  readonly logFile: string;
  /** Variables added to the service's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export type ContainerProcess = EngineServer;

const dist = join(root, "container/dist");

/**
 * Installs missing engines, makes missing fonts, and prints the progress. Returns quickly if nothing is missing. A lock
 * prevents concurrent installations.
 * @throws Error if the installation fails, for example without root. The reason has been printed by then
 */
export async function installEngines(signal?: AbortSignal): Promise<void> {
  mkdirSync(dist, { recursive: true });
  await alone([join(root, "container/install-engines.sh")], signal);
  if (areFontsMade()) return;
  console.log("Making fonts (about 10 seconds)…");
  await alone([process.execPath, "--no-warnings", join(root, "container/fonts/make-fonts.ts")], signal);
}

async function alone(command: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  const options = { stdio: "inherit" as const, ...(signal ? { signal } : {}) };
  const child = spawn("flock", [join(dist, ".lock"), ...command], options);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error("The container's engines could not be installed.");
}

/**
 * Starts the service. Resolves once it listens; LibreOffice might still be starting, and jobs wait for it.
 * @throws Error with the last lines of the log, if the service does not start
 */
export async function startContainer({
  port,
  logFile,
  env = {},
  ...rest
}: ContainerOptions): Promise<ContainerProcess> {
  mkdirSync(dirname(logFile), { recursive: true });
  const output = openSync(logFile, "w");
  try {
    const isFree = port !== undefined && (await isPortFree(port));
    return await startEngineServer({ ...(isFree ? { port } : {}), ...rest, output, env: { ...process.env, ...env } });
  } catch (error) {
    const log = readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-15).join("\n");
    throw new Error(`${(error as Error).message} ${logFile} ends with:\n${log}`);
  } finally {
    closeSync(output);
  }
}
