// Compares the service on Node with the same service under wrangler dev, and both with the usual programs, run as new
// processes. Rounds are interleaved: each round measures every task once. Both services share one container. Also
// measures CPU time, because other programs can slow the machine. `--only-host` skips wrangler dev. `--only=<words>`
// selects the tasks whose names contain the words.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ContainerProcess, startContainer } from "../scripts/services/container-process.ts";
import { HOST_VARS, type Service, startService, type Target } from "../test/support/service.ts";
import { loads, type Measured, measured, runProgram } from "./measuring/competitors.ts";
import { type Task, tasks } from "./measuring/host-tasks.ts";
import { agent, median } from "./measuring/measure.ts";
import { PlainServer } from "./measuring/plain-server.ts";
import { endedChildrenMs, processorMs } from "./measuring/processor-time.ts";

/** Number of requests per client, in tasks with several clients. */
const REQUESTS = 6;
const TARGETS: readonly Target[] = process.argv.includes("--only-host") ? ["host"] : ["wrangler", "host"];
const WORDS = process.argv.find((word) => word.startsWith("--only="))?.slice("--only=".length) ?? "";
/** Number of warm-up runs of a service; a program has one. A thread needs several jobs to reach full speed. */
const WARM_UPS = 6;
const isTarget = (name: string) => TARGETS.some((target) => target === name);

interface Competitor {
  readonly name: string;
  run(): Promise<Measured>;
}

export async function compareHosts(corpus: string, rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bench-hosts-"));
  const container = await startContainer({ logFile: join(folder, "container.log") });
  const services: Service[] = [];
  const plain = await PlainServer.start(folder);
  try {
    for (const target of TARGETS) {
      services.push(await startService({ target, variant: "private", container, vars: HOST_VARS }));
    }
    console.log(`\nMedian of ${rounds} rounds in milliseconds, mean processor time in brackets; load ${loads()}.`);
    console.log("In front of the others: the host's share of theirs.");
    for (const task of tasks(corpus).filter(({ name }) => name.includes(WORDS))) {
      const all = [...servicesFor(task, services, container), ...peersFor(task, folder, plain)];
      await compare(task, all, rounds);
    }
    console.log(`Load ${loads()}.`);
  } finally {
    agent.destroy();
    await Promise.all([...services, container, plain].map((each) => each.stop()));
    rmSync(folder, { recursive: true });
  }
}

function servicesFor(task: Task, services: readonly Service[], { pid }: ContainerProcess): Competitor[] {
  return services.map((service) => {
    const pids = [service.pid, ...(pid === undefined ? [] : [pid])];
    return { name: service.target, run: () => measureService(task, service.url, pids) };
  });
}

async function measureService({ send, clients = 1 }: Task, url: string, pids: readonly number[]): Promise<Measured> {
  const count = clients > 1 ? REQUESTS : 1;
  const client = async () => {
    for (let number = 0; number < count; number++) await send(url);
  };
  const work = () => Promise.all(Array.from({ length: clients }, client));
  const { time, processorTime } = await measured(work, () => processorMs(pids));
  return { time: time / count, processorTime: processorTime / count / clients };
}

function peersFor({ commands = {}, files = [], sendPlain }: Task, folder: string, plain: PlainServer): Competitor[] {
  const programs = Object.entries(commands).map(([name, command]) => ({
    name,
    run: () => measureProgram(command, files, join(folder, "peer")),
  }));
  if (!sendPlain) return programs;
  const run = async () => {
    const started = performance.now();
    await sendPlain(plain.url);
    // No CPU time: the plain server runs in this process, as the client does.
    return { time: performance.now() - started, processorTime: Number.NaN };
  };
  return [...programs, { name: "plain server", run }];
}

async function measureProgram(
  command: readonly string[],
  files: Task["files"] & object,
  folder: string,
): Promise<Measured> {
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes);
  const figures = await measured(() => runProgram(command, folder), endedChildrenMs);
  rmSync(folder, { recursive: true });
  return figures;
}

async function compare(task: Task, competitors: readonly Competitor[], rounds: number): Promise<void> {
  const runs = new Map<string, Measured[]>(competitors.map(({ name }) => [name, []]));
  // Warm-up: code is compiled, and engines start.
  for (let count = 0; count < WARM_UPS; count++) {
    for (const { name, run } of competitors) if (count === 0 || isTarget(name)) await run();
  }
  for (let round = 0; round < rounds; round++) {
    for (const { name, run } of competitors) runs.get(name)!.push(await run());
  }
  const figuresOf = (name: string): Measured => ({
    time: median(runs.get(name)!.map(({ time }) => time)),
    // A mean, because the clock's resolution is too coarse for a median.
    processorTime: runs.get(name)!.reduce((sum, { processorTime }) => sum + processorTime, 0) / rounds,
  });
  const host = figuresOf("host");
  const cells = competitors.map(({ name }) => {
    const figures = figuresOf(name);
    const share = `${(host.time / figures.time).toFixed(2)} ${bracketed(host.processorTime / figures.processorTime, 2)}`;
    const own = `${name} ${figures.time.toFixed(0)} ${bracketed(figures.processorTime, 0)}`;
    return name === "host" ? own : `${share} of ${own}`;
  });
  const { clients = 1, goal } = task;
  if (clients > 1) cells.push(`${((1000 * clients) / host.time).toFixed(1)} a second`);
  if (goal) cells.push(`goal ${goal}`);
  console.log([task.name, ...cells].join("; ").replaceAll(/ +(?=;|$)/g, ""));
}

const bracketed = (value: number, digits: number) => (Number.isFinite(value) ? `[${value.toFixed(digits)}]` : "");
