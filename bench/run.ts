// `npm run bench`: compares this service over HTTP with other programs, run as new processes. All run in turn, and the
// results are ratios. `npm run bench -- --quick` runs fewer rounds. `npm run bench -- pages` or `documents` runs one
// part. `hosts` runs an additional part, which compares the service on Node with wrangler dev. `CORPUS_DIR` names a
// folder with real documents. `--report` instead writes the table of docs/benchmarks.md (report.ts).
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { type Service, startService } from "../test/support/service.ts";
import { compareDocuments } from "./documents.ts";
import { compareHosts } from "./hosts.ts";
import { agent, exchange, median, multipart, row } from "./measuring/measure.ts";
import { JPEG_QUALITY, PAGE_DOCUMENTS, type PageJob, type Peer, peers, type Run, runPeer } from "./measuring/peers.ts";

const FORMATS = ["png", "jpg", "tif"] as const;
const RESOLUTIONS = [72, 150, 300];
const ROUNDS = process.argv.includes("--quick") ? 3 : 7;

if (corpusDir === undefined) {
  console.error(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR.`);
  process.exit(1);
}

if (process.argv.includes("hosts")) {
  await compareHosts(corpusDir, ROUNDS);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), "bench-"));
const parts = ["pages", "documents"].filter((part) => process.argv.includes(part));
const isWanted = (part: string) => parts.length === 0 || parts.includes(part);
// Only the keyed variant with a container has all endpoints and accepts large documents.
const service = await startService({ variant: "keyed", container: true });
try {
  if (isWanted("pages")) for (const format of FORMATS) await compare(service, format, corpusDir);
  if (isWanted("documents")) await compareDocuments(service, folder, ROUNDS);
} finally {
  agent.destroy();
  await service.stop();
  rmSync(folder, { recursive: true });
}

async function compare({ url, key }: Service, format: PageJob["format"], corpus: string): Promise<void> {
  const rivals = peers.filter((peer) => peer.command({ file: "", page: 1, dpi: 72, format }, "") !== undefined);
  console.log(
    `\n${format}: upload, render, encode, store and fetch of one page, median of ${ROUNDS}; ratios are ours / theirs`,
  );
  console.log(row(["document", "dpi", "ms", "bytes", ...rivals.flatMap(({ name }) => [`time/${name}`, "bytes/"])]));
  const ratios = new Map<Peer, { time: number[]; bytes: number[] }>(
    rivals.map((peer) => [peer, { time: [], bytes: [] }]),
  );
  for (const [name, page] of PAGE_DOCUMENTS) {
    for (const dpi of RESOLUTIONS) {
      const job: PageJob = { file: join(corpus, name), page, dpi, format };
      const own: Run[] = [];
      const theirs = new Map<Peer, Run[]>(rivals.map((peer) => [peer, []]));
      await runService(url, key, job);
      for (let round = 0; round < ROUNDS; round++) {
        own.push(await runService(url, key, job));
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

async function runService(url: string, key: string | undefined, { file, page, dpi, format }: PageJob): Promise<Run> {
  const fields = {
    output: "page",
    pages: page,
    resolution: dpi,
    ...(format === "jpg" ? { jpeg_quality: JPEG_QUALITY } : {}),
  };
  const body = multipart(fields, [{ name: basename(file), bytes: readFileSync(file) }]);
  const started = performance.now();
  const answer = JSON.parse(
    (await exchange(`${url}/${format}`, body, key === undefined ? {} : { "Api-Key": key })).toString(),
  ) as {
    outputUrl?: string;
    error?: string;
  };
  if (!answer.outputUrl) throw new Error(`${basename(file)}: ${answer.error}`);
  const made = await exchange(answer.outputUrl);
  return { milliseconds: performance.now() - started, bytes: made.length };
}

function middle(runs: readonly Run[]): Run {
  return { milliseconds: median(runs.map(({ milliseconds }) => milliseconds)), bytes: runs[0]!.bytes };
}
