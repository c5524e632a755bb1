// The operations that bench/reach.ts runs on each document.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePages } from "../src/document/contract/pages.ts";
import { compressPdf } from "../src/operations/compress-pdf.ts";
import { flattenTransparency } from "../src/operations/container-only/flatten-transparency.ts";
import { extractPages } from "../src/operations/extract-pages.ts";
import { limitImages } from "../src/operations/limit-images.ts";
import { mergePdfs } from "../src/operations/merge-pdfs.ts";
import { comparePdfs } from "../src/operations/pdfa-steps/compare-pdfs.ts";
import { repairPdfa } from "../src/operations/pdfa-steps/repair-pdfa.ts";
import { replaceContents } from "../src/operations/pdfa-steps/replace-contents.ts";
import { rasterizePdf } from "../src/operations/rasterize-pdf.ts";
import { LEVELS } from "../test/support/levels.ts";
import { outputsOf } from "../test/support/operations.ts";

const MAX_TIME_MS = 60_000;
const ALL = parsePages("1-last")!;
const PDFA = join(import.meta.dirname, "../src/document/pdfa");

/** One failure for each rule that a repair handles, as if an earlier attempt had violated it. */
const FAILURES = [
  ...new Set(
    readdirSync(PDFA, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .flatMap((path) => readFileSync(join(PDFA, path), "utf8").match(/(?<=")6(?:\.\d+)+(?=")/g) ?? []),
  ),
].flatMap((clause) =>
  Array.from({ length: 10 }, (_, index) => ({ clause, test: index + 1, places: [{ context: "root", pageNumber: 1 }] })),
);

const context = () => ({
  signal: AbortSignal.timeout(MAX_TIME_MS),
  heapLimitBytes: 1024 * 2 ** 20,
  log() {},
  defer() {},
});

type Attempt = (pdf: Uint8Array, other: Uint8Array) => Promise<unknown>;

export const attempts: Readonly<Record<string, Attempt>> = {
  compress: (pdf) => outputsOf(compressPdf, [pdf], { level: "high" }, context()),
  flatten: (pdf) => outputsOf(flattenTransparency, [pdf], { quality: "medium" }, context()),
  merge: (pdf, other) => outputsOf(mergePdfs, [pdf, other, pdf], { pages: [ALL, ALL, ALL] }, context()),
  limitImages: (pdf) => outputsOf(limitImages, [pdf], { lossless: false, maxImageDpi: 72 }, context()),
  extract: (pdf) => outputsOf(extractPages, [pdf], { facts: true, page: 1, groups: { first: 0, count: 8 } }, context()),
  ...Object.fromEntries(
    (["bmp", "gif", "jpg", "png", "tif"] as const).map((format): [string, Attempt] => [
      `draw ${format}`,
      (pdf) => outputsOf(rasterizePdf, [pdf], { format, colorModel: "rgb", dpi: 36, pages: ALL }, context()),
    ]),
  ),
  replaceContents: (pdf) => outputsOf(replaceContents, [pdf, pdf], {}, context()),
  compare: (pdf, other) => outputsOf(comparePdfs, [pdf, other], { timeMs: MAX_TIME_MS }, context()),
  ...Object.fromEntries(
    (["1b", "2u"] as const).flatMap((level): [string, Attempt][] =>
      [[], FAILURES].map((failures) => [
        `pdfa ${level}${failures.length > 0 ? " again" : ""}`,
        (pdf) => outputsOf(repairPdfa, [pdf], { level: LEVELS[level], failures }, context()),
      ]),
    ),
  ),
};
