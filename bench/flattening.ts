// Compares flattening with Ghostscript (compatibility level 1.3) and with cairo's PostScript converted by pdfwrite: CPU
// time, output size, percentage of the page area that became images, distance to the original in two renderers, and
// preserved text. Run with node and PDFs as arguments. Without arguments, uses the corpus and a slide deck made from
// it. Prints a Markdown table.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { SOFFICE } from "../container/engines/libreoffice/profile.ts";
import type { FlatteningQuality } from "../src/document/flattening/settings.ts";
import { FLATTENING_QUALITIES } from "../src/document/flattening/settings.ts";
import { flattenTransparency } from "../src/operations/container-only/flatten-transparency.ts";
import { corpusDir } from "../test/support/corpus.ts";
import { mutoolPage } from "../test/support/flattened.ts";
import { outputsOf } from "../test/support/operations.ts";
import { perceptualDistance, popplerPage } from "../test/support/pictures.ts";

const DPI = 72;
const CORPUS = [
  "amt_handbook_sample",
  "ColorDodge",
  "OptimizeResourcesCompressAllContentStreams",
  "Seige_of_Vicksburg_Sample_OCR",
  "pattern_shading_type4_2",
  "pdf2image-memory-error-test-400p",
];
/** Number of compared pages per document, spread over the whole document. */
const COMPARED = 5;
const folder = mkdtempSync(join(tmpdir(), "flattening-"));

interface Made {
  readonly seconds: number;
  /** Percentage of each page's area that became images. Undefined if the tool does not report it. */
  readonly coverage?: readonly number[];
}

async function ours(quality: FlatteningQuality, from: string, to: string): Promise<Made> {
  let coverage: readonly number[] = [];
  const context = {
    signal: new AbortController().signal,
    heapLimitBytes: 1024 * 2 ** 20,
    defer() {},
    log(_: string, details?: Record<string, unknown>) {
      coverage = (details?.coverage as number[]) ?? [];
    },
  };
  const pdf = new Uint8Array(readFileSync(from));
  const start = process.cpuUsage();
  const [made] = await outputsOf(flattenTransparency, [pdf], { quality }, context);
  const { user, system } = process.cpuUsage(start);
  writeFileSync(to, made!);
  return { seconds: (user + system) / 1e6, coverage };
}

/** Runs commands in a shell. @returns the CPU time of the commands in seconds */
function run(script: string, from: string, to: string): Made {
  const timed = `TIMEFORMAT='%U %S'; time { ${script}; }`;
  const { stderr } = spawnSync("bash", ["-c", timed, "bash", from, to], { encoding: "utf8" });
  const [user, system] = stderr.trim().split("\n").at(-1)!.split(" ").map(Number);
  return { seconds: user! + system! };
}

const PDFWRITE = "gs -q -dSAFER -dBATCH -dNOPAUSE -sDEVICE=pdfwrite -dCompatibilityLevel=1.3";
const tools: Readonly<Record<string, (from: string, to: string) => Promise<Made> | Made>> = {
  ...Object.fromEntries(FLATTENING_QUALITIES.map((name) => [name, (from: string, to: string) => ours(name, from, to)])),
  "gs 1.3": (from, to) => run(`${PDFWRITE} -sOutputFile="$2" "$1" >/dev/null 2>&1`, from, to),
  cairo: (from, to) =>
    run(
      `pdftocairo -ps -level3 -origpagesizes -r 150 "$1" "$2.ps" >/dev/null 2>&1; ${PDFWRITE} -sOutputFile="$2" "$2.ps" >/dev/null 2>&1`,
      from,
      to,
    ),
};

function charactersOf(file: string): string[] {
  const { stdout } = spawnSync("pdftotext", [file, "-"], { encoding: "utf8", maxBuffer: 2 ** 30 });
  return [...stdout.replace(/\s/g, "")].toSorted();
}

function keptOf(was: readonly string[], is: readonly string[]): number {
  let kept = 0;
  for (let one = 0, other = 0; one < was.length && other < is.length; ) {
    if (was[one] === is[other]) {
      kept++;
      one++;
      other++;
    } else if (was[one]! < is[other]!) one++;
    else other++;
  }
  return was.length === 0 ? 1 : kept / was.length;
}

async function distanceOf(from: string, to: string): Promise<[number, number]> {
  const [before, after] = [new Uint8Array(readFileSync(from)), new Uint8Array(readFileSync(to))];
  const pages = Number(/Pages:\s+(\d+)/.exec(execFileSync("pdfinfo", [from], { encoding: "utf8" }))![1]);
  let [poppler, mutool, count] = [0, 0, 0];
  for (let page = 1; page <= pages; page += Math.ceil(pages / COMPARED), count++) {
    poppler += perceptualDistance(await popplerPage(before, page, DPI), await popplerPage(after, page, DPI));
    mutool += perceptualDistance(await mutoolPage(before, page, DPI), await mutoolPage(after, page, DPI));
  }
  return [poppler / count, mutool / count];
}

function documents(): string[] {
  const given = process.argv.slice(2);
  if (given.length > 0) return given;
  if (!corpusDir) throw new Error("neither PDFs nor the corpus");
  const source = join(corpusDir, "office/O12Typical.pptx");
  const home = `-env:UserInstallation=file://${folder}/profile`;
  spawnSync(SOFFICE, [home, "--headless", "--convert-to", "pdf", "--outdir", folder, source], { stdio: "ignore" });
  const deck = readdirSync(folder).filter((name) => name.endsWith(".pdf"));
  return [...deck.map((name) => join(folder, name)), ...CORPUS.map((name) => join(corpusDir!, "pdf", `${name}.pdf`))];
}

try {
  console.log("| file | tool | s | KB | picture, most and mean | distance (poppler, MuPDF) | characters |");
  console.log("|---|---|---|---|---|---|---|");
  for (const from of documents()) {
    const was = charactersOf(from);
    for (const [name, tool] of Object.entries(tools)) {
      const to = join(folder, "made");
      const { seconds, coverage } = await tool(from, to);
      const distance = await distanceOf(from, to).catch(() => undefined);
      const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
      const mean = coverage?.length ? coverage.reduce((sum, share) => sum + share, 0) / coverage.length : 0;
      const cells = [
        `${basename(from)} (${Math.round(statSync(from).size / 1024)} KB)`,
        name,
        seconds.toFixed(1),
        String(Math.round(statSync(to).size / 1024)),
        coverage ? `${percent(Math.max(0, ...coverage))}, ${percent(mean)}` : "",
        distance ? distance.map((one) => one.toFixed(1)).join(", ") : "pages differ",
        percent(keptOf(was, charactersOf(to))),
      ];
      console.log(`| ${cells.join(" | ")} |`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
