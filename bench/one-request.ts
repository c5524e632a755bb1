// `npm run bench:one-request`: renders a page of text at 300 dpi in three ways: in one request whose response is the
// image, in two requests, and with mutool as a new process. Rounds are interleaved, and each ratio compares times of
// one round, so ratios are valid on a busy machine. `--quick` runs fewer rounds.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { startContainer } from "../scripts/services/container-process.ts";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { type Service, startService } from "../test/support/service.ts";
import { agent, exchange, median, multipart, row } from "./measuring/measure.ts";

const PAGES: readonly (readonly [file: string, page: number])[] = [
  ["pdf/hello-world.pdf", 1],
  ["pdf/pdf2image-memory-error-test-400p.pdf", 20],
];
const DPI = 300;
const ROUNDS = process.argv.includes("--quick") ? 5 : 15;
const PNG = { Accept: "image/png" };

if (corpusDir === undefined) {
  console.error(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR.`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "bench-one-request-"));
const container = await startContainer({ logFile: join(folder, "container.log") });
const services: Service[] = [];
try {
  for (const target of ["wrangler", "host"] as const) {
    services.push(await startService({ target, variant: "private", container }));
  }
  console.log(`A page at ${DPI} dpi in milliseconds, median of ${ROUNDS} rounds, and the ratio to mutool.`);
  console.log(row(["", "mutool", ...services.flatMap(({ target }) => [target, "", "two requests", ""]), "load"]));
  for (const [file, page] of PAGES) await compare(join(corpusDir, file), page);
} finally {
  agent.destroy();
  await Promise.all([...services, container].map((each) => each.stop()));
  rmSync(folder, { recursive: true });
}

async function compare(file: string, page: number): Promise<void> {
  const body = multipart({ output: "a", pages: page, resolution: DPI }, [
    { name: basename(file), bytes: readFileSync(file) },
  ]);
  const tasks = [
    () => mutool(file, page),
    ...services.flatMap(({ url }) => [() => inOne(url, body), () => inTwo(url, body)]),
  ];
  for (const task of tasks) await task();
  const times = tasks.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, task] of tasks.entries()) times[at]!.push(await timed(task));
  }
  const [theirs, ...ours] = times as [number[], ...number[][]];
  const cells = ours.flatMap((own) => {
    const ratio = median(own.map((milliseconds, round) => milliseconds / theirs[round]!));
    return [median(own).toFixed(0), ratio.toFixed(2)];
  });
  console.log(row([basename(file), median(theirs).toFixed(0), ...cells, loadavg()[0]!.toFixed(1)]));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function mutool(file: string, page: number): Promise<void> {
  const args = ["draw", "-q", "-r", String(DPI), "-c", "rgb", "-o", join(folder, "page.png"), file, String(page)];
  await promisify(execFile)("mutool", args);
}

async function inOne(url: string, body: Buffer): Promise<void> {
  const picture = await exchange(`${url}/png`, body, PNG);
  if (picture.readUInt32BE(0) !== 0x89504e47) throw new Error(`no picture: ${picture.subarray(0, 200)}`);
}

async function inTwo(url: string, body: Buffer): Promise<void> {
  const { outputUrl } = JSON.parse((await exchange(`${url}/png`, body)).toString()) as { outputUrl: string };
  await exchange(outputUrl);
}
