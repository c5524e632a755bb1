// Flattens real documents at every quality: no transparency remains, the appearance is the same, and text and parts of
// the document are kept.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FLATTENING_QUALITIES } from "../../../../src/document/flattening/settings.ts";
import { corpusDir, corpusFile } from "../../../support/corpus.ts";
import { distances, flattened } from "../../../support/flattened.ts";
import { PdfJson } from "../../../support/pdf-json.ts";
import { pageTexts, qpdfComplaints, withFile } from "../../../support/pdf-readers.ts";
import { readOnce } from "../../../support/read-once.ts";
import { transparencyIn } from "../../../support/transparency-scan.ts";

/** Documents that are rejected; other tests check the reasons. */
const REFUSED = new Set(["637.pdf", "actually_an_rtf.pdf", "enc-XI-R6-V5-U-view-O-master.pdf"]);
/** A document that qpdf cannot read. */
const DAMAGED = "crash-121-2.pdf";
const DAMAGED_PAGES = 3;
/** Maximum distance of pages. From 8 on, the difference is visible side by side. */
const FARTHEST = { low: 5, medium: 4, high: 4 };
const KEPT_CHARACTERS = 0.97;

const names = corpusDir ? readdirSync(join(corpusDir, "pdf")).filter((name) => !REFUSED.has(name)) : [];

function countsOf(pdf: Uint8Array): Map<string, number> {
  const counts = new Map<string, number>();
  for (const character of pageTexts(pdf).join("").replace(/\s/g, "")) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return counts;
}

const countsBefore = readOnce(countsOf);
const partsBefore = readOnce((pdf) => new PdfJson(pdf));

/** Returns the share of characters that the result still has. */
function keptOf(before: Uint8Array, after: Uint8Array): number {
  const [was, is] = [countsBefore(before), countsOf(after)];
  let [kept, all] = [0, 0];
  for (const [character, count] of was) {
    all += count;
    kept += Math.min(count, is.get(character) ?? 0);
  }
  return all === 0 ? 1 : kept / all;
}

/** Returns Ghostscript's color separations of the first page, by ink name, as bytes of TIFF files. */
function platesOf(pdf: Uint8Array): Map<string, Buffer> {
  return withFile(pdf, (path, folder) => {
    execFileSync(
      "gs",
      [
        "-q",
        "-dSAFER",
        "-dBATCH",
        "-dNOPAUSE",
        "-sDEVICE=tiffsep",
        "-r36",
        "-dLastPage=1",
        "-sCompression=none",
        `-sOutputFile=${join(folder, "plate.tif")}`,
        path,
      ],
      { stdio: "ignore" },
    );
    const files = readdirSync(folder).filter((name) => /\(.*\)/.test(name));
    return new Map(files.map((name) => [/\((.*)\)/.exec(name)![1]!, readFileSync(join(folder, name))]));
  });
}

describe.skipIf(!corpusDir)("real documents", () => {
  test.each(names)("%s", { timeout: 300_000 }, async (name) => {
    const pdf = corpusFile(`pdf/${name}`)!;
    const isTransparent = name !== DAMAGED && transparencyIn(pdf).length > 0;
    for (const quality of FLATTENING_QUALITIES) {
      const { bytes } = await flattened(pdf, quality);
      if (name === DAMAGED) {
        expect(qpdfComplaints(pdf)).toContain("Pages structure");
        expect(qpdfComplaints(bytes)).not.toContain("Pages structure");
        expect(new PdfJson(bytes).pages).toHaveLength(DAMAGED_PAGES);
        continue;
      }
      if (!isTransparent) {
        expect(Buffer.compare(bytes, pdf)).toBe(0);
        continue;
      }
      expect(transparencyIn(bytes)).toEqual([]);
      expect(qpdfComplaints(bytes)).toBe("");
      expect(keptOf(pdf, bytes)).toBeGreaterThanOrEqual(KEPT_CHARACTERS);
      const { poppler, mutool, disagreement } = await distances(pdf, bytes, 1, 72);
      expect(mutool).toBeLessThan(FARTHEST[quality]);
      expect(poppler).toBeLessThan(FARTHEST[quality] + disagreement);
      const [was, is] = [partsBefore(pdf), new PdfJson(bytes)];
      expect(is.outlines.length).toBe(was.outlines.length);
      expect(is.fields.length).toBe(was.fields.length);
      expect(is.annotations(1).map((entries) => entries["/Subtype"])).toEqual(
        was.annotations(1).map((entries) => entries["/Subtype"]),
      );
      expect(is.at(is.catalog, "StructTreeRoot") === null).toBe(was.at(was.catalog, "StructTreeRoot") === null);
    }
  });

  test.each(["amt_handbook_sample.pdf", "OptimizeResourcesCompressAllContentStreams.pdf"])(
    "%s keeps its plates",
    async (name) => {
      const pdf = corpusFile(`pdf/${name}`)!;
      const { bytes } = await flattened(pdf);
      expect([...platesOf(bytes).keys()].toSorted()).toEqual([...platesOf(pdf).keys()].toSorted());
    },
  );
});
