// Tests scans of print at level high: the result is small and sharp, and other parts of the page do not change.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Level } from "../../../../src/document/compression/settings.ts";
import { compressPdf } from "../../../../src/operations/compress-pdf.ts";
import { imageObject, rawPdf } from "../../../fixtures/image-pdfs.ts";
import { type Scanner, scanOf } from "../../../fixtures/scans.ts";
import { corpusDir, corpusFile } from "../../../support/corpus.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";
import { qpdfComplaints, uncompressed, withFile } from "../../../support/pdf-readers.ts";
import { type Picture, perceptualDistance, pixel, popplerPage } from "../../../support/pictures.ts";

const CONTAINER = { ...CONTEXT, heapLimitBytes: 1024 * 2 ** 20 };
const compressed = async (pdf: Uint8Array, level: Level = "high", context = CONTAINER) =>
  (await outputsOf(compressPdf, [pdf], { level }, context))[0]!;
const isLayered = (pdf: Uint8Array) => uncompressed(pdf).includes("/ImageMask true");

const FONTS =
  "/Font<</F <</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>/B " +
  "<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>>>";
const LINES = Array.from(
  { length: 34 },
  (_, line) => `(Line ${line} of a letter that somebody wrote, in print as small as this.) Tj T*`,
);
const TEXT = `BT /F 11 Tf 13 TL 36 470 Td ${LINES.join(" ")} ET`;
const HEADLINE = "BT /B 26 Tf 0.75 0.1 0.15 rg 36 540 Td (A red headline) Tj ET 0 g";
const STAMP = `q 0.8 0.1 0.1 RG 0.8 0.1 0.1 rg 3 w 1 0.3 -0.3 1 250 60 cm 0 0 120 44 re S BT /B 22 Tf 18 14 Td (PAID) Tj ET Q`;
const CHART = [0.9, 0.3, 0.6, 0.5]
  .map((value, bar) => `${value} ${1 - value} ${bar / 4} rg ${60 + bar * 50} 60 40 ${120 * value + 20} re f`)
  .join(" ");
/** Positions of the parts of {@link page}, in points from the top left. */
const BOXES = { headline: [30, 30, 220, 40], chart: [55, 390, 210, 160], stamp: [230, 470, 150, 90] } as const;

/** A5. */
const page = (content: string, resources = "") =>
  rawPdf({}, [{ content, resources: `<<${FONTS}${resources}>>`, more: "/MediaBox[0 0 420 595]" }]);
const shortText = `BT /F 11 Tf 13 TL 36 470 Td ${LINES.slice(0, 16).join(" ")} ET`;
const MIXED = page(`${HEADLINE} ${shortText} ${CHART} ${STAMP}`);

function ghostscript(pdf: Uint8Array): Uint8Array {
  return withFile(pdf, (path, folder) => {
    const out = join(folder, "gs.pdf");
    const options = ["-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=pdfwrite", "-dPDFSETTINGS=/screen"];
    execFileSync("gs", [...options, `-o${out}`, path], { stdio: "ignore" });
    return new Uint8Array(readFileSync(out));
  });
}

function crop(
  { width, channels, samples }: Picture,
  box: readonly [number, number, number, number],
  dpi: number,
): Picture {
  const [left, top, across, down] = box.map((points) => Math.round((points * dpi) / 72)) as [
    number,
    number,
    number,
    number,
  ];
  const rows = Array.from({ length: down }, (_, row) => {
    const start = ((top + row) * width + left) * channels;
    return samples.subarray(start, start + across * channels);
  });
  return { width: across, height: down, channels, samples: new Uint8Array(Buffer.concat(rows)) };
}

describe("a scan of print", () => {
  test.each<[string, Partial<Scanner>]>([
    ["in color", {}],
    ["in gray", { gray: true }],
    ["on tinted paper", { paper: [236, 222, 190] }],
    ["with much grain", { grain: 9 }],
    ["at 200 dpi", { dpi: 200 }],
  ])("%s: smaller than /screen, and nearer at 150 dpi", async (_, scanner) => {
    const scan = scanOf(page(TEXT), "1", scanner);
    const made = await compressed(scan);
    expect(isLayered(made)).toBe(true);
    expect(qpdfComplaints(made)).toBe("");
    const other = ghostscript(scan);
    expect(made.length).toBeLessThan(other.length);
    expect(made.length).toBeLessThan(30_000);
    const before = await popplerPage(scan, 1, 150);
    const distance = perceptualDistance(before, await popplerPage(made, 1, 150), 1);
    expect(distance).toBeLessThan(0.85 * perceptualDistance(before, await popplerPage(other, 1, 150), 1));
  });

  test("a headline, a chart and a stamp keep their colors and their shape", async () => {
    const scan = scanOf(MIXED);
    const made = await compressed(scan);
    expect(isLayered(made)).toBe(true);
    expect(made.length).toBeLessThan(30_000);
    const [before, after, other] = await Promise.all(
      [scan, made, ghostscript(scan)].map((pdf) => popplerPage(pdf, 1, 150)),
    );
    for (const box of Object.values(BOXES)) {
      const [a, b, c] = [before!, after!, other!].map((picture) => crop(picture, box, 150));
      for (const cell of [2, 12]) {
        expect(perceptualDistance(a!, b!, cell)).toBeLessThan(perceptualDistance(a!, c!, cell));
      }
    }
    // In the middle of a bar of the chart, which must not be treated as print.
    const place = [Math.round((80 * 150) / 72), Math.round((500 * 150) / 72)] as const;
    const [was, is] = [pixel(before!, ...place), pixel(after!, ...place)];
    was.forEach((value, channel) => {
      expect(Math.abs(value - is[channel]!)).toBeLessThan(16);
    });
  });

  test("what is drawn half transparent stays one picture", async () => {
    const scan = scanOf(page(TEXT));
    const jpeg = withFile(scan, (path, folder) => {
      execFileSync("pdfimages", ["-j", path, join(folder, "i")]);
      return new Uint8Array(readFileSync(join(folder, "i-000.jpg")));
    });
    const entries = "/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode";
    const pdf = rawPdf({ image: imageObject(1750, 2480, entries, jpeg) }, [
      {
        content: "/G gs q 420 0 0 595 0 0 cm /I Do Q",
        resources: "<</XObject<</I {image}>>/ExtGState<</G<</ca 0.5>>>>>>",
        more: "/MediaBox[0 0 420 595]",
      },
    ]);
    expect(isLayered(await compressed(pdf))).toBe(false);
  });

  test("other levels leave it a picture", async () => {
    expect(isLayered(await compressed(scanOf(page(TEXT)), "medium"))).toBe(false);
  });

  test("where memory is short it is a picture too", async () => {
    const made = await compressed(scanOf(page(TEXT), "1", { dpi: 400 }), "high", {
      ...CONTEXT,
      heapLimitBytes: 40 * 2 ** 20,
    });
    expect(qpdfComplaints(made)).toBe("");
  });
});

describe.skipIf(!corpusDir)("scans of real documents", () => {
  test.each([
    ["pdf2image-memory-error-test-400p.pdf", "20", 30_000],
    ["validAvoir_FR_type380_BASICWL.pdf", "1", 30_000],
    ["amt_handbook_sample.pdf", "1", 70_000],
  ])("%s, page %s", async (name, number, bytes) => {
    const scan = scanOf(corpusFile(`pdf/${name}`)!, number);
    const made = await compressed(scan);
    expect(isLayered(made)).toBe(true);
    expect(made.length).toBeLessThan(bytes);
    const [before, after, other] = await Promise.all(
      [scan, made, ghostscript(scan)].map((pdf) => popplerPage(pdf, 1, 150)),
    );
    expect(perceptualDistance(before!, after!, 1)).toBeLessThan(perceptualDistance(before!, other!, 1));
    expect(perceptualDistance(before!, after!)).toBeLessThan(6);
  });
});
