// Runs the Worker under `wrangler dev`, or a bundled Worker without it. Ends all processes that it started. Used by
// start.ts and by tests.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { Settings } from "./bundled-worker.ts";
import { root, wranglerCli, wranglerEnvironment } from "./wrangler.ts";

export type Variant = "private" | "keyed";

export interface DevServerOptions {
  readonly variant: Variant;
  /** Port of the service; 0 selects any free port. */
  readonly port: number;
  /** Port of the debugger. @default any free port */
  readonly inspectorPort?: number;
  /** Folder of the local R2 and KV. */
  readonly persistTo: string;
  /** Path of the log file, which is overwritten. */
  readonly logFile: string;
  /** Variables that replace `[vars]` of wrangler.toml. */
  readonly vars?: Readonly<Record<string, string>>;
  /**
   * True: before it delivers a response, wrangler reads the rest of the request body, for clients that cannot receive a
   * response during an upload. False: it delivers the response at once.
   * @default true
   */
  readonly drainBodies?: boolean;
  /**
   * Path of a `BundledWorker`, which runs without wrangler.
   * @default wrangler bundles src/index.ts, and again after each change
   */
  readonly bundle?: string | undefined;
  /** Called with each line that wrangler or the Worker writes. */
  onLine?(line: string): void;
  /** When aborted, stops waiting and ends all started processes. */
  readonly signal?: AbortSignal;
}

export interface DevServer {
  /** URL on 127.0.0.1, without a final slash. */
  readonly url: string;
  readonly port: number;
  /** Process ID of wrangler, and also the ID of the process group that contains all its children. */
  readonly pid: number;
  /** Resolves when the service has exited for any reason. */
  readonly ended: Promise<void>;
  /** Ends every process: SIGTERM first, then SIGKILL. */
  stop(): Promise<void>;
  /** Kills every process immediately. */
  kill(): void;
}

const READY_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 3_000;

/**
 * Starts the service, and resolves once GET /up returns 200.
 * @throws Error with the last lines of the log, if the service does not start
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const log = openLog(options.logFile);
  const child = spawnServer(options);
  const pid = child.pid as number;
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => {
      log.close();
      resolve();
    });
  });
  const kill = () => killGroup(pid);
  // Ends the processes that wrangler leaves behind when it exits unexpectedly.
  child.once("exit", kill);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await Promise.race([ended, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
    kill();
    await ended;
  };

  const failed = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error("The service did not start."));
    void ended.then(fail);
    options.signal?.addEventListener("abort", fail);
    readLines(child, (line) => {
      log.write(line);
      options.onLine?.(line);
      // Fails at once: after a failed build, wrangler would wait until the sources change.
      if (line.includes("[ERROR]")) fail();
    });
    setTimeout(fail, READY_WITHIN_MS).unref();
  });

  try {
    const port = await Promise.race([listeningPort(child), failed]);
    const url = `http://127.0.0.1:${port}`;
    await Promise.race([untilResponding(`${url}/up`, ended), failed]);
    watchRuntime(pid, ended, kill, options.bundle === undefined ? 2 : 1);
    return { url, port, pid, ended, stop, kill };
  } catch (error) {
    await stop();
    throw new Error(`${(error as Error).message} ${options.logFile} ends with:\n${logTail(options.logFile)}`);
  }
}

/** Returns the last lines of a log. */
export function logTail(logFile: string, lines = 25): string {
  return readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
}

/**
 * Returns the workerd processes of a service: first the process that runs the Worker, then wrangler's proxy.
 * @param group - {@link DevServer.pid}
 */
export function workerdPids(group: number): number[] {
  const found: { pid: number; runsWorker: boolean }[] = [];
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      // proc(5): after the name in parentheses come the state, the parent and the process group.
      const [, name, state, pgrp] =
        /^\d+ \((.*)\) (\S) \d+ (\d+)/s.exec(readFileSync(`/proc/${entry}/stat`, "utf8")) ?? [];
      if (name !== "workerd" || state === "Z" || Number(pgrp) !== group) continue;
      const runsWorker = readFileSync(`/proc/${entry}/cmdline`, "utf8").includes("--inspector-addr");
      found.push({ pid: Number(entry), runsWorker });
    } catch {
      // The process has ended meanwhile.
    }
  }
  return found.sort((a, b) => Number(b.runsWorker) - Number(a.runsWorker)).map(({ pid }) => pid);
}

function spawnServer(options: DevServerOptions): ChildProcess {
  // CONTAINER_URL=off disables the platform's containers, which need Docker.
  // The buckets and containers of further regions exist only in a deployment.
  const vars = { CONTAINER_URL: "off", REGIONS: "", BOUND_REGIONS: "", ...options.vars, VARIANT: options.variant };
  const { port, persistTo, bundle } = options;
  const wrangler = [
    ...[wranglerCli, "dev", "--local"],
    ...["--ip", "127.0.0.1", "--port", String(port), "--inspector-port", String(options.inspectorPort ?? 0)],
    ...["--persist-to", persistTo, "--show-interactive-dev-session=false"],
    ...Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
  ];
  const settings: Settings = { port, persistTo, vars };
  const bundled = [join(root, "scripts/services/bundled-worker.ts"), String(bundle), JSON.stringify(settings)];
  const imported = ["--no-warnings", "--import", join(root, "scripts/services/exit-with-parent.mjs")];
  return spawn(process.execPath, [...imported, ...(bundle === undefined ? wrangler : bundled)], {
    cwd: root,
    env: {
      ...wranglerEnvironment(join(options.persistTo, "registry")),
      ...(options.drainBodies === false ? { WRANGLER_DISABLE_REQUEST_BODY_DRAINING: "true" } : {}),
    },
    // Starts a process group, so that Ctrl-C in the terminal reaches only this process, and one signal reaches the
    // whole group.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // The process group no longer exists.
  }
}

/** Resolves with the port once wrangler reports to its parent that it listens. */
function listeningPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.on("message", (message) => {
      const { event, port } = JSON.parse(String(message)) as { event?: string; port?: number };
      if (event === "DEV_SERVER_READY" && port !== undefined) resolve(port);
    });
  });
}

async function untilResponding(url: string, ended: Promise<void>): Promise<void> {
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.status === 200) return;
    await sleep(100);
  }
}

/**
 * Ends the server if the runtime has crashed, because the server keeps running without it. Two consecutive checks must
 * find fewer runtimes than it needs, because they are also missing for a short time during a reload.
 */
function watchRuntime(group: number, ended: Promise<void>, kill: () => void, runtimes: number): void {
  let pids = workerdPids(group);
  let missing = 0;
  const timer = setInterval(() => {
    if (!pids.every(isAlive)) pids = workerdPids(group);
    missing = pids.length < runtimes ? missing + 1 : 0;
    if (missing >= 2) kill();
  }, 1500);
  timer.unref();
  void ended.then(() => clearInterval(timer));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const input of [child.stdout, child.stderr]) {
    if (input === null) continue;
    // esbuild colors its messages regardless of the settings, so control characters are removed.
    createInterface({ input, crlfDelay: Infinity }).on("line", (line) => onLine(stripVTControlCharacters(line)));
  }
}

/** Opens a log. Writes are synchronous, so that the last lines before a crash are not lost. */
function openLog(file: string): { write(line: string): void; close(): void } {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, "w");
  let open = true;
  return {
    write(line) {
      if (open) writeSync(descriptor, `${line}\n`);
    },
    close() {
      open = false;
      closeSync(descriptor);
    },
  };
}
