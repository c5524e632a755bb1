// Tests bilevel images as JBIG2 in a PDF: three readers must return every bit.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { ImageKernel } from "../../../../../src/document/formats/image-kernel.ts";
import { encodeJbig2 } from "../../../../../src/document/formats/jbig2/write.ts";
import { withFile } from "../../../../support/pictures.ts";
import { randomOf } from "../../../../support/random.ts";

const run = promisify(execFile);

/** Returns rows of bits; 1 is black. */
function bits(width: number, height: number, isBlack: (x: number, y: number) => boolean): Uint8Array {
  const stride = Math.ceil(width / 8);
  const rows = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) if (isBlack(x, y)) rows[y * stride + (x >> 3)]! |= 0x80 >> (x & 7);
  }
  return rows;
}

function coded(rows: Uint8Array, width: number, height: number): Uint8Array {
  using kernel = new ImageKernel();
  return encodeJbig2(kernel, kernel.put(rows), width, height);
}

/** Returns a page with the image, one point per pixel. */
function pdf(picture: Uint8Array, width: number, height: number): Uint8Array {
  const content = `q ${width} 0 0 ${height} 0 0 cm /I Do Q`;
  const image = `/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/JBIG2Decode`;
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>`,
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    `<<${image}/Length ${picture.length}>>stream\n${Buffer.from(picture).toString("latin1")}\nendstream`,
  ];
  let file = "%PDF-1.5\n";
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const start = file.length;
  file += `xref\n0 6\n0000000000 65535 f \n${offsets.join("")}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${start}\n%%EOF`;
  return new Uint8Array(Buffer.from(file, "latin1"));
}

/** Returns the rows of a PBM file. */
function rowsOf(pbm: Buffer): Buffer {
  const header = /^P4\s(?:#[^\n]*\n)*(\d+)\s+(\d+)\s/.exec(pbm.toString("latin1", 0, 200))!;
  return pbm.subarray(header[0].length);
}

const READERS: Readonly<Record<string, (file: string, out: string) => [string, string[]]>> = {
  poppler: (file, out) => ["pdfimages", [file, out]],
  mupdf: (file, out) => ["mutool", ["draw", "-q", "-r", "72", "-c", "mono", "-o", `${out}-000.pbm`, file]],
  ghostscript: (file, out) => [
    "gs",
    ["-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=pbmraw", "-r72", `-sOutputFile=${out}-000.pbm`, file],
  ],
};

const noise = randomOf(3);
const grain = randomOf(4);
const PICTURES: Readonly<Record<string, readonly [number, number, (x: number, y: number) => boolean]>> = {
  white: [64, 40, () => false],
  black: [61, 40, () => true],
  noise: [203, 77, () => noise() < 0.5],
  "sparse noise": [203, 77, () => grain() < 0.02],
  lines: [130, 90, (_, y) => y % 7 < 3],
  bars: [131, 90, (x) => x % 9 < 4],
  "a checkerboard": [33, 33, (x, y) => (x + y) % 2 === 0],
  rings: [400, 300, (x, y) => Math.hypot(x - 200, y - 150) % 14 < 5],
  "one pixel": [1, 1, () => true],
  "one column": [1, 50, (_, y) => y % 3 === 0],
  "one row": [333, 1, (x) => x % 5 === 0],
};

describe.each(Object.keys(READERS))("read by %s", (reader) => {
  test.each(Object.keys(PICTURES))("%s", async (name) => {
    const [width, height, isBlack] = PICTURES[name]!;
    const rows = bits(width, height, isBlack);
    const file = pdf(coded(rows, width, height), width, height);
    const read = await withFile(file, "picture.pdf", async (path) => {
      const [program, args] = READERS[reader]!(path, `${path}-out`);
      await run(program, args);
      return readFile(`${path}-out-000.pbm`);
    });
    expect(Buffer.compare(rowsOf(read), rows)).toBe(0);
  });
});

test("rows that repeat cost next to nothing", () => {
  const rows = bits(2480, 3508, (x, y) => (y >> 6) % 2 === 0 && x % 100 < (y >> 7) % 50);
  expect(coded(rows, 2480, 3508).length).toBeLessThan(rows.length / 200);
});
