// Tests the supervisor alone, with servers that fail on purpose: which servers it restarts, how soon, and that no
// process remains.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { root } from "../../../scripts/services/wrangler.ts";
import { eventually } from "../../support/eventually.ts";
import { type Command, parentOf, processTree, run, survivors, waitForOutput } from "../../support/processes.ts";

let folder: string;
let supervisor: Command | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "supervisor-test-"));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  if (!supervisor) return;
  for (const pid of processTree(supervisor.pid)) kill(pid);
  supervisor = undefined;
});

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

const ALIVE = `
  import { startHeartbeat, surviveExceptions } from ${JSON.stringify(join(root, "container/supervision/heartbeat.ts"))};
  const log = (message, details) => console.log(JSON.stringify({ message, ...details }));
  surviveExceptions(log, () => true);
  startHeartbeat();
  setInterval(() => {}, 1000);
  console.log("up " + process.pid + " parent " + process.ppid);
`;

/** @param source source of a module that runs as the server */
async function supervise(source: string): Promise<Command> {
  const file = join(folder, `${crypto.randomUUID()}.mjs`);
  await writeFile(file, source);
  supervisor = run("perl", [join(root, "container/supervision/supervise.pl"), process.execPath, "--no-warnings", file]);
  return supervisor;
}

/** Returns the pids of the servers, in the order in which they started. */
const pids = ({ output }: Command) => [...output().matchAll(/^up (\d+)/gm)].map(([, pid]) => Number(pid));

async function nextServer(command: Command, count: number): Promise<number> {
  return eventually(() => {
    expect(pids(command).length).toBeGreaterThanOrEqual(count);
    return pids(command)[count - 1]!;
  });
}

/** Source of a module that leaves processes in their own session without a parent, as stopped engines do. */
const LEAVE_ORPHANS = `
  import { spawn } from "node:child_process";
  const script = "setsid sh -c 'sleep 600 & sleep 600' & echo $!; sleep 600";
  spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "inherit", "inherit"] });
`;

test("a server that is killed is started again, and what it left is killed and reaped", async () => {
  const command = await supervise(LEAVE_ORPHANS + ALIVE);
  const first = await nextServer(command, 1);
  const left = await eventually(() => {
    const tree = processTree(first);
    expect(tree.length).toBeGreaterThanOrEqual(5);
    return tree;
  });
  // A stopped process does not end by itself.
  process.kill(left.at(-1)!, "SIGSTOP");
  process.kill(first, "SIGKILL");
  await nextServer(command, 2);
  expect(await survivors(left)).toEqual([]);
  // No process is a zombie child of the supervisor.
  expect(left.filter((pid) => parentOf(pid) === command.pid)).toEqual([]);
  expect(command.output()).toMatch(/"server restarted","how":"signal 9","pauseMs":100\}/);
});

test("an orphan is reaped while the server runs", async () => {
  const short = `import { spawn } from "node:child_process"; spawn("sh", ["-c", "sleep 0.1 & exit"], { detached: true });`;
  const command = await supervise(short + ALIVE);
  await nextServer(command, 1);
  await eventually(() => expect(processTree(command.pid)).toHaveLength(2));
});

test("a server that is stopped is killed and started again", async () => {
  const command = await supervise(ALIVE);
  process.kill(await nextServer(command, 1), "SIGSTOP");
  await nextServer(command, 2);
  expect(command.output()).toContain('"server killed","reason":"it is stopped"');
});

test("a server that blocks is killed and started again", async () => {
  const block = `process.on("SIGUSR2", () => { for (;;); });`;
  const command = await supervise(block + ALIVE);
  process.kill(await nextServer(command, 1), "SIGUSR2");
  await nextServer(command, 2);
  expect(command.output()).toContain('"server killed","reason":"it is silent"');
});

test("a server that is killed again and again gets longer pauses", async () => {
  const command = await supervise(ALIVE);
  for (let count = 1; count <= 4; count++) process.kill(await nextServer(command, count), "SIGKILL");
  await nextServer(command, 5);
  const pauses = [...command.output().matchAll(/"pauseMs":(\d+)/g)].map(([, pause]) => Number(pause));
  expect(pauses).toEqual([100, 200, 400, 800]);
});

test("a server that never came up ends the supervisor, with its code", async () => {
  const command = await supervise("process.exit(3);");
  expect(await command.ended).toBe(3);
});

test("a server that ends by itself ends the supervisor", async () => {
  const command = await supervise(`process.on("SIGUSR2", () => process.exit(0)); ${ALIVE}`);
  process.kill(await nextServer(command, 1), "SIGUSR2");
  expect(await command.ended).toBe(0);
});

test.each(["SIGTERM", "SIGINT"] as const)("%s is passed on, and the server's end waited for", async (signal) => {
  const gentle = `process.on("SIGTERM", () => setTimeout(() => { console.log("done"); process.exit(0); }, 500));`;
  const command = await supervise(LEAVE_ORPHANS + gentle + ALIVE);
  await nextServer(command, 1);
  const all = processTree(command.pid);
  command.child.kill(signal);
  expect(await command.ended).toBe(0);
  expect(command.output()).toContain("done");
  expect(await survivors(all)).toEqual([]);
});

test("a server that does not end is killed", async () => {
  const command = await supervise(`process.on("SIGTERM", () => {}); ${ALIVE}`);
  const server = await nextServer(command, 1);
  command.child.kill("SIGTERM");
  expect(await command.ended).toBe(0);
  expect(await survivors([server])).toEqual([]);
});

test("a supervisor that is killed takes its server along", async () => {
  const command = await supervise(ALIVE);
  const server = await nextServer(command, 1);
  command.child.kill("SIGKILL");
  expect(await survivors([server])).toEqual([]);
});

test("an exception that nobody caught is logged with its place, and the server goes on", async () => {
  const throwing = `
    setTimeout(() => { throw new Error("thrown"); }, 100);
    setTimeout(() => { Promise.reject(new Error("rejected")); }, 200);
    setTimeout(() => console.log("goes on"), 1500);
  `;
  const command = await supervise(ALIVE + throwing);
  await waitForOutput(command, "goes on");
  expect(pids(command)).toHaveLength(1);
  const told = command
    .output()
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  expect(told).toMatchObject([
    {
      message: "unexpected error thrown",
      kind: "exception",
      error: "Error: thrown",
      stack: expect.stringContaining(".mjs"),
    },
    {
      message: "unexpected error thrown",
      kind: "rejection",
      error: "Error: rejected",
      stack: expect.stringContaining(".mjs"),
    },
  ]);
});

test("no end of exceptions: the server is started again", async () => {
  const command = await supervise(`${ALIVE} setInterval(() => { throw new Error("again"); }, 10);`);
  await nextServer(command, 2);
  expect(command.output()).toContain('"server restarted","how":"code 70"');
});
