// `npm run bench:office`: compares Office to PDF over HTTP, from the upload to the stored file, with `soffice
// --convert-to`. Measures times, documents per second, and the CPU time of all service processes per document.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { SOFFICE } from "../container/engines/libreoffice/profile.ts";
import { docx, paragraph } from "../test/fixtures/office.ts";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { type Service, startService } from "../test/support/service.ts";
import { agent, exchange, median, multipart, row } from "./measuring/measure.ts";
import { processorMs } from "./measuring/processor-time.ts";

const quick = process.argv.includes("--quick");
const ROUNDS = quick ? 3 : 7;
const AT_ONCE = [1, 2, 4];
const JOBS_AT_ONCE = quick ? 24 : 80;

const folder = mkdtempSync(join(tmpdir(), "bench-office-"));
const small = join(folder, "small.docx");
writeFileSync(small, docx({ body: paragraph("A small document.") }));
const real = ["Comment045.docx", "test_multi_page.doc", "Complex01.xlsx", "27template.xls"].concat([
  "PresFontsSubst.pptx",
  "test_multi_page.ppt",
]);
if (corpusDir === undefined) console.log(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR.`);
const files = [small, ...(corpusDir === undefined ? [] : real.map(copyOf))];

const starting = performance.now();
const service = await startService({ variant: "private", container: true });
try {
  await convert(small);
  console.log(
    `From nothing to the first PDF: ${((performance.now() - starting) / 1000).toFixed(1)} s, all of the service.`,
  );
  const rates = AT_ONCE.flatMap((clients) => [`${clients}: /s`, "CPU ms"]);
  console.log(`\nMedian of ${ROUNDS}, milliseconds; then so many clients at a time`);
  console.log(row(["document", "soffice", "ours", "ratio", ...rates]));
  for (const file of files) await compare(file);
  if (corpusDir !== undefined) await wholeCorpus();
} finally {
  agent.destroy();
  await service.stop();
  rmSync(folder, { recursive: true });
}

/** Copies a document, because LibreOffice leaves a lock file next to each file that it opens. */
function copyOf(name: string): string {
  const copy = join(folder, name);
  copyFileSync(join(corpusDir!, "office", name), copy);
  return copy;
}

async function convert(file: string): Promise<number> {
  const form = multipart({ output: "made" }, [{ name: basename(file), bytes: readFileSync(file) }]);
  const started = performance.now();
  const answer = JSON.parse((await exchange(`${service.url}/pdf`, form)).toString()) as {
    outputUrl?: string;
    error?: string;
  };
  if (answer.outputUrl === undefined) throw new Error(`${basename(file)}: ${answer.error}`);
  await exchange(answer.outputUrl);
  return performance.now() - started;
}

async function compare(file: string): Promise<void> {
  const times: Record<"cold" | "ours", number[]> = { cold: [], ours: [] };
  await convert(file);
  for (let round = 0; round < ROUNDS; round++) {
    times.ours.push(await convert(file));
    if (round < 3) times.cold.push(cold(file));
  }
  const [ours, theirs] = [median(times.ours), median(times.cold)];
  const cells = [theirs.toFixed(0), ours.toFixed(0)];
  const rates: string[] = [];
  for (const clients of AT_ONCE) {
    const { perSecond, cpuMs } = await load(service, clients, Array<string>(JOBS_AT_ONCE).fill(file));
    rates.push(perSecond.toFixed(1), cpuMs.toFixed(0));
  }
  console.log(row([basename(file), ...cells, (ours / theirs).toFixed(2), ...rates]));
}

/** Converts all documents, including damaged and locked ones. */
async function wholeCorpus(): Promise<void> {
  const names = execFileSync("ls", [join(corpusDir!, "office")], { encoding: "utf8" })
    .trim()
    .split("\n");
  const all = names.map((name) => join(corpusDir!, "office", name));
  for (const clients of AT_ONCE) {
    const { perSecond, cpuMs } = await load(service, clients, all);
    const seconds = (all.length / perSecond).toFixed(1);
    console.log(
      `All ${all.length} of the corpus, ${clients} at a time: ${seconds} s, ` +
        `${((cpuMs * all.length) / 1000).toFixed(1)} s of CPU`,
    );
  }
}

async function load(of: Service, clients: number, jobs: readonly string[]) {
  const left = [...jobs];
  const cpuBefore = cpuOf(of);
  const started = performance.now();
  const work = async () => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) await convert(file).catch(() => {});
  };
  await Promise.all(Array.from({ length: clients }, work));
  const seconds = (performance.now() - started) / 1000;
  return { perSecond: jobs.length / seconds, cpuMs: (cpuOf(of) - cpuBefore) / jobs.length };
}

/** Returns the CPU time of all service processes and their ended children, in milliseconds. */
function cpuOf({ pid, container }: Service): number {
  return processorMs([pid, container!.pid!]);
}

function cold(file: string): number {
  const started = performance.now();
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  execFileSync(SOFFICE, [profile, "--headless", "--convert-to", "pdf", "--outdir", folder, file], {
    stdio: "ignore",
  });
  return performance.now() - started;
}
