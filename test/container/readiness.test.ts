// Tests that GET /ready of the container reports the true state of each engine, before any job fails.

import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import type { ContainerHealth } from "../../src/service/placement/container-health.ts";
import { docx, paragraph } from "../fixtures/office.ts";
import { carryOut, memoryInput } from "../support/container-client.ts";
import { eventually } from "../support/eventually.ts";
import { nameOf, parentOf, processTree } from "../support/processes.ts";

let folder: string;
let container: ContainerProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "readiness-"));
  await chmod(folder, 0o711);
  container = await startContainer({ logFile: join(folder, "log"), env: { JOBS: "1", SCRATCH_DIR: folder } });
  while ((await ready()).status !== 200) await sleep(200);
}, 240_000);
afterAll(async () => {
  await container?.stop();
  await rm(folder, { recursive: true });
});

async function ready(): Promise<{ readonly status: number; readonly health: ContainerHealth }> {
  const response = await fetch(`${container.url}/ready`);
  return { status: response.status, health: (await response.json()) as ContainerHealth };
}

const isReady = () => eventually(async () => expect(await ready()).toMatchObject({ status: 200 }));

/** Reports whether the service lists this engine as unavailable. */
async function isLacking(engine: string): Promise<boolean> {
  const { status, health } = await ready();
  const { state, trouble } = health.engines[engine]!;
  return status === 503 && (state !== "warm" || trouble !== undefined);
}

/** Waits until the service lists this engine as unavailable. The state is polled often, because it can be short. */
const turns = (engine: string) =>
  eventually(async () => expect(await isLacking(engine)).toBe(true), { intervalMs: 10 });

/**
 * Runs `strike` on an engine until the service lists the engine as unavailable. One strike may not suffice: an engine
 * can recover before a late response.
 */
const turnsWhen = (engine: string, strike: () => void) =>
  eventually(async () => {
    strike();
    const until = performance.now() + 5_000;
    while (!(await isLacking(engine))) {
      if (performance.now() > until) throw new Error(`${engine} does not turn`);
      await sleep(10);
    }
  });

/** The longest-lived process of each engine. */
const PROCESSES = { office: /^zygote/, ghostscript: /^ghostscript-zy/, verapdf: /^java/, chromium: /^chromium/ };
type Engine = keyof typeof PROCESSES;
const ENGINES = Object.keys(PROCESSES) as Engine[];

function processOf(engine: Engine): number {
  const all = processTree(container.pid!).filter((pid) => PROCESSES[engine].test(nameOf(pid)));
  const [first] = all.filter((pid) => !all.includes(parentOf(pid) ?? 0));
  return first!;
}

test("each engine is proved, with nothing but a question", async () => {
  const { health } = await ready();
  expect(Object.keys(health.engines).toSorted()).toEqual([...ENGINES, "threads"].toSorted());
  for (const { state, proof } of Object.values(health.engines)) {
    expect(state).toBe("warm");
    expect(proof).toMatchObject({ by: "probe" });
  }
  expect(health.queue.room).toBeGreaterThan(0);
});

test("a job is a proof", async () => {
  const letter = memoryInput(docx({ body: paragraph("Hello") }), "letter.docx");
  await carryOut(container, "office-to-pdf", [letter], { tagged: false, lossless: false });
  expect((await ready()).health.engines.office).toMatchObject({ state: "warm", proof: { by: "job" } });
});

describe.each(ENGINES)("%s", (engine) => {
  test.each(["SIGKILL", "SIGSTOP"] as const)("%s turns it, and it comes back", async (signal) => {
    await turnsWhen(engine, () => process.kill(processOf(engine), signal));
    await isReady();
  });
});

/** Prevents a process from opening files, so that it runs but cannot work. */
function cripple(pid: number): void {
  const { uid, gid } = statSync(`/proc/${pid}`);
  execFileSync("prlimit", ["--pid", String(pid), "--nofile=4:4"], { uid, gid });
}

test.each(["office", "ghostscript", "verapdf"] as const)(
  "%s runs and fails its proof: it turns, is started anew, and comes back",
  async (engine) => {
    const crippled = processOf(engine);
    cripple(crippled);
    await turns(engine);
    await isReady();
    expect(processOf(engine)).not.toBe(crippled);
  },
);
