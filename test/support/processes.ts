// Runs the project's commands as a user does. Inspects the processes that remain.

import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../scripts/services/wrangler.ts";

export interface Command {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Returns all text written so far to standard output and standard error. */
  output(): string;
  /** Resolves with the exit code, or with the name of the signal that ended the command. */
  readonly ended: Promise<number | string>;
}

/** Starts a command in a separate process group, as a terminal does. */
export function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Command {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, npm_config_loglevel: "error", ...env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  }
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? String(signal)));
  });
  return { child, pid: child.pid as number, output: () => output, ended };
}

/** @throws Error with the output, if the command ends before it has written the text */
export async function waitForOutput(command: Command, text: string): Promise<void> {
  let over = false;
  void command.ended.then(() => {
    over = true;
  });
  while (!command.output().includes(text)) {
    if (over) throw new Error(`It ended without "${text}":\n${command.output()}`);
    await sleep(50);
  }
}

/** Returns a process and all its descendants. */
export function processTree(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (/^\d+$/.test(entry)) parents.set(Number(entry), parentAndState(Number(entry))?.parent ?? 0);
  }
  const tree = [pid];
  for (const member of tree) {
    for (const [child, parent] of parents) if (parent === member) tree.push(child);
  }
  return tree;
}

/** Waits some time for processes to end, and returns those that still run. */
export async function survivors(pids: readonly number[]): Promise<number[]> {
  const running = () => pids.filter(isRunning);
  for (let looks = 0; looks < 1000 && running().length > 0; looks++) await sleep(50);
  return running();
}

export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

/**
 * Returns the child process that runs a job just submitted to a zygote. @param before an earlier child, which is
 * ignored
 */
export async function aChild(zygote: { readonly pid: number | undefined }, before?: number): Promise<number> {
  for (;;) {
    const children = zygote.pid === undefined ? [] : childrenOf(zygote.pid);
    const child = children.find((pid) => pid !== before);
    if (child !== undefined) return child;
    await sleep(2);
  }
}

/**
 * Reports whether a process runs. A child of a killed parent stays a zombie until init reaps it; zombies do not run.
 */
export function isRunning(pid: number): boolean {
  return !["Z", undefined].includes(parentAndState(pid)?.state);
}

export const parentOf = (pid: number): number | undefined => parentAndState(pid)?.parent;

/** Returns those of a server's LibreOffice processes that are converting a document. */
export function officeProcesses(server: number): number[] {
  const office = processTree(server).filter((pid) => /^(zygote|soffice|oosplash)/.test(nameOf(pid)));
  return office.filter((pid) => office.includes(parentOf(pid) ?? 0));
}

/** Waits for a process that {@link officeProcesses} returns. */
export const officeAtWork = (server: number): Promise<number> => first(() => officeProcesses(server));

/** Waits for the soffice process that plain LibreOffice starts for a document. */
export const sofficeAtWork = (parent: number): Promise<number> =>
  first(() => processTree(parent).filter((pid) => nameOf(pid).startsWith("soffice.bin")));

async function first(look: () => readonly number[]): Promise<number> {
  for (let looks = 0; looks < 6000; looks++) {
    const [pid] = look();
    if (pid !== undefined) return pid;
    await sleep(10);
  }
  throw new Error("LibreOffice does not work on a document.");
}

export function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8");
  } catch {
    return "";
  }
}

/** Returns a port that is free, if the port 1000 above it is free too. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if ((await canListen(port)) && (await canListen(port + 1000))) return port;
  }
}

export function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Reads /proc/pid/stat (proc(5)). */
function parentAndState(pid: number): { parent: number; state: string } | undefined {
  try {
    const [, state, parent] = /^\d+ \(.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return state === undefined ? undefined : { parent: Number(parent), state };
  } catch {
    return undefined;
  }
}
