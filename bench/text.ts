// `npm run bench:text`: compares the text and the Markdown that this service reads from PDFs with those of peers.
// Debian packages supply the documents (bench/reading/documents.tsv), which are printed without tags, so that their
// sources are the truth; bench/reading/scores.py scores them. Half of the documents can serve to improve the engine
// (`tune`); the other half (`held`) shows whether that helps others. `-- --quick` reads the first half without peers,
// and `-- --every=5` every fifth document: pymupdf4llm takes seconds for each.
// Scores of each document go to text-scores.json. TEXT_BENCH_DIR names the folder that keeps the printed documents.

import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { installPackages } from "../scripts/packages.ts";
import { startService } from "../test/support/service.ts";
import { agent, median, row } from "./measuring/measure.ts";
import { LATEX_PACKAGES, type ReadDocument, readDocuments } from "./reading/documents.ts";
import { type Engine, ownEngines, peerEngines } from "./reading/engines.ts";

type Scores = Partial<Record<Measure, number>>;
type ByEngine<T> = Readonly<Record<string, T>>;

const MEASURES = ["overall", "nid", "teds", "mhs", "cer"] as const;
type Measure = (typeof MEASURES)[number];
const KINDS = ["html", "latex", "docx"] as const;
const SCORES_FILE = "text-scores.json";
const WORST = 20;
/** Reads first, so that no engine is measured while it warms up. */
const WARM_UP = 3;

const isQuick = process.argv.includes("--quick");
const every = Number(process.argv.find((argument) => argument.startsWith("--every="))?.slice("--every=".length) ?? 1);
const folder = process.env.TEXT_BENCH_DIR ?? join(tmpdir(), "pagewright-bench-text");
mkdirSync(folder, { recursive: true });
installPackages(LATEX_PACKAGES, "the benchmark of reading");
const python = await installPeers();
const pandoc = execFileSync(python, ["-c", "import pypandoc; print(pypandoc.get_pandoc_path())"]).toString().trim();
const documents = (await readDocuments(folder, pandoc)).filter(
  ({ half }, index) => (!isQuick || half === "tune") && index % every === 0,
);
const scratch = mkdtempSync(join(tmpdir(), "bench-text-"));
const service = await startService({ target: "host", variant: "private" });
try {
  const engines = [...ownEngines(service.url), ...(isQuick ? [] : peerEngines(python))];
  const times: Record<string, readonly (number | undefined)[]> = {};
  for (const engine of engines) times[engine.name] = await timesOf(engine);
  const scores = await scored(engines);
  writeFileSync(
    SCORES_FILE,
    `${JSON.stringify(
      documents.map((one) => ({ ...one, scores: scores[one.name] })),
      null,
      1,
    )}\n`,
  );
  printScores(engines, scores);
  printSpeed(engines, times);
  printWorst(scores);
} finally {
  agent.destroy();
  await service.stop();
  rmSync(scratch, { recursive: true });
}

/** Returns the path of a Python with the peers. */
async function installPeers(): Promise<string> {
  const program = join(folder, "peers/bin/python");
  const run = promisify(execFile);
  if (!existsSync(program)) await run("python3", ["-m", "venv", join(folder, "peers")]);
  const requirements = join(import.meta.dirname, "reading/requirements.txt");
  await run(program, ["-m", "pip", "install", "-q", "-r", requirements], { maxBuffer: 2 ** 24 });
  return program;
}

function outputOf({ name }: Engine, index: number): string {
  return join(scratch, `${name.replace(/\W/g, "_")}-${index}.txt`);
}

/** Returns the milliseconds of each document; undefined if it could not be read. */
async function timesOf(engine: Engine): Promise<(number | undefined)[]> {
  const jobs = documents.map(({ pdf }, index) => ({ pdf, output: outputOf(engine, index) }));
  const all = [...jobs.slice(0, WARM_UP), ...jobs];
  const times: (number | undefined)[] = [];
  for await (const result of engine.read(all)) {
    if (typeof result === "string") console.log(`${engine.name}: ${all[times.length]?.pdf}: ${result.slice(0, 100)}`);
    times.push(typeof result === "number" ? result : undefined);
  }
  return times.slice(WARM_UP);
}

async function scored(engines: readonly Engine[]): Promise<ByEngine<ByEngine<Scores>>> {
  const child = spawn(python, [join(import.meta.dirname, "reading/scores.py")], { stdio: ["pipe", "pipe", "inherit"] });
  const files = (index: number, kind: Engine["writes"]) =>
    Object.fromEntries(engines.filter(({ writes }) => writes === kind).map((one) => [one.name, outputOf(one, index)]));
  const input = documents.map(({ name, truth }, index) => ({
    ...{ name, truth },
    ...{ texts: files(index, "text"), markdowns: files(index, "markdown") },
  }));
  child.stdin.end(JSON.stringify({ documents: input }));
  return JSON.parse(await text(child.stdout)) as ByEngine<ByEngine<Scores>>;
}

function printScores(engines: readonly Engine[], scores: ByEngine<ByEngine<Scores>>): void {
  const parts: [string, (document: ReadDocument) => boolean][] = [
    ["all", () => true],
    ["tune", ({ half }) => half === "tune"],
    ["held", ({ half }) => half === "held"],
    ...KINDS.map((kind): [string, (document: ReadDocument) => boolean] => [kind, (one) => one.kind === kind]),
  ];
  for (const [title, isPart] of parts) {
    const part = documents.filter(isPart);
    if (part.length === 0) continue;
    console.log(`\n${title}: means of ${part.length} documents; median of cer`);
    console.log(row(["engine", ...MEASURES, "cer, median"]));
    for (const { name } of engines) {
      const valuesOf = (measure: Measure) => part.flatMap((one) => scores[one.name]![name]?.[measure] ?? []);
      const means = MEASURES.map((measure) => mean(valuesOf(measure))?.toFixed(4) ?? "");
      console.log(row([name, ...means, median(valuesOf("cer")).toFixed(4)]));
    }
  }
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function printSpeed(engines: readonly Engine[], times: ByEngine<readonly (number | undefined)[]>): void {
  const perPage = (name: string) => {
    const read = documents.flatMap(({ pages }, index) => {
      const time = times[name]![index];
      return time === undefined ? [] : [{ pages, time }];
    });
    return read.reduce((sum, { time }) => sum + time, 0) / read.reduce((sum, { pages }) => sum + pages, 0);
  };
  const [markdown, plain] = ["/markdown", "/extracted-text"].map(perPage);
  console.log(`\nmilliseconds a page, and ours / theirs; load ${loadavg()[0]!.toFixed(1)}`);
  console.log(row(["engine", "ms/page", "/markdown", "/extracted"]));
  for (const { name } of engines) {
    const own = perPage(name);
    console.log(row([name, own.toFixed(2), (markdown! / own).toFixed(3), (plain! / own).toFixed(3)]));
  }
}

function printWorst(scores: ByEngine<ByEngine<Scores>>): void {
  const overall = ({ name }: ReadDocument) => scores[name]!["/markdown"]!.overall!;
  const worst = documents.filter(({ half }) => half === "tune").toSorted((a, b) => overall(a) - overall(b));
  console.log(`\nThe worst ${WORST} of the half that can serve to improve the engine`);
  for (const one of worst.slice(0, WORST)) {
    const { nid = 0, teds, mhs } = scores[one.name]!["/markdown"]!;
    const cells = [nid, teds, mhs].map((value) => value?.toFixed(2) ?? "-").join(" ");
    console.log(`${overall(one).toFixed(2)} (nid teds mhs ${cells}) ${one.name}\n     ${one.pdf}`);
  }
}
