// Flattens a slide deck with shadows, exported by LibreOffice: counts the images, and compares the file with
// Ghostscript's.
// Contract: docs/api.md#flattened-transparencies-pdf
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SOFFICE } from "../../container/engines/libreoffice/profile.ts";
import { corpusDir } from "../support/corpus.ts";
import { distances, flattened } from "../support/flattened.ts";
import { pageTexts } from "../support/pdf-readers.ts";
import { transparencyIn } from "../support/transparency-scan.ts";

const MAX_PART = 0.06;
const FARTHEST = 4;
const TIMES_SMALLER = 8;

describe.skipIf(!corpusDir)("a deck of slides with shadows", () => {
  let folder: string;
  let deck: Uint8Array;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "deck-"));
    const home = `-env:UserInstallation=file://${folder}/profile`;
    const source = join(corpusDir!, "office/O12Typical.pptx");
    execFileSync(SOFFICE, [home, "--headless", "--convert-to", "pdf", "--outdir", folder, source], {
      stdio: "ignore",
    });
    deck = new Uint8Array(readFileSync(join(folder, "O12Typical.pdf")));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("all its text, no more than 6 % of a page a picture, an eighth of Ghostscript's size", {
    timeout: 600_000,
  }, async () => {
    const { bytes, coverage } = await flattened(deck);
    expect(transparencyIn(deck).length).toBeGreaterThan(0);
    expect(transparencyIn(bytes)).toEqual([]);
    expect(pageTexts(bytes)).toEqual(pageTexts(deck));
    expect(Math.max(...coverage)).toBeGreaterThan(0);
    expect(Math.max(...coverage)).toBeLessThanOrEqual(MAX_PART);
    for (const page of [4, 11, 13]) {
      const { poppler, mutool } = await distances(deck, bytes, page, 72);
      expect(Math.max(poppler, mutool)).toBeLessThan(FARTHEST);
    }
    const peer = join(folder, "peer.pdf");
    const options = ["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite", "-dCompatibilityLevel=1.3"];
    execFileSync("gs", [...options, `-sOutputFile=${peer}`, join(folder, "O12Typical.pdf")], { stdio: "ignore" });
    expect(bytes.length * TIMES_SMALLER).toBeLessThan(statSync(peer).size);
  });
});
