// `npm run bench:pages`: measures tiles of 512 x 512 pixels of stored PDFs, fetched by URL: the first tile of a page,
// further tiles of the page, and a cached tile. Compares them with mutool, run as a new process that renders the same
// region. Also compares the second requested page of a long document with that of a short document. `-- --quick` runs
// fewer rounds. `-- --host` measures the host.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PDFDocument } from "pdf-lib";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { startService } from "../test/support/service.ts";
import { agent, exchange, median, multipart, row } from "./measuring/measure.ts";

const BOOK = "pdf/pdf2image-memory-error-test-400p.pdf";
const PAGES = [20, 150, 300];
const [ROUNDS, COLD_ROUNDS] = process.argv.includes("--quick") ? [5, 2] : [15, 5];
/** Positions of tiles on a letter page at full size. Each round uses different positions. */
const FIRST = [512, 512] as const;
const placeOf = (round: number) => [512 + 512 * (round % 3), 512 + 40 * round] as const;
type Place = readonly [x: number, y: number];
/** Time limit within which the service extracts all pages of the book after its first response. */
const EXTRACTED_MS = 5_000;

if (corpusDir === undefined) {
  console.error(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR.`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "bench-pages-"));
const service = await startService({
  variant: "private",
  target: process.argv.includes("--host") ? "host" : "wrangler",
});
const book = readFileSync(join(corpusDir, BOOK));

async function stored(bytes: Uint8Array): Promise<string> {
  const answer = await exchange(`${service.url}/upload`, multipart({}, [{ name: "a.pdf", bytes }]));
  return (JSON.parse(answer.toString()) as { files: { id: string }[] }).files[0]!.id;
}

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const tile = (id: string, page: number, [x, y]: Place) =>
  timed(async () => {
    const bytes = await exchange(`${service.url}/iiif/${id}:${page}/${x},${y},512,512/512,512/0/default.png`);
    if (bytes.readUInt32BE(16) !== 512) throw new Error(`not a tile: ${bytes.toString("latin1", 0, 200)}`);
  });

/** Returns a document whose crop box is the tile's region, because mutool renders the crop box. */
async function cropped(page: number, [x, y]: Place): Promise<string> {
  const document = await PDFDocument.load(book);
  const scale = 72 / 300;
  document.getPage(page - 1).setCropBox(x * scale, 792 - (y + 512) * scale, 512 * scale, 512 * scale);
  const file = join(folder, "region.pdf");
  writeFileSync(file, await document.save());
  return file;
}

const mutool = (file: string, page: number) =>
  timed(() => {
    const args = ["draw", "-q", "-r", "300", "-c", "rgb", "-o", join(folder, "page.png"), file, String(page)];
    execFileSync("mutool", args, { stdio: "ignore" });
  });

const KINDS = ["mutool", "cold", "warm", "cached", "empty answer"] as const;

async function compareTiles(): Promise<void> {
  console.log(`\nA tile in milliseconds, median of ${ROUNDS} rounds, and its share of mutool's time`);
  console.log(row(["page of the book", ...KINDS.flatMap((kind) => (kind === "mutool" ? [kind] : [kind, ""]))]));
  for (const page of PAGES) {
    const times: Record<(typeof KINDS)[number], number[]> = {
      ...{ mutool: [], cold: [], warm: [], cached: [], "empty answer": [] },
    };
    let id = "";
    for (let round = 0; round < COLD_ROUNDS; round++) {
      id = await stored(book);
      times.cold.push(await tile(id, page, FIRST));
      await sleep(EXTRACTED_MS);
    }
    // Now the page is read from its stored group of extracted pages.
    await tile(id, page, FIRST);
    for (let round = 0; round < ROUNDS; round++) {
      const place = placeOf(round);
      const file = await cropped(page, place);
      times.mutool.push(await mutool(file, page));
      times.warm.push(await tile(id, page, place));
      times.cached.push(await tile(id, page, FIRST));
      times["empty answer"].push(await timed(() => exchange(`${service.url}/health`)));
    }
    const theirs = median(times.mutool);
    const cells = KINDS.slice(1).flatMap((kind) => {
      const ours = median(times[kind]);
      return [ours.toFixed(1), (ours / theirs).toFixed(2)];
    });
    console.log(row([`page ${page}`, theirs.toFixed(1), ...cells]));
  }
}

async function comparePages(): Promise<void> {
  const source = await PDFDocument.load(book);
  const short = await PDFDocument.create();
  for (const page of await short.copyPages(source, [19, 149])) short.addPage(page);
  const pair = await short.save();
  const times: [long: number, short: number][] = [];
  for (let round = 0; round < COLD_ROUNDS; round++) {
    const measured: number[] = [];
    for (const [bytes, first, second] of [[book, 20, 150] as const, [pair, 1, 2] as const]) {
      const id = await stored(bytes);
      await tile(id, first, FIRST);
      await sleep(EXTRACTED_MS);
      measured.push(await tile(id, second, FIRST));
    }
    times.push(measured as [number, number]);
  }
  const [long, few] = [median(times.map(([time]) => time)), median(times.map(([, time]) => time))];
  console.log("\nThe second page that is asked for, in milliseconds");
  console.log(row(["of 400 pages", "of 2 pages", "share"]));
  console.log(row([long.toFixed(1), few.toFixed(1), (long / few).toFixed(2)]));
}

try {
  // Warm-up: the first image compiles the engine.
  await tile(await stored(book), 1, FIRST);
  await compareTiles();
  await comparePages();
  console.log(
    `\nLoad of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(", ")}`,
  );
} finally {
  agent.destroy();
  await service.stop();
  rmSync(folder, { recursive: true });
}
