// Compresses real documents at every level: three readers open them, the text is equal, and the appearance is close.
// Only the first page of each is drawn.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LEVELS } from "../../../src/document/compression/settings.ts";
import { compressPdf } from "../../../src/operations/compress-pdf.ts";
import { corpusDir, corpusFile } from "../../support/corpus.ts";
import { CONTEXT, outputsOf } from "../../support/operations.ts";
import { pageTexts, qpdfComplaints } from "../../support/pdf-readers.ts";
import { perceptualDistance, popplerPage, withFile } from "../../support/pictures.ts";

/** Documents that are rejected; other tests check each of them. */
const REFUSED = new Set(["637.pdf", "actually_an_rtf.pdf", "enc-XI-R6-V5-U-view-O-master.pdf"]);
/** A document with a damaged page tree, which readers interpret differently. */
const DAMAGED = "crash-121-2.pdf";
/** Maximum values of {@link perceptualDistance}. From 8 on, a difference is visible side by side. */
const FARTHEST = { low: 0.5, medium: 4, high: 8 };
/** A limit for the document of 400 pages, which every reader reads at every level. */
const MAX_TIME_MS = 600_000;
const CONTAINER = { ...CONTEXT, heapLimitBytes: 1024 * 2 ** 20 };

const names = corpusDir ? readdirSync(join(corpusDir, "pdf")).filter((name) => !REFUSED.has(name)) : [];
const characters = (pdf: Uint8Array) => pageTexts(pdf).join("").replace(/\s/g, "");

describe.skipIf(!corpusDir)("real documents", () => {
  test.each(names)(
    "%s",
    async (name) => {
      const pdf = corpusFile(`pdf/${name}`)!;
      const [text, complaints] = [characters(pdf), qpdfComplaints(pdf)];
      const before = await popplerPage(pdf, 1, 72);
      let size = pdf.length;
      for (const level of LEVELS) {
        const [made] = await outputsOf(compressPdf, [pdf], { level }, CONTAINER);
        expect(made!.length).toBeLessThanOrEqual(size);
        size = made!.length;
        if (name === DAMAGED) continue;
        expect(complaints === "" ? qpdfComplaints(made!) : "").toBe("");
        expect(characters(made!)).toBe(text);
        await withFile(made!, "a.pdf", async (file) => execFileSync("mutool", ["info", file], { stdio: "ignore" }));
        expect(perceptualDistance(before, await popplerPage(made!, 1, 72))).toBeLessThanOrEqual(FARTHEST[level]);
      }
    },
    MAX_TIME_MS,
  );
});
