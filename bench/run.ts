// `npm run bench`: this service over HTTP beside its peers as whole processes, in one run, as ratios.
// `npm run bench -- --quick` takes fewer rounds; `CORPUS_DIR` names a folder with real documents.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { type Service, startService } from "../test/support/service.ts";
import { JPEG_QUALITY, type PageJob, type Peer, peers, type Run, runPeer } from "./peers.ts";

/** A page of text, a scan, a form, CMYK with overprint, a mixed page, a cover, a page of mixed scripts. */
const DOCUMENTS: readonly (readonly [file: string, page: number])[] = [
  ["pdf/pdf2image-memory-error-test-400p.pdf", 20],
  ["pdf/Seige_of_Vicksburg_Sample_OCR.pdf", 1],
  ["pdf/fancy_fields.pdf", 1],
  ["pdf/amt_handbook_sample.pdf", 1],
  ["pdf/validAvoir_FR_type380_BASICWL.pdf", 1],
  ["pdf/MEDRPT-2024-PAT-3847_medical_report_scan.pdf", 1],
  ["pdf/hello-world.pdf", 1],
];
const FORMATS = ["png", "jpg", "tif"] as const;
const RESOLUTIONS = [72, 150, 300];
const ROUNDS = process.argv.includes("--quick") ? 3 : 7;

/** A connection that stays, and a body put together beforehand: what is measured is the service, not a client. */
const agent = new Agent({ keepAlive: true });
const BOUNDARY = "bench-frontier";

if (corpusDir === undefined) {
  console.error(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR.`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "bench-"));
const service = await startService({ variant: "private" });
try {
  for (const format of FORMATS) await compare(service, format, corpusDir);
} finally {
  agent.destroy();
  await service.stop();
  rmSync(folder, { recursive: true });
}

async function compare({ url }: Service, format: PageJob["format"], corpus: string): Promise<void> {
  const rivals = peers.filter((peer) => peer.command({ file: "", page: 1, dpi: 72, format }, "") !== undefined);
  console.log(
    `\n${format}: upload, render, encode, store and fetch of one page, median of ${ROUNDS}; ratios are ours / theirs`,
  );
  console.log(row(["document", "dpi", "ms", "bytes", ...rivals.flatMap(({ name }) => [`time/${name}`, "bytes/"])]));
  const ratios = new Map<Peer, { time: number[]; bytes: number[] }>(
    rivals.map((peer) => [peer, { time: [], bytes: [] }]),
  );
  for (const [name, page] of DOCUMENTS) {
    for (const dpi of RESOLUTIONS) {
      const job: PageJob = { file: join(corpus, name), page, dpi, format };
      const own: Run[] = [];
      const theirs = new Map<Peer, Run[]>(rivals.map((peer) => [peer, []]));
      await runService(url, job);
      for (let round = 0; round < ROUNDS; round++) {
        own.push(await runService(url, job));
        for (const peer of rivals) theirs.get(peer)!.push(runPeer(peer, job, join(folder, "out"))!);
      }
      const us = middle(own);
      const cells = rivals.flatMap((peer) => {
        const them = middle(theirs.get(peer)!);
        ratios.get(peer)!.time.push(us.milliseconds / them.milliseconds);
        ratios.get(peer)!.bytes.push(us.bytes / them.bytes);
        return [(us.milliseconds / them.milliseconds).toFixed(2), (us.bytes / them.bytes).toFixed(2)];
      });
      console.log(row([basename(name), String(dpi), us.milliseconds.toFixed(0), String(us.bytes), ...cells]));
    }
  }
  const summary = rivals
    .flatMap((peer) => [ratios.get(peer)!.time, ratios.get(peer)!.bytes])
    .map((all) => median(all).toFixed(2));
  console.log(row(["median", "", "", "", ...summary]));
}

async function runService(url: string, { file, page, dpi, format }: PageJob): Promise<Run> {
  const fields = {
    output: "page",
    pages: page,
    resolution: dpi,
    ...(format === "jpg" ? { jpeg_quality: JPEG_QUALITY } : {}),
  };
  const part = (name: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`;
  const texts = Object.entries(fields).map(([name, value]) => `${part(name)}\r\n\r\n${value}\r\n`);
  const opening = `${texts.join("")}${part("file")}; filename="${basename(file)}"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(opening), readFileSync(file), Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
  const started = performance.now();
  const answer = JSON.parse((await exchange(`${url}/${format}`, body)).toString()) as {
    outputUrl?: string;
    error?: string;
  };
  if (!answer.outputUrl) throw new Error(`${basename(file)}: ${answer.error}`);
  const made = await exchange(answer.outputUrl);
  return { milliseconds: performance.now() - started, bytes: made.length };
}

function exchange(url: string, body?: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = body
      ? { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}`, "Content-Length": body.length }
      : {};
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

function middle(runs: readonly Run[]): Run {
  return { milliseconds: median(runs.map(({ milliseconds }) => milliseconds)), bytes: runs[0]!.bytes };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

function row([first, ...rest]: readonly string[]): string {
  return `${first!.slice(0, 32).padEnd(33)}${rest.map((cell) => cell.padStart(11)).join(" ")}`;
}
