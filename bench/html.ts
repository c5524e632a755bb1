// `npm run bench:html`: compares HTML to PDF over HTTP with a cold Chromium, which starts for each document. Alternates
// between the service and Chromium, with one and with four documents at a time. `-- --quick` runs fewer rounds. On a
// busy machine, only the ratios are meaningful.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { corpusDir } from "../test/support/corpus.ts";
import { type Service, startService } from "../test/support/service.ts";

const QUICK = process.argv.includes("--quick");
const ROUNDS = QUICK ? 9 : 25;
const CLIENTS = 4;
const JOBS_OF_EACH = QUICK ? 6 : 20;

const SMALL = `<!doctype html><html lang=en><title>Notes</title><style>body { font-family: sans-serif } td { border: 1px solid #888 }</style>
<h1>Notes</h1><p>One page with <b>some</b> text and <a href="https://example.com/">a link</a>.
<table>${"<tr><td>One<td>Two<td>3.50".repeat(20)}</table></html>`;

/** Paths in Debian's packages. Prefers the full browser. The headless shell is the program that the service uses. */
const COLD = ["/usr/lib/chromium/chromium", "/usr/lib/chromium/chromium-headless-shell"].find(existsSync);
if (COLD === undefined) throw new Error("No Chromium is installed.");

const folder = mkdtempSync(join(tmpdir(), "bench-html-"));
const small = join(folder, "small.html");
writeFileSync(small, SMALL);
const files = [
  small,
  ...(corpusDir ? ["invoice", "all", "api"].map((name) => join(corpusDir!, `html/${name}.html`)) : []),
];

const service = await startService({ variant: "private", container: true });
try {
  // Warm-up, so that every process of the service has started.
  for (let count = 0; count < 5; count++) await ours(service, small);
  console.log(`one at a time, medians of ${ROUNDS} pairs; cold: ${basename(COLD)}`);
  for (const file of files) await inTurn(file);
  console.log(`\n${CLIENTS} at a time, documents a second`);
  for (const file of files) await together(file);
} finally {
  await service.stop();
  rmSync(folder, { recursive: true });
}

async function inTurn(file: string): Promise<void> {
  const own: number[] = [];
  const cold: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    own.push(await time(() => ours(service, file)));
    cold.push(await time(() => theirs(file, round)));
  }
  const [us, them] = [median(own), median(cold)];
  console.log(
    `${basename(file).padEnd(16)}${us.toFixed(0).padStart(6)} ms ${them.toFixed(0).padStart(6)} ms  ` +
      `${(us / them).toFixed(3)}`,
  );
}

async function together(file: string): Promise<void> {
  const rate = async (convert: (client: number, job: number) => Promise<void>) => {
    const client = async (_: unknown, index: number) => {
      for (let job = 0; job < JOBS_OF_EACH; job++) await convert(index, job);
    };
    const milliseconds = await time(() => Promise.all(Array.from({ length: CLIENTS }, client)));
    return (CLIENTS * JOBS_OF_EACH * 1000) / milliseconds;
  };
  const us = await rate(() => ours(service, file));
  const them = await rate((client, job) => theirs(file, client * JOBS_OF_EACH + job));
  console.log(
    `${basename(file).padEnd(16)}${us.toFixed(1).padStart(6)}    ${them.toFixed(1).padStart(6)}     ` +
      `x ${(us / them).toFixed(1)}`,
  );
}

async function ours({ url }: Service, file: string): Promise<void> {
  const form = new FormData();
  form.append("file", new File([readFileSync(file)], basename(file)));
  form.append("output", "page");
  const response = await fetch(`${url}/pdf`, { method: "POST", body: form });
  const { outputUrl, error } = (await response.json()) as { outputUrl?: string; error?: string };
  if (!outputUrl) throw new Error(`${basename(file)}: ${error}`);
  await (await fetch(outputUrl)).arrayBuffer();
}

async function theirs(file: string, number: number): Promise<void> {
  const profile = join(folder, `profile-${number}`);
  const args = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`];
  const output = join(folder, `${number}.pdf`);
  await promisify(execFile)(COLD!, [...args, `--print-to-pdf=${output}`, file]);
  if (!existsSync(output)) throw new Error(`${basename(file)}: no PDF`);
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
