// Compares compression with Ghostscript, qpdf and MuPDF's tool: output size, CPU time, and the similarity of each page
// to the original (SSIM of its gray image at 100 dpi). Run with node and PDFs as arguments. Without arguments, uses the
// corpus and scans made from it. Prints a Markdown table.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { LEVELS, type Level } from "../src/document/compression/settings.ts";
import { compressPdf } from "../src/operations/compress-pdf.ts";
import { imageObject, rawPdf } from "../test/fixtures/image-pdfs.ts";
import { scanOf as colorScanOf } from "../test/fixtures/scans.ts";
import { corpusDir } from "../test/support/corpus.ts";
import { outputsOf } from "../test/support/operations.ts";

const DPI = "100";
/** Maximum number of compared pages per document. */
const COMPARED = 6;
const HEAP_BYTES = 1024 * 2 ** 20;

interface Result {
  readonly bytes: number;
  readonly seconds: number;
  readonly ssim: number;
  readonly characters: number;
}

const folder = mkdtempSync(join(tmpdir(), "compression-"));
const gs = (settings: string) => (from: string, to: string) =>
  run(
    "gs",
    "-q",
    "-dNOPAUSE",
    "-dBATCH",
    "-dSAFER",
    "-sDEVICE=pdfwrite",
    `-dPDFSETTINGS=/${settings}`,
    `-o${to}`,
    from,
  );
const tools: Readonly<Record<string, (from: string, to: string) => Promise<number> | number>> = {
  ...Object.fromEntries(LEVELS.map((level) => [level, (from: string, to: string) => ours(level, from, to)])),
  "gs /ebook": gs("ebook"),
  "gs /screen": gs("screen"),
  qpdf: (from, to) => run("qpdf", "--object-streams=generate", "--recompress-flate", "--compression-level=9", from, to),
  mutool: (from, to) => run("mutool", "clean", "-gggg", "-z", from, to),
};

/** @returns CPU time in seconds */
async function ours(level: Level, from: string, to: string): Promise<number> {
  const pdf = new Uint8Array(readFileSync(from));
  const start = process.cpuUsage();
  const context = { signal: new AbortController().signal, heapLimitBytes: HEAP_BYTES, log() {}, defer() {} };
  const [made] = await outputsOf(compressPdf, [pdf], { level }, context);
  const { user, system } = process.cpuUsage(start);
  writeFileSync(to, made!);
  return (user + system) / 1e6;
}

/** @returns CPU time in seconds, which hardly depends on other programs of the machine */
function run(program: string, ...options: string[]): number {
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1';
  const { stderr } = spawnSync("bash", ["-c", script, "bash", program, ...options], { encoding: "utf8" });
  const [user, system] = stderr.trim().split("\n").at(-1)!.split(" ");
  return Number(user) + Number(system);
}

interface Page {
  readonly width: number;
  readonly height: number;
  readonly gray: Uint8Array;
}

function pagesOf(file: string): Page[] {
  const place = mkdtempSync(join(folder, "pages-"));
  spawnSync("pdftoppm", ["-gray", "-r", DPI, "-l", String(COMPARED), file, join(place, "p")], { stdio: "ignore" });
  const pages = readdirSync(place)
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(place, name));
      const [head, width, height] = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.toString("latin1", 0, 40))!;
      return { width: Number(width), height: Number(height), gray: bytes.subarray(head.length) };
    });
  rmSync(place, { recursive: true });
  return pages;
}

/**
 * Returns the structural similarity of two pages (Wang et al. 2004) over flat windows of 8 x 8 pixels, at every fourth
 * row and column.
 */
function similarity({ width, height, gray: a }: Page, { gray: b }: Page): number {
  let [sum, count] = [0, 0];
  for (let y = 0; y + 8 <= height; y += 4) {
    for (let x = 0; x + 8 <= width; x += 4) {
      let [p, q, pp, qq, pq] = [0, 0, 0, 0, 0];
      for (let at = 0; at < 64; at++) {
        const place = (y + (at >> 3)) * width + x + (at & 7);
        const [one, other] = [a[place]!, b[place]!];
        p += one;
        q += other;
        pp += one * one;
        qq += other * other;
        pq += one * other;
      }
      const [meanP, meanQ] = [p / 64, q / 64];
      const variances = pp / 64 - meanP * meanP + qq / 64 - meanQ * meanQ;
      const means = meanP * meanP + meanQ * meanQ;
      const top = (2 * meanP * meanQ + 6.5025) * (2 * (pq / 64 - meanP * meanQ) + 58.5225);
      sum += top / ((means + 6.5025) * (variances + 58.5225));
      count++;
    }
  }
  return count > 0 ? sum / count : 1;
}

function compare(before: readonly Page[], after: readonly Page[]): number {
  const isAlike = before.every(
    (page, index) => page.width === after[index]?.width && page.height === after[index]?.height,
  );
  if (before.length === 0 || !isAlike) return Number.NaN;
  return before.reduce((sum, page, index) => sum + similarity(page, after[index]!), 0) / before.length;
}

const charactersOf = (file: string) =>
  spawnSync("pdftotext", [file, "-"], { encoding: "utf8", maxBuffer: 2 ** 30 }).stdout.replace(/\s/g, "").length;

async function measure(file: string): Promise<Map<string, Result>> {
  const before = pagesOf(file);
  const results = new Map<string, Result>();
  for (const [name, tool] of Object.entries(tools)) {
    const to = join(folder, "out.pdf");
    rmSync(to, { force: true });
    const seconds = await Promise.resolve(tool(file, to)).catch(() => Number.NaN);
    if (!existsSync(to)) continue;
    const ssim = compare(before, pagesOf(to));
    results.set(name, { bytes: statSync(to).size, seconds, ssim, characters: charactersOf(to) });
  }
  return results;
}

/** Returns a PDF like those of a scanner: each page is one image. */
function scanOf(source: string, kind: "color" | "bilevel", pages: number): string {
  const place = mkdtempSync(join(folder, "scan-"));
  const options = kind === "color" ? ["-jpeg", "-jpegopt", "quality=90", "-r", "200"] : ["-mono", "-r", "300"];
  execFileSync("pdftoppm", [...options, "-l", String(pages), source, join(place, "p")], { stdio: "ignore" });
  const files = readdirSync(place).sort();
  const objects = Object.fromEntries(files.map((name, index) => [`image${index}`, pictureOf(join(place, name), kind)]));
  const contents = files.map((_, index) => ({
    content: "q 595 0 0 842 0 0 cm /I Do Q",
    resources: `<</XObject<</I {image${index}}>>>>`,
    more: "/MediaBox[0 0 595 842]",
  }));
  const to = join(folder, `scan, ${kind}, ${basename(source)}`);
  writeFileSync(to, rawPdf(objects, contents));
  return to;
}

function pictureOf(file: string, kind: "color" | "bilevel") {
  const bytes = readFileSync(file);
  if (kind === "bilevel") {
    const [head, width, height] = /^P4\s+(\d+)\s+(\d+)\s/.exec(bytes.toString("latin1", 0, 40))!;
    const entries = "/ColorSpace/DeviceGray/BitsPerComponent 1/Decode[1 0]";
    return imageObject(Number(width), Number(height), entries, bytes.subarray(head.length));
  }
  // The JPEG frame header: FF C0, then length, bits, height and width.
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  const [height, width] = [bytes.readUInt16BE(frame + 5), bytes.readUInt16BE(frame + 7)];
  return imageObject(width, height, "/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode", bytes);
}

function documents(): string[] {
  if (process.argv.length > 2) return process.argv.slice(2);
  if (!corpusDir) throw new Error("There is no corpus: name PDFs.");
  const all = readdirSync(join(corpusDir, "pdf")).map((name) => join(corpusDir!, "pdf", name));
  const [long, colorful] = ["pdf2image-memory-error-test-400p.pdf", "amt_handbook_sample.pdf"].map((name) =>
    join(corpusDir!, "pdf", name),
  );
  const prints = [
    [long!, "20-23"],
    [colorful!, "1"],
  ].map(([source, pages]) => {
    const to = join(folder, `scan of print, ${basename(source!)}`);
    writeFileSync(to, colorScanOf(readFileSync(source!), pages));
    return to;
  });
  return [...all, ...prints, scanOf(long!, "color", 8), scanOf(long!, "bilevel", 8), scanOf(colorful!, "color", 1)];
}

const kib = (bytes: number) => (bytes / 1024).toFixed(0);
console.log(`| document (KB) | ${Object.keys(tools).join(" | ")} |\n|---|${"---|".repeat(Object.keys(tools).length)}`);
const ratios: Record<string, { size: number; isAsNear: boolean; time: number }[]> = { medium: [], high: [] };
for (const file of documents()) {
  const results = await measure(file);
  if (!results.has("low")) continue;
  const text = charactersOf(file);
  const cells = Object.keys(tools).map((name) => {
    const result = results.get(name);
    if (!result) return "none";
    const { bytes, seconds, ssim, characters } = result;
    const lost = characters < text ? ` **-${text - characters} characters**` : "";
    return `${kib(bytes)} ${seconds.toFixed(2)} s ${Number.isNaN(ssim) ? "other pages" : ssim.toFixed(4)}${lost}`;
  });
  console.log(`| ${basename(file)} (${kib(statSync(file).size)}) | ${cells.join(" | ")} |`);
  for (const [level, peer] of [
    ["medium", "gs /ebook"],
    ["high", "gs /screen"],
  ] as const) {
    const [one, other] = [results.get(level), results.get(peer)];
    if (!one || !other) continue;
    // NaN means that the other program changed the size of a page: ours then counts as at least as near.
    const isAsNear = Number.isNaN(other.ssim) || one.ssim >= other.ssim - 0.00005;
    ratios[level]!.push({ size: one.bytes / other.bytes, isAsNear, time: one.seconds / other.seconds });
  }
}
const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
for (const [level, list] of Object.entries(ratios)) {
  const size = median(list.map((ratio) => ratio.size));
  const time = median(list.map((ratio) => ratio.time));
  const [smaller, near, sooner] = [
    list.filter((ratio) => ratio.size < 1).length,
    list.filter(({ isAsNear }) => isAsNear).length,
    list.filter((ratio) => ratio.time <= 1).length,
  ];
  console.log(
    `\n${level}: of ${list.length} documents ${smaller} are smaller (median ${size.toFixed(2)}), ${near} as near or nearer, ` +
      `${sooner} take no more time (median ${time.toFixed(2)}).`,
  );
}
rmSync(folder, { recursive: true });
