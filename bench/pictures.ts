// `node scripts/bootstrap.mjs bench/pictures.ts`: compares converting images to PDF over HTTP with img2pdf and
// ImageMagick as new processes. All run in turn, and the results are ratios. `IMG2PDF` (pip install img2pdf) and
// `IMAGEMAGICK` name the programs if they are not on the path. `--quick` runs fewer rounds.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { bmp, bmpRows, pack, pattern, plainTiff, png, tiff } from "../test/fixtures/pictures.ts";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { startService } from "../test/support/service.ts";
import { agent, exchange, median, multipart, row } from "./measuring/measure.ts";

const CORPUS = ["Portrait_8.jpg", "cmyk_colorspace.jpg", "speed_bench_prog.jpg", "multipage.tif", "hopper_bigtiff.tif"];
const ROUNDS = process.argv.includes("--quick") ? 3 : 7;
const PEERS: Readonly<Record<string, (file: string, made: string) => readonly [string, ...string[]]>> = {
  img2pdf: (file, made) => [process.env.IMG2PDF ?? "img2pdf", "-o", made, file],
  // `epdf` is another name of the PDF encoder. Debian's policy file forbids the name `pdf`.
  ImageMagick: (file, made) => [process.env.IMAGEMAGICK ?? "convert", file, `epdf:${made}`],
};

if (corpusDir === undefined) {
  console.error(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR.`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "bench-"));
const corpus = join(corpusDir, "images");
/** About two megapixels, in each format that the other programs accept. */
const photo = pattern(3, 1700, 1200);
const made: Readonly<Record<string, Buffer>> = {
  "rgb.png": png(photo, { colorType: 2, bits: 8, pieceBytes: 65_536 }),
  "interlaced.png": png(photo, { colorType: 2, bits: 8, isInterlaced: true, pieceBytes: 65_536 }),
  "rgba.png": png(pattern(4, 1700, 1200), { colorType: 6, bits: 8, pieceBytes: 65_536 }),
  "rgb.tif": tiff([plainTiff(photo, 2)]),
  "rgb.bmp": bmp(1700, 1200, { bits: 24, data: bmpRows(pack(photo, 8)) }),
};
for (const [name, bytes] of Object.entries(made)) writeFileSync(join(folder, name), bytes);
const files = [...CORPUS.map((name) => join(corpus, name)), ...Object.keys(made).map((name) => join(folder, name))];
const service = await startService({ variant: "private" });
try {
  console.log(
    `median of ${ROUNDS}; upload, conversion, storage and fetch here, reading and writing a file there; ours / theirs`,
  );
  console.log(row(["picture", "ms", "bytes", ...Object.keys(PEERS).flatMap((name) => [`time/${name}`, "bytes/"])]));
  for (const file of files) await compare(file);
} finally {
  agent.destroy();
  await service.stop();
  rmSync(folder, { recursive: true });
}

async function compare(file: string): Promise<void> {
  const ours: number[] = [];
  const theirs = Object.values(PEERS).map((command) => ({ command, times: [] as number[], bytes: 0 }));
  let bytes = await convert(file);
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    bytes = await convert(file);
    ours.push(performance.now() - started);
    for (const peer of theirs) {
      const [program, ...args] = peer.command(file, join(folder, "peer.pdf"));
      const began = performance.now();
      // A program might not accept an image. The round is then skipped.
      if ((await exitCode(program, args)) !== 0) continue;
      peer.times.push(performance.now() - began);
      peer.bytes = statSync(join(folder, "peer.pdf")).size;
    }
  }
  const cells = theirs.flatMap(({ times, bytes: size }) =>
    times.length === 0 ? ["refused", ""] : [(median(ours) / median(times)).toFixed(2), (bytes / size).toFixed(2)],
  );
  console.log(row([basename(file), median(ours).toFixed(0), String(bytes), ...cells]));
}

function exitCode(program: string, args: readonly string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "ignore" });
    child.on("error", reject);
    child.on("close", resolve);
  });
}

/** @returns the size of the PDF */
async function convert(file: string): Promise<number> {
  const body = multipart({ output: "made" }, [{ name: basename(file), bytes: readFileSync(file) }]);
  const answer = JSON.parse((await exchange(`${service.url}/pdf`, body)).toString()) as {
    outputUrl?: string;
    error?: string;
  };
  if (!answer.outputUrl) throw new Error(`${basename(file)}: ${answer.error}`);
  return (await exchange(answer.outputUrl)).length;
}
