// `node scripts/bootstrap.mjs bench/postscript.ts`: compares PostScript and EPS to PDF over HTTP with `gs` as a new
// process, with one and with four jobs at a time. The results are ratios.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { startService } from "../test/support/service.ts";

const FILES = [
  "1.eps",
  "cdw-logo.eps",
  "illuCS6_preview.eps",
  "logo.eps",
  "06_color_shading.ps",
  "document-a4.ps",
  "manual.ps",
];
const ROUNDS = process.argv.includes("--quick") ? 3 : 9;
const BOUNDARY = "bench-frontier";

if (corpusDir === undefined) {
  console.error(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR.`);
  process.exit(1);
}
const corpus = join(corpusDir, "postscript");
const agent = new Agent({ keepAlive: true });
const folder = mkdtempSync(join(tmpdir(), "bench-"));
const service = await startService({ variant: "private", container: true });
try {
  console.log(`median of ${ROUNDS}; upload, conversion, storage and fetch here, reading and writing a file there`);
  console.log(row(["document", "ms", "gs ms", "ratio", "4 at a time ms", "gs ms", "ratio"]));
  for (const name of FILES) {
    await convert(name);
    const one = await compare(name, 1);
    const four = await compare(name, 4);
    console.log(row([name, ...cells(one), ...cells(four)]));
  }
} finally {
  agent.destroy();
  await service.stop();
  rmSync(folder, { recursive: true });
}

/**
 * Measures the milliseconds until all jobs that started together have ended. The service and the program alternate, so
 * that the machine's load is the same for both.
 */
async function compare(name: string, atATime: number): Promise<{ ours: number; theirs: number }> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await timed(() => Promise.all(Array.from({ length: atATime }, () => convert(name)))));
    theirs.push(
      await timed(() => Promise.all(Array.from({ length: atATime }, (_, number) => ghostscript(name, number)))),
    );
  }
  return { ours: median(ours), theirs: median(theirs) };
}

async function convert(name: string): Promise<void> {
  const part = (field: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"`;
  const opening = `${part("output")}\r\n\r\nmade\r\n${part("file")}; filename="${name}"\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(opening),
    readFileSync(join(corpus, name)),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
  const answer = JSON.parse((await exchange(`${service.url}/pdf`, body)).toString()) as {
    outputUrl?: string;
    error?: string;
  };
  if (!answer.outputUrl) throw new Error(`${name}: ${answer.error}`);
  await exchange(answer.outputUrl);
}

function exchange(url: string, body?: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    const headers = body ? { "Content-Type": type, "Content-Length": body.length } : {};
    const asking = request(url, { agent, method: body ? "POST" : "GET", headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks)));
      response.on("error", reject);
    });
    asking.on("error", reject);
    asking.end(body);
  });
}

function ghostscript(name: string, number: number): Promise<void> {
  const output = join(folder, `${number}.pdf`);
  const args = [
    "-q",
    "-dSAFER",
    "-dNOPAUSE",
    "-dBATCH",
    "-dEPSCrop",
    "-sDEVICE=pdfwrite",
    "-o",
    output,
    join(corpus, name),
  ];
  return new Promise((resolve, reject) => {
    const child = spawn("gs", args, { stdio: "ignore" });
    child.once("error", reject);
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`gs ended with ${code}`))));
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function cells({ ours, theirs }: { ours: number; theirs: number }): string[] {
  return [ours.toFixed(0), theirs.toFixed(0), (ours / theirs).toFixed(2)];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

function row([first, ...rest]: readonly string[]): string {
  return `${first!.padEnd(22)}${rest.map((cell) => cell.padStart(15)).join("")}`;
}
