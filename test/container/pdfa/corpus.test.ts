// Converts real documents, and output of LibreOffice, Chromium and Ghostscript, to the five levels of PDF/A. The test
// runs veraPDF itself, and counts the parts of each document before and after.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { SOFFICE } from "../../../container/engines/libreoffice/profile.ts";
import { conforming } from "../../../container/pdfa/conforming.ts";
import { ghostscript } from "../../../container/pdfa/ghostscript.ts";
import { rasterize } from "../../../container/pdfa/rasterize.ts";
import { repair } from "../../../container/pdfa/repair.ts";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { corpusDir } from "../../support/corpus.ts";
import { LEVEL_NAMES, type LevelName } from "../../support/levels.ts";
import { countsOf } from "../../support/pdf-counts.ts";
import { picturesOf } from "../../support/pdf-readers.ts";
import { climbed, documents, openLadder } from "../../support/pdfa-conversion.ts";
import { parsePnm, perceptualDistance } from "../../support/pictures.ts";
import { whatTheyBreak } from "../../support/verapdf.ts";

/** Documents that every program rejects: a file that is not a PDF, a PDF without pages, a PDF with a password. */
const NOT_OPEN = ["637.pdf", "actually_an_rtf.pdf", "enc-XI-R6-V5-U-view-O-master.pdf"];
/** A document of 400 pages, compared at one level only, to save time. */
const LARGE = "pdf2image-memory-error-test-400p.pdf";
/** Damaged originals that poppler reads differently: their page tree has a cycle. */
const NOT_COUNTED = ["crash-121-2.pdf"];
/** Resolution at which poppler draws the pages. */
const DPI = 36;
const COMPARED = 2;
/** Maximum distance of the first pages. From about 8 on, the difference is visible side by side. */
const FARTHEST = 8;
/**
 * Poppler divides by zero where this file blends a color of zeros; the flattened file matches MuPDF and the standard.
 */
const DRAWN_OTHERWISE = ["ColorDodge-1b.pdf"];
/** Time limit for a busy machine. */
const BUDGET_MS = 900_000;
const STRATEGIES = [conforming, repair, ghostscript];

interface Made {
  readonly from: string;
  readonly level: LevelName;
  readonly path: string;
  readonly strategy: string;
}

openLadder(2);

describe.runIf(corpusDir !== undefined)("real documents", () => {
  const made: Made[] = [];
  const refused: string[] = [];
  const failed: string[] = [];
  let asked = 0;

  beforeAll(async () => {
    const jobs = inputs().flatMap((from) =>
      LEVEL_NAMES.filter((level) => basename(from) !== LARGE || level === "2u").map((level) => ({ from, level })),
    );
    asked = jobs.length;
    await Promise.all([work(), work()]);
    async function work(): Promise<void> {
      for (let job = jobs.pop(); job; job = jobs.pop()) await convert(job.from, job.level);
    }
  }, BUDGET_MS);

  async function convert(from: string, level: LevelName): Promise<void> {
    const name = `${basename(from)} at ${level}`;
    try {
      await keep(from, level, await climbed(from, level, STRATEGIES));
    } catch (error) {
      if (!(error instanceof EngineFailure) || error.reason !== "nonconforming")
        throw new Error(name, { cause: error });
      refused.push(`${name}: ${error.detail}`);
      await climbed(from, level, [...STRATEGIES, rasterize])
        .then((pictured) => keep(from, level, pictured))
        .catch((failure) => failed.push(`${name}: ${failure}`));
    }
  }

  async function keep(
    from: string,
    level: LevelName,
    { bytes, strategy }: { bytes: Buffer; strategy: string },
  ): Promise<void> {
    const path = join(documents, `${basename(from, ".pdf")}-${level}.pdf`);
    writeFileSync(path, bytes);
    made.push({ from, level, path, strategy });
  }

  const withoutPictures = () => made.filter(({ strategy }) => strategy !== "pictures");

  test("every one succeeds with pictures, and 97 of 100 without", () => {
    const strategies = Object.groupBy(made, ({ strategy }) => strategy);
    console.log(
      Object.entries(strategies)
        .map(([strategy, files]) => `${strategy}: ${files!.length}`)
        .join(", "),
      refused,
    );
    expect(failed).toEqual([]);
    expect(made.length).toBe(asked);
    expect(refused.length).toBeLessThanOrEqual(asked * 0.03);
  });

  test(
    "veraPDF, asked by the test, accepts all of them",
    async () => {
      const broken = await whatTheyBreak(made.map(({ path, level }) => ({ path, flavour: level })));
      expect(made.flatMap(({ path }, index) => (broken[index] ? [`${basename(path)}: ${broken[index]}`] : []))).toEqual(
        [],
      );
    },
    BUDGET_MS,
  );

  test(
    "text, bookmarks, links and tags are all there",
    () => {
      const before = new Map<string, ReturnType<typeof countsOf>>();
      const lost: string[] = [];
      for (const { from, path } of withoutPictures()) {
        if (NOT_COUNTED.includes(basename(from))) continue;
        const original = before.get(from) ?? countsOf(readFileSync(from));
        before.set(from, original);
        const now = countsOf(readFileSync(path));
        for (const [what, count] of Object.entries(original)) {
          const left = now[what as keyof typeof now];
          if (left < (what === "characters" ? count * 0.98 - 3 : count))
            lost.push(`${basename(path)}: ${what} ${left} of ${count}`);
        }
      }
      expect(lost).toEqual([]);
    },
    BUDGET_MS,
  );

  test(
    "pages look as they did, as poppler sees it",
    () => {
      const far: string[] = [];
      const originals = new Map<string, ReturnType<typeof parsePnm>[]>();
      for (const { from, path, level } of withoutPictures()) {
        if (!["1b", "2u"].includes(level) || [LARGE, ...NOT_COUNTED].includes(basename(from))) continue;
        const picture = (file: string) => picturesOf(readFileSync(file), DPI, COMPARED).map(parsePnm);
        const before = originals.get(from) ?? picture(from);
        originals.set(from, before);
        const after = picture(path);
        before.forEach((picture, index) => {
          const distance = after[index] ? perceptualDistance(picture, after[index]) : 255;
          if (distance > FARTHEST && !DRAWN_OTHERWISE.includes(basename(path)))
            far.push(`${basename(path)}, page ${index + 1}: ${distance.toFixed(1)}`);
        });
      }
      expect(far).toEqual([]);
    },
    BUDGET_MS,
  );
});

/** Returns the paths of the documents. */
function inputs(): string[] {
  const corpus = (...path: string[]) => join(corpusDir!, ...path);
  const office = ["Rendering.docx", "HandoutExample.pptx", "Complex01.xlsx"].map((name) => corpus("office", name));
  const profile = `-env:UserInstallation=file://${join(documents, "profile")}`;
  run(SOFFICE, profile, "--headless", "--convert-to", "pdf", "--outdir", documents, ...office);
  const page = join(documents, "page.html");
  writeFileSync(
    page,
    "<title>A page</title><h1>Heading</h1><p>Text with <a href='https://example.org/'>a link</a> ☃ 漢字 ½",
  );
  run(
    "chromium-headless-shell",
    ...[
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      `--print-to-pdf=${join(documents, "chromium.pdf")}`,
      `file://${page}`,
    ],
  );
  const printed = ["-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite"];
  run("gs", ...printed, "-o", join(documents, "ghostscript.pdf"), corpus("postscript", "06_color_shading.ps"));
  const own = readdirSync(documents)
    .filter((name) => name.endsWith(".pdf"))
    .map((name) => join(documents, name));
  const real = readdirSync(corpus("pdf")).filter((name) => name.endsWith(".pdf") && !NOT_OPEN.includes(name));
  return [...real.map((name) => corpus("pdf", name)), ...own];
}

function run(program: string, ...options: string[]): void {
  execFileSync(program, options, { stdio: "ignore", env: { ...process.env, HOME: documents } });
}
