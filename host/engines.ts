// Runs the container's server beside this process, under its supervisor, on the loopback address. Ends it with
// everything it started.

import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { join } from "node:path";
import { MISCONFIGURED } from "../container/engine-selection.ts";

export interface EngineSettings {
  /** @default any free one */
  readonly port?: number;
  /** Receives the log of the server: `inherit`, or a file descriptor. */
  readonly output: "inherit" | number;
  /** The server's environment, without what is decided here. */
  readonly env: NodeJS.ProcessEnv;
}

export interface EngineServer {
  /** URL on 127.0.0.1, without a slash at the end. It stays the same when the server is restarted. */
  readonly url: string;
  /** Secret that callers must send. */
  readonly secret: string;
  /** Settings with which the app finds the server. */
  readonly vars: Readonly<Record<string, string>>;
  /** Process ID of the current server. */
  readonly pid: number | undefined;
  /** Resolves when supervisor and server have ended, intentionally or not. */
  readonly ended: Promise<void>;
  /** Ends every process, gently first. */
  stop(): Promise<void>;
  /** Ends supervisor and server at once; what they started ends by itself. */
  kill(): void;
}

const LISTENS_WITHIN_MS = 30_000;
/** Maximum time to stop, longer than the supervisor gives the server. */
const STOP_WITHIN_MS = 9_000;
const root = join(import.meta.dirname, "..");
/** Compiled code of the processes, which start faster with it. */
export const compiledFolder: string = join(root, "container/dist/compiled");

/**
 * Starts the server, and resolves once it listens. Its engines may still be starting then, and jobs wait for them.
 * @throws Error if it does not start
 */
export async function startEngineServer({ port, output, env }: EngineSettings): Promise<EngineServer> {
  const chosen = port ?? (await freePort());
  const secret = randomBytes(24).toString("base64url");
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

/** Starts the supervisor like the container's image does. */
function spawnSupervisor(output: EngineSettings["output"], env: NodeJS.ProcessEnv): ChildProcess {
  const server = [process.execPath, "--no-warnings", join(root, "container/server.ts")];
  const stdio: StdioOptions = ["ignore", output, output, "ipc"];
  return spawn("perl", [join(root, "container/supervision/supervise.pl"), ...server], {
    env: { NODE_COMPILE_CACHE: compiledFolder, ...env, HOST: "127.0.0.1" },
    // Detached from the terminal's Ctrl-C. The channel tells the server when this process has ended, for whatever
    // reason.
    detached: true,
    stdio,
  });
}

/** A setting cannot be read; the container's log says which. Another attempt would end in the same way. */
export class Misconfigured extends Error {
  override readonly message = "The container cannot read one of its settings, see above.";
}

const ended = () => new Error("The container ended.");

function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The container does not listen.")), LISTENS_WITHIN_MS);
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
