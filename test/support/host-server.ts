// Runs the host (host/server.ts) in a separate process.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { logTail } from "../../scripts/services/dev-server.ts";
import { root } from "../../scripts/services/wrangler.ts";

export interface HostOptions {
  /** @default that of the repository */
  readonly program?: string;
  readonly dataFolder: string;
  /** Path of the log file, to which the host appends. */
  readonly logFile: string;
  /** Settings of host/settings.ts. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface HostServer {
  /** URL without a final slash. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
  /** Kills the host. Resolves when it has exited. */
  kill(): Promise<void>;
}

const PROGRAM = join(root, "host/server.ts");
const LISTENS_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 40_000;

/** @throws Error with the last lines of the log, if the host does not start */
export async function startHost({
  program = PROGRAM,
  dataFolder,
  logFile,
  settings,
}: HostOptions): Promise<HostServer> {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, "a");
  const child = spawn(process.execPath, ["--no-warnings", program], {
    env: { ...process.env, PORT: "0", ...settings, DATA_DIR: dataFolder },
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  const ended = once(child, "exit");
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
    await ended;
    clearTimeout(timer);
  };
  const timer = setTimeout(() => child.kill("SIGKILL"), LISTENS_WITHIN_MS);
  const [message] = await Promise.race([once(child, "message"), ended.then(() => [undefined])]);
  clearTimeout(timer);
  if (!message) throw new Error(`The host did not start. ${logFile} ends with:\n${logTail(logFile)}`);
  const { port } = message as { readonly port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}
