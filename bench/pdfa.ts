// `npm run bench:pdfa`: compares PDF to PDF/A over HTTP with Ghostscript alone and with LibreOffice alone: the number
// of results that veraPDF accepts, the time, and the distance of pages to the original. Run with PDFs as arguments.
// Without arguments, uses the corpus.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { SOFFICE } from "../container/engines/libreoffice/profile.ts";
import { textPdf } from "../test/fixtures/pdfs.ts";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { parsePnm, perceptualDistance } from "../test/support/pictures.ts";
import { startService } from "../test/support/service.ts";
import { whatTheyBreak } from "../test/support/verapdf.ts";
import { agent, exchange, median, multipart, row } from "./measuring/measure.ts";

const FLAVOURS = ["1b", "2b", "2u", "3b", "3u"] as const;
type Flavour = (typeof FLAVOURS)[number];
/** Maximum number of compared pages per document. */
const COMPARED = 6;
const DPI = "50";
const ROUNDS = 15;
const TIMEOUT_MS = 120_000;

const [, , ...given] = process.argv.filter((argument) => argument !== "--quick");
const flavours: readonly Flavour[] = process.argv.includes("--quick") ? ["2b"] : FLAVOURS;
if (given.length === 0 && corpusDir === undefined) {
  console.error(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR, or name PDFs.`);
  process.exit(1);
}
const files = given.length > 0 ? given : corpusPdfs(join(corpusDir!, "pdf"));

interface Result {
  readonly ms: number;
  /** Path of the output; undefined if there is none. */
  readonly path: string | undefined;
}
type Tool = (from: string, flavour: Flavour, to: string) => Promise<boolean> | boolean;

const folder = mkdtempSync(join(tmpdir(), "bench-pdfa-"));
const service = await startService({ variant: "private", container: true });
const tools: Readonly<Record<string, Tool>> = {
  here: ours(false),
  "here, pictures": ours(true),
  gs,
  LibreOffice: office,
};
try {
  const twoPages = join(folder, "two-pages.pdf");
  writeFileSync(twoPages, await textPdf(2));
  await tools.here!(twoPages, "2b", join(folder, "warm.pdf"));
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.push((await timed(tools.here!, twoPages, "2b", "warm.pdf")).ms);
  }
  console.log(`two pages, warm, over HTTP with the fetch of the output: ${median(times).toFixed(0)} ms\n`);
  console.log(row(["", "outputs", "valid", "median ms", "p90 ms", "far pages", "furthest"]));
  for (const flavour of flavours) {
    const times: Record<string, readonly number[]> = {};
    for (const [name, tool] of Object.entries(tools)) {
      if (name === "LibreOffice" && flavour.endsWith("u")) continue;
      times[name] = await report(name, tool, flavour);
    }
    const ratios = times.here!.map((ms, index) => ms / times.gs![index]!);
    console.log(`${flavour} each document here, as a part of its time with gs: median ${median(ratios).toFixed(2)}\n`);
  }
} finally {
  agent.destroy();
  await service.stop();
  rmSync(folder, { recursive: true });
}

/** @returns the time of each file, in milliseconds */
async function report(name: string, tool: Tool, flavour: Flavour): Promise<number[]> {
  const results: (Result & { readonly from: string })[] = [];
  for (const from of files)
    results.push({ from, ...(await timed(tool, from, flavour, `${basename(from)}-${name}.pdf`)) });
  const made = results.flatMap(({ path, from }) => (path === undefined ? [] : [{ path, from }]));
  const broken = await whatTheyBreak(made.map(({ path }) => ({ path, flavour })));
  const distances = made.map(({ path, from }) => furthest(from, path));
  const times = results.map(({ ms }) => ms).toSorted((one, other) => one - other);
  console.log(
    row([
      `${flavour} ${name}`,
      `${made.length} of ${files.length}`,
      String(broken.filter((rules) => rules === "").length),
      median(times).toFixed(0),
      times[Math.floor(times.length * 0.9)]!.toFixed(0),
      String(distances.filter((distance) => distance > 8).length),
      Math.max(0, ...distances).toFixed(1),
    ]),
  );
  return results.map(({ ms }) => ms);
}

async function timed(tool: Tool, from: string, flavour: Flavour, name: string): Promise<Result> {
  const to = join(folder, `${flavour}-${name}`);
  const began = performance.now();
  const done = await tool(from, flavour, to);
  return { ms: performance.now() - began, path: done && existsSync(to) ? to : undefined };
}

function ours(rasterize: boolean): Tool {
  return async (from, flavour, to) => {
    const fields = {
      output: "made",
      output_type: `PDF/A-${flavour}`,
      rasterize_if_errors_encountered: rasterize ? "on" : "off",
    };
    const body = multipart(fields, [{ name: "a.pdf", bytes: readFileSync(from) }]);
    const answer = JSON.parse((await exchange(`${service.url}/pdfa`, body)).toString()) as { outputUrl?: string };
    if (answer.outputUrl === undefined) return false;
    writeFileSync(to, await exchange(answer.outputUrl));
    return true;
  };
}

/** Converts as Ghostscript's manual describes, with an sRGB output intent from Ghostscript's own definition file. */
function gs(from: string, flavour: Flavour, to: string): boolean {
  const options = ["-q", "-dNOPAUSE", "-dBATCH", `-dPDFA=${flavour[0]}`, "-dPDFACompatibilityPolicy=1"];
  const colors = ["-sDEVICE=pdfwrite", "-sColorConversionStrategy=RGB", `-o${to}`];
  return spawnSync("gs", [...options, ...colors, from], { stdio: "ignore", timeout: TIMEOUT_MS }).status === 0;
}

function office(from: string, flavour: Flavour, to: string): boolean {
  const out = `${to}-out`;
  mkdirSync(out);
  const filter = JSON.stringify({ SelectPdfVersion: { type: "long", value: flavour[0] } });
  const options = [`-env:UserInstallation=file://${join(folder, "profile")}`, "--headless", "--convert-to"];
  spawnSync(SOFFICE, [...options, `pdf:draw_pdf_Export:${filter}`, "--outdir", out, from], {
    stdio: "ignore",
    timeout: TIMEOUT_MS,
  });
  const [made] = readdirSync(out);
  if (made !== undefined) writeFileSync(to, readFileSync(join(out, made)));
  return made !== undefined;
}

/** Returns the largest distance of all compared pages, from 0 to 255. Returns 255 if a page is missing. */
function furthest(one: string, other: string): number {
  const [before, after] = [picturesOf(one), picturesOf(other)];
  return Math.max(
    0,
    ...before.map((picture, index) => {
      const shown = after[index];
      if (
        shown === undefined ||
        Math.abs(shown.width - picture.width) > 1 ||
        Math.abs(shown.height - picture.height) > 1
      )
        return 255;
      return shown.width === picture.width && shown.height === picture.height ? perceptualDistance(picture, shown) : 0;
    }),
  );
}

function picturesOf(pdf: string) {
  const place = mkdtempSync(join(folder, "pages-"));
  spawnSync("pdftoppm", ["-r", DPI, "-l", String(COMPARED), pdf, join(place, "p")], { stdio: "ignore" });
  const pictures = readdirSync(place)
    .sort()
    .map((name) => parsePnm(readFileSync(join(place, name))));
  rmSync(place, { recursive: true });
  return pictures;
}

/** Returns the documents that poppler can open. */
function corpusPdfs(place: string): string[] {
  const opens = (path: string) => {
    try {
      execFileSync("pdfinfo", [path], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  return readdirSync(place)
    .sort()
    .filter((name) => name.endsWith(".pdf"))
    .map((name) => join(place, name))
    .filter(opens);
}
