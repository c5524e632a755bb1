// `npm run bench -- --report`: compares this service at the edge (workerd) and on the host with its named peers in one
// run, and writes the table into docs/benchmarks.md. Each round runs every competitor once, and ratios compare times of
// one round. `--quick` runs fewer rounds; `--only=<words>` selects rows, and prints them instead.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { SOFFICE } from "../container/engines/libreoffice/profile.ts";
import { startContainer } from "../scripts/services/container-process.ts";
import { root } from "../scripts/services/wrangler.ts";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { HOST_VARS, type Service, type ServiceOptions, startService, type Target } from "../test/support/service.ts";
import { loads, type Measured, measured } from "./measuring/competitors.ts";
import { agent, median } from "./measuring/measure.ts";
import { endedChildrenMs, processorMs } from "./measuring/processor-time.ts";
import { installKept, type Kept, startPdfium, startPuppeteer, startUnoserver } from "./report/kept-peers.ts";
import { type Case, type Row, rowsOf } from "./report/rows.ts";

const ROUNDS = process.argv.includes("--quick") ? 3 : 7;
const WORDS = process.argv.find((word) => word.startsWith("--only="))?.slice("--only=".length);
/** A thread needs several jobs to reach full speed. */
const WARM_UPS = 5;
/** Number of requests of each client, in rows with several clients. */
const REQUESTS = 6;
const PAGE = join(root, "docs/benchmarks.md");
const MARKS = ["<!-- report -->", "<!-- end of the report -->"] as const;
const OWN = ["edge", "host"] as const;
const STARTING = { ...HOST_VARS, ENGINES: "" };

if (corpusDir === undefined) {
  console.error(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR.`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "bench-report-"));
const chromium = ["/usr/lib/chromium/chromium", "/usr/lib/chromium/chromium-headless-shell"].find(existsSync)!;
const installed = await installKept().catch((error: Error) => error);
const available = async <T extends readonly unknown[]>(name: string, start: () => Promise<Kept<T>>) => {
  if (installed instanceof Error) return missing<T>(name, installed);
  return start().catch((error: Error) => missing<T>(name, error));
};
const kept = {
  pdfium: await available("pypdfium2", startPdfium),
  unoserver: await available("unoserver", startUnoserver),
  puppeteer: await available("puppeteer-core", () => startPuppeteer(chromium)),
};
const containers = [
  await startContainer({ logFile: join(folder, "container.log") }),
  await startContainer({
    logFile: join(folder, "alone.log"),
    env: { SHARED_RENDERERS: "off", ENGINES: "chromium" },
  }),
] as const;
const started = (target: Target, container: ServiceOptions["container"] & object) =>
  startService({ target, variant: "keyed", container, vars: target === "host" ? HOST_VARS : {} });
const services = {
  edge: await started("wrangler", containers[0]),
  host: await started("host", containers[0]),
  alone: await started("host", containers[1]),
};
try {
  const head = [`Begun ${new Date().toISOString().slice(0, 16)} UTC at a load of ${loads()}`];
  const lines: string[] = [];
  for (const row of await rowsOf(corpusDir, { soffice: SOFFICE, chromium }, kept)) {
    if (!row.name.includes(WORDS ?? "")) continue;
    const more = await compare(row);
    console.log(more.join("\n"));
    lines.push(...more);
  }
  head.push(`ended ${new Date().toISOString().slice(11, 16)} at ${loads()}`);
  if (WORDS === undefined) write(head.join(", "), lines);
} finally {
  agent.destroy();
  for (const { stop } of Object.values(kept)) stop();
  await Promise.all([...Object.values(services), ...containers].map((each) => each.stop()));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Returns a peer whose work fails with the reason. */
function missing<T extends readonly unknown[]>(name: string, reason: Error): Kept<T> {
  const text = reason.message.split("\n", 1)[0]!;
  return { pid: 0, version: `no ${name} (${text})`, work: () => Promise.reject(new Error(text)), stop() {} };
}

interface Competitor {
  readonly name: string;
  /** @param client from 0 */
  send(client: number): Promise<unknown>;
  processorMs(): number;
  /** Measures one new service. @default sends to what runs */
  run?(): Promise<Measured>;
}

function own({ service }: Row, { send }: Case): Competitor[] {
  if (service === "alone") {
    return [
      { name: "host", send: () => send(services.alone), processorMs: () => spent(services.alone, containers[1]) },
    ];
  }
  return OWN.flatMap((name) => {
    const usual = { name, send: () => send(services[name]), processorMs: () => spent(services[name], containers[0]) };
    if (service === undefined) return [usual];
    if (name === "edge" && service === "new") return [];
    return [{ ...usual, run: () => firstOf(name, send) }];
  });
}

function spent({ pid }: Service, container: { readonly pid: number | undefined }): number {
  return processorMs([pid, ...(container.pid === undefined ? [] : [container.pid])]);
}

/** Measures the first request: to the host from its start, with all engines; to the edge from the moment it listens. */
async function firstOf(name: (typeof OWN)[number], send: Case["send"]): Promise<Measured> {
  let service: Service | undefined;
  const start = async () => {
    const options: ServiceOptions =
      name === "edge" ? { target: "wrangler", variant: "keyed" } : { target: "host", variant: "keyed", vars: STARTING };
    service = await startService(options);
  };
  try {
    if (name === "edge") await start();
    return await measured(
      async () => {
        if (name === "host") await start();
        await send(service!);
      },
      () => (service ? processorMs([service.pid]) : 0),
    );
  } finally {
    await service?.stop();
  }
}

function peersOf({ peers, files }: Case, clients: number): Competitor[] {
  const folders = Array.from({ length: clients }, (_, client) => join(folder, `client-${client}`));
  for (const place of folders) {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
    mkdirSync(place);
    for (const { name, bytes } of files) writeFileSync(join(place, name), bytes);
  }
  const pids = Object.values(kept).flatMap(({ pid }) => (pid === 0 ? [] : [pid]));
  return Object.entries(peers).map(([name, work]) => ({
    ...{ name, send: (client: number) => work(folders[client]!) },
    processorMs: () => endedChildrenMs() + processorMs(pids),
  }));
}

/** Measures one round of a competitor. Times are those of one document. */
async function once({ send, processorMs: spentMs, run }: Competitor, clients: number): Promise<Measured> {
  if (run) return run();
  const count = clients > 1 ? REQUESTS : 1;
  const client = async (_: unknown, number: number) => {
    for (let sent = 0; sent < count; sent++) await send(number);
  };
  const all = await measured(() => Promise.all(Array.from({ length: clients }, client)), spentMs);
  return { time: all.time / count / clients, processorTime: all.processorTime / count / clients };
}

/** Runs of each competitor by case, or the reason why it cannot run. */
type Runs = ReadonlyMap<string, Measured[][] | string>;

/** Returns the lines of the table: one for each peer. */
async function compare(row: Row): Promise<string[]> {
  const runs = new Map<string, Measured[][] | string>();
  const { clients = 1, share = 1 } = row;
  for (const one of row.cases) {
    const all = [...own(row, one), ...peersOf(one, clients)];
    const able: Competitor[] = [];
    for (const competitor of all) {
      const failed = await warmUp(competitor).catch((error: Error) => error);
      const { name } = competitor;
      if (failed instanceof Error) runs.set(name, failed.message.split("\n", 1)[0]!);
      else {
        able.push(competitor);
        runs.set(name, [...(runs.get(name) ?? []), []] as Measured[][]);
      }
    }
    for (let round = 0; round < Math.max(1, Math.round(ROUNDS * share)); round++) {
      for (const competitor of able)
        (runs.get(competitor.name) as Measured[][]).at(-1)!.push(await once(competitor, clients));
    }
  }
  const names = Object.keys(row.cases[0]!.peers);
  return names.map((name, at) => lineOf(at === 0 ? row.name : undefined, name, runs, clients));
}

/** @throws Error if the competitor cannot run */
async function warmUp({ name, send, run }: Competitor): Promise<void> {
  if (run) return;
  for (let count = 0; count < (name in services ? WARM_UPS : 1); count++) await send(0);
}

/** @param title of the row's first line, which has our own figures */
function lineOf(title: string | undefined, peer: string, runs: Runs, clients: number): string {
  const ours = OWN.map((name) => (title === undefined ? "" : figures(runs.get(name), clients)));
  const ratios = ["host", "edge"].map((name) => ratio(runs.get(name), runs.get(peer)));
  return `| ${[title ?? "", ...ours, peer, figures(runs.get(peer), clients), ...ratios].join(" | ")} |`;
}

/** Returns the time and, in brackets, the CPU time, which is a mean because its unit is 10 ms. */
function figures(runs: Measured[][] | string | undefined, clients: number): string {
  if (runs === undefined || typeof runs === "string") return runs ?? "";
  const time = median(runs.map((one) => median(one.map((each) => each.time))));
  const all = runs.flat();
  const processor = all.reduce((sum, { processorTime }) => sum + processorTime, 0) / all.length;
  return `${clients > 1 ? `${(1000 / time).toFixed(1)}/s` : shown(time)} [${shown(processor)}]`;
}

function ratio(ours: Measured[][] | string | undefined, theirs: Measured[][] | string | undefined): string {
  if (typeof ours !== "object" || typeof theirs !== "object") return "";
  const each = ours.map((one, at) => median(one.map(({ time }, round) => time / theirs[at]![round]!.time)));
  const value = median(each);
  return value < 10 ? value.toPrecision(2) : value.toFixed(0);
}

function shown(ms: number): string {
  return ms.toFixed(ms < 10 ? 1 : 0);
}

/** Replaces the report in docs/benchmarks.md. */
function write(times: string, lines: readonly string[]): void {
  const version = (program: string, ...args: string[]) =>
    execFileSync("sh", ["-c", '"$0" "$@" 2>&1', program, ...args], { encoding: "utf8" }).match(/\d+(\.\d+)+/)?.[0];
  const workerd = JSON.parse(readFileSync(join(root, "node_modules/workerd/package.json"), "utf8")) as {
    version: string;
  };
  const versions = [
    ...[`Node ${process.version}`, `workerd ${workerd.version}`, `mutool ${version("mutool", "-v")}`],
    ...[`pdftoppm ${version("pdftoppm", "-v")}`, `qpdf ${version("qpdf", "--version")}`],
    ...[`Ghostscript ${version("gs", "--version")}`, `LibreOffice ${version(SOFFICE, "--version")}`],
    ...[`Chromium ${version(chromium, "--version")}`, ...Object.values(kept).map((peer) => peer.version)],
  ];
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const machine = `${cpus().length} x ${cpus()[0]!.model}`;
  const head = `${times} (1, 5 and 15 minutes), on ${machine}; commit ${commit}. ${versions.join(", ")}.`;
  const table = [
    "| Operation | Edge | Host | Peer | Peer's | Host / peer | Edge / peer |",
    "|---|---|---|---|---|---|---|",
    ...lines,
  ];
  const text = readFileSync(PAGE, "utf8");
  const [before, after] = [text.split(MARKS[0])[0]!, text.split(MARKS[1])[1]!];
  writeFileSync(
    PAGE,
    `${before}${MARKS[0]}\n\n${head.replaceAll(/(.{1,119})(?: |$)/g, "$1\n")}\n${table.join("\n")}\n\n${MARKS[1]}${after}`,
  );
}
