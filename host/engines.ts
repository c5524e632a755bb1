// Starts the container's server on the loopback address, as a supervised process, and stops it with all its child
// processes.

import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { join } from "node:path";
import { MISCONFIGURED } from "../container/engine-selection.ts";

export interface EngineSettings {
  /** @default any free port */
  readonly port?: number;
  /** Secret that callers must send. @default a random one */
  readonly secret?: string;
  /** Receives the log of the server: `inherit`, or a file descriptor. */
  readonly output: "inherit" | number;
  /** Environment variables of the server. This module adds further variables. */
  readonly env: NodeJS.ProcessEnv;
}

export interface EngineServer {
  /** URL on 127.0.0.1, without a trailing slash. Restarts of the server do not change it. */
  readonly url: string;
  /** Secret that callers must send. */
  readonly secret: string;
  /** Environment variables with which the app connects to the server. */
  readonly vars: Readonly<Record<string, string>>;
  /** Process ID of the current server. */
  readonly pid: number | undefined;
  /** Resolves when supervisor and server have exited for any reason. */
  readonly ended: Promise<void>;
  /** Stops all processes, first with SIGTERM. */
  stop(): Promise<void>;
  /** Kills supervisor and server; their child processes then exit by themselves. */
  kill(): void;
}

const LISTENS_WITHIN_MS = 30_000;
/** Maximum time for stopping. It is longer than the time that the supervisor allows the server. */
const STOP_WITHIN_MS = 9_000;
const root = join(import.meta.dirname, "..");
/** Folder of the compile cache, with which the processes start faster. */
export const compiledFolder: string = join(root, "container/dist/compiled");

/**
 * Starts the server, and resolves when it listens. The engines might still be starting; jobs wait for them.
 * @throws Error if it does not start
 */
export async function startEngineServer(settings: EngineSettings): Promise<EngineServer> {
  const { port, secret = randomBytes(24).toString("base64url"), output, env } = settings;
  const chosen = port ?? (await freePort());
  const child = spawnSupervisor(output, { ...env, PORT: String(chosen), CONTAINER_SECRET: secret });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let pid: number | undefined;
  child.on("message", (message) => {
    ({ pid } = message as { readonly pid: number });
  });
  const stop = () => endProcess(child, ended);
  try {
    await listening(child);
  } catch (error) {
    await stop();
    throw error;
  }
  const url = `http://127.0.0.1:${chosen}`;
  return {
    url,
    secret,
    vars: { CONTAINER_URL: url, CONTAINER_SECRET: secret },
    get pid() {
      return pid;
    },
    ended,
    stop,
    kill: () => child.kill("SIGKILL"),
  };
}

/** Starts the supervisor with the same command as the container image. */
function spawnSupervisor(output: EngineSettings["output"], env: NodeJS.ProcessEnv): ChildProcess {
  const server = [process.execPath, "--no-warnings", join(root, "container/server.ts")];
  const stdio: StdioOptions = ["ignore", output, output, "ipc"];
  return spawn("perl", [join(root, "container/supervision/supervise.pl"), ...server], {
    env: { NODE_COMPILE_CACHE: compiledFolder, ...env, HOST: "127.0.0.1" },
    // Detached, so that Ctrl-C in the terminal does not reach the supervisor. The server exits when the IPC channel
    // closes, which happens when this process exits for any reason.
    detached: true,
    stdio,
  });
}

/**
 * Thrown if a setting of the container is invalid, so that every further attempt would fail. The container's log names
 * the setting.
 */
export class Misconfigured extends Error {
  override readonly message = "The container cannot read one of its settings, see above.";
}

const ended = () => new Error("The container ended.");

function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The container did not start to listen.")), LISTENS_WITHIN_MS);
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      settled();
    };
    child.once("message", () => settle(resolve));
    child.once("error", (error) => settle(() => reject(error)));
    child.once("exit", (code) => settle(() => reject(code === MISCONFIGURED ? new Misconfigured() : ended())));
  });
}

async function endProcess(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
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
