// Runs the container's service under its supervisor on this machine: installs its engines, and ends it with everything
// it started. Used by start.ts and by the tests.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { portIsFree } from "./ports.ts";
import { root } from "./wrangler.ts";

export interface ContainerOptions {
  /** Preferred port; another one is used if it is taken. @default any free one */
  readonly port?: number;
  /** Path of the log file, which is replaced. */
  readonly logFile: string;
  /** Variables added to the service's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ContainerProcess {
  /** URL on 127.0.0.1, without a slash at the end. It stays the same when the service is restarted. */
  readonly url: string;
  /** Secret that callers must send. */
  readonly secret: string;
  /** Settings with which the Worker finds the service. */
  readonly vars: Readonly<Record<string, string>>;
  /** Process ID of the current server. */
  readonly pid: number | undefined;
  /** Ends every process, gently first. */
  stop(): Promise<void>;
  /** Ends supervisor and server at once; what they started ends by itself. */
  kill(): void;
}

const dist = join(root, "container/dist");
const LISTENS_WITHIN_MS = 30_000;
/** Maximum time to stop, longer than the supervisor gives the server. */
const STOP_WITHIN_MS = 9_000;

/**
 * Installs missing engines, and shows the progress. Fast when all are installed. Runs once at a time.
 * @throws Error if that is not possible, for example without being root; the reason has been shown
 */
export async function installEngines(signal?: AbortSignal): Promise<void> {
  mkdirSync(dist, { recursive: true });
  const script = join(root, "container/install-engines.sh");
  const child = spawn("flock", [join(dist, ".lock"), script], { stdio: "inherit", ...(signal ? { signal } : {}) });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error("The container's engines could not be installed.");
}

/**
 * Starts the service, and resolves once it listens. LibreOffice may still be starting then, and jobs wait for it.
 * @throws Error with the last lines of the log, if it does not start
 */
export async function startContainer({ port, logFile, env = {} }: ContainerOptions): Promise<ContainerProcess> {
  const chosen = port !== undefined && (await portIsFree(port)) ? port : await freePort();
  const secret = randomBytes(24).toString("base64url");
  mkdirSync(dirname(logFile), { recursive: true });
  closeSync(openSync(logFile, "w"));
  const child = spawnSupervisor(logFile, { ...env, PORT: String(chosen), CONTAINER_SECRET: secret });
  let pid: number | undefined;
  child.on("message", (message) => {
    ({ pid } = message as { readonly pid: number });
  });
  const stop = () => endProcess(child);
  try {
    await listening(child);
  } catch (error) {
    await stop();
    const log = readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-15).join("\n");
    throw new Error(`${(error as Error).message} ${logFile} ends with:\n${log}`);
  }
  const url = `http://127.0.0.1:${chosen}`;
  return {
    url,
    secret,
    vars: { CONTAINER_URL: url, CONTAINER_SECRET: secret },
    get pid() {
      return pid;
    },
    stop,
    kill: () => child.kill("SIGKILL"),
  };
}

/** Starts the supervisor like the container's image does. */
function spawnSupervisor(logFile: string, env: Readonly<Record<string, string>>): ChildProcess {
  const log = openSync(logFile, "a");
  const server = [process.execPath, "--no-warnings", join(root, "container/server.ts")];
  try {
    return spawn("perl", [join(root, "container/processes/supervise.pl"), ...server], {
      env: { ...process.env, HOST: "127.0.0.1", NODE_COMPILE_CACHE: join(dist, "compiled"), ...env },
      // Detached from the terminal's Ctrl-C. The channel tells the server when this process has ended, for whatever
      // reason.
      detached: true,
      stdio: ["ignore", log, log, "ipc"],
    });
  } finally {
    closeSync(log);
  }
}

function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The container does not listen.")), LISTENS_WITHIN_MS);
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      settled();
    };
    child.once("message", () => settle(resolve));
    child.once("error", (error) => settle(() => reject(error)));
    child.once("exit", () => settle(() => reject(new Error("The container ended."))));
  });
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
