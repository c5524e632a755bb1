// Compares extracted images with those of pdfimages, pixel by pixel, and with the samples that a document was made of.
// Contract: docs/api.md#extracted-images
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { extractImages } from "../../../src/operations/extract-images.ts";
import { corpusDir } from "../../support/corpus.ts";
import { HOSTILE_PDFS, onePage, pdfOf, stream } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, reasonOf } from "../../support/operations.ts";
import { type Picture, parsePnm, withFile } from "../../support/pictures.ts";

const run = promisify(execFile);
/** Numbers that look random, and are the same in each run. */
const noise = (size: number) => Uint8Array.from({ length: size }, (_, at) => (at * at * 31 + at * 7) >> 3);

interface Extracted {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly notices: readonly string[];
}

async function extracted(pdf: Uint8Array, pages = "1-last"): Promise<Extracted[]> {
  const files: Extracted[] = [];
  for await (const output of extractImages.run([inputOf(pdf)], { pages: parsePages(pages)! }, CONTEXT)) {
    const bytes = await bytesOf(output);
    if (output.headerPatch) bytes.set(output.headerPatch());
    const notices = (output.notices?.() ?? []).map(({ code, count }) => `${count} ${code}`);
    files.push({ name: `${output.suffix}.${output.extension}`, bytes, notices });
  }
  return files;
}

/** Returns samples of 8 bits, with opacity if there is any. */
async function decoded(bytes: Uint8Array, format: string): Promise<Picture> {
  return withFile(bytes, `image.${format}`, async (file) => {
    const hasOpacity = [4, 6].includes(bytes[25]!) || Buffer.from(bytes).includes("tRNS");
    const reader = format === "tif" ? "tifftopnm -byrow" : hasOpacity ? "pngtopam -alphapam" : "pngtopam";
    const command = `${reader} ${file} 2>/dev/null | pamdepth 255`;
    const { stdout } = await run("sh", ["-c", command], { encoding: "buffer", maxBuffer: 2 ** 30 });
    return parsePnm(stdout);
  });
}

/** Returns the bytes of the files that pdfimages makes, without masks, in the order of the pages. */
async function byPdfimages(pdf: Uint8Array, option: string): Promise<{ name: string; bytes: Uint8Array }[]> {
  const folder = mkdtempSync(join(tmpdir(), "images-"));
  try {
    writeFileSync(join(folder, "a.pdf"), pdf);
    const { stdout } = await run("pdfimages", ["-list", join(folder, "a.pdf")]);
    const masks = new Set([...stdout.matchAll(/^ *\d+ +(\d+) +(?:smask|mask) /gm)].map(([, number]) => Number(number)));
    await run("pdfimages", [option, join(folder, "a.pdf"), join(folder, "i")]);
    const names = readdirSync(folder).filter(
      (name) => name.startsWith("i-") && !masks.has(Number.parseInt(name.slice(2), 10)),
    );
    return names.toSorted().map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(folder, name))) }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const image = (data: Uint8Array, entries: string) => stream(data, `/Type/XObject/Subtype/Image${entries}`);
const drawn = (data: Uint8Array, entries: string, more: readonly Uint8Array[] = []) =>
  onePage("100 0 0 100 0 0 cm /I Do", "/XObject<</I 5 0 R>>", [image(data, entries), ...more]);
const deflated = (data: Uint8Array, entries: string) =>
  [new Uint8Array(deflateSync(data)), `/Filter/FlateDecode${entries}`] as const;
const sides = (width: number, height: number) => `/Width ${width}/Height ${height}`;

/** Filters rows like PNG does, with each of its filters. */
function filtered(rows: Uint8Array, rowBytes: number, pixelBytes: number): Uint8Array {
  const parts: number[] = [];
  for (let start = 0, row = 0; start < rows.length; start += rowBytes, row++) {
    const filter = row % 5;
    parts.push(filter);
    for (let at = 0; at < rowBytes; at++) {
      const left = at < pixelBytes ? 0 : rows[start + at - pixelBytes]!;
      const up = rows[start + at - rowBytes] ?? 0;
      const corner = at < pixelBytes ? 0 : (rows[start + at - rowBytes - pixelBytes] ?? 0);
      const by = [left, up, corner].map((one) => Math.abs(left + up - corner - one));
      const paeth = by[0]! <= by[1]! && by[0]! <= by[2]! ? left : by[1]! <= by[2]! ? up : corner;
      parts.push((rows[start + at]! - [0, left, up, (left + up) >> 1, paeth][filter]!) & 255);
    }
  }
  return Uint8Array.from(parts);
}

const PALETTE = `/ColorSpace[/Indexed/DeviceRGB 15<${Buffer.from(noise(48)).toString("hex")}>]`;
const predicted = "/DecodeParms<</Predictor 15/Colors 3/Columns 31>>";

describe("the pixels are those of pdfimages", () => {
  test.each([
    ["gray", ...deflated(noise(31 * 17), `${sides(31, 17)}/BitsPerComponent 8/ColorSpace/DeviceGray`)],
    ["inverted gray", noise(31 * 17), `${sides(31, 17)}/BitsPerComponent 8/ColorSpace/DeviceGray/Decode[1 0]`],
    ["1 bit", noise(4 * 17), `${sides(31, 17)}/BitsPerComponent 1/ColorSpace/DeviceGray`],
    ["2 bits", noise(8 * 17), `${sides(31, 17)}/BitsPerComponent 2/ColorSpace/DeviceGray`],
    ["4 bits", noise(16 * 17), `${sides(31, 17)}/BitsPerComponent 4/ColorSpace/DeviceGray`],
    ["RGB", ...deflated(noise(93 * 17), `${sides(31, 17)}/BitsPerComponent 8/ColorSpace/DeviceRGB`)],
    ["RGB of 4 bits", noise(47 * 17), `${sides(31, 17)}/BitsPerComponent 4/ColorSpace/DeviceRGB`],
    [
      "predicted RGB",
      ...deflated(
        filtered(noise(93 * 17), 93, 3),
        `${sides(31, 17)}/BitsPerComponent 8/ColorSpace/DeviceRGB${predicted}`,
      ),
    ],
    ["a palette", ...deflated(noise(16 * 17), `${sides(31, 17)}/BitsPerComponent 4${PALETTE}`)],
    ["an inverted palette", noise(16 * 17), `${sides(31, 17)}/BitsPerComponent 4/Decode[15 0]${PALETTE}`],
    ["CMYK", ...deflated(noise(124 * 17), `${sides(31, 17)}/BitsPerComponent 8/ColorSpace/DeviceCMYK`)],
    [
      "hexadecimal digits",
      Buffer.from(Buffer.from(noise(31 * 17)).toString("hex")),
      `${sides(31, 17)}/Filter/ASCIIHexDecode/BitsPerComponent 8/ColorSpace/DeviceGray`,
    ],
  ])("of %s", async (_, data, entries) => {
    const pdf = drawn(data, entries);
    const [[ours], [theirs]] = await Promise.all([extracted(pdf), byPdfimages(pdf, "-all")]);
    const format = theirs!.name.slice(-3);
    expect(ours!.name).toBe(`-img1-page1.${format}`);
    expect(await decoded(ours!.bytes, format)).toEqual(await decoded(theirs!.bytes, format));
  });
});

test("painted pixels of a stencil are black", async () => {
  const [file] = await extracted(drawn(Uint8Array.of(0x0f), `${sides(8, 1)}/BitsPerComponent 1/ImageMask true`));
  expect([...(await decoded(file!.bytes, "png")).samples]).toEqual([0, 0, 0, 0, 255, 255, 255, 255]);
});

test("samples of 16 bits stay", async () => {
  const data = noise(62 * 17);
  const [file] = await extracted(drawn(data, `${sides(31, 17)}/BitsPerComponent 16/ColorSpace/DeviceGray`));
  const { stdout } = await withFile(file!.bytes, "a.png", (path) =>
    run("pngtopam", [path], { encoding: "buffer" as const }),
  );
  expect(Buffer.compare(stdout.subarray(-data.length), Buffer.from(data))).toBe(0);
});

describe("opacity", () => {
  const gray = (size: number, value: number) => new Uint8Array(size).fill(value);
  const pixelsOf = async (pdf: Uint8Array) => {
    const [file] = await extracted(pdf);
    const { width, height, channels, samples } = await decoded(file!.bytes, file!.name.slice(-3));
    return { size: [width, height, channels], samples: [...samples] };
  };

  test("a soft mask", async () => {
    const mask = image(Uint8Array.of(0, 64, 128, 255), `${sides(2, 2)}/BitsPerComponent 8/ColorSpace/DeviceGray`);
    const pdf = drawn(
      Uint8Array.of(10, 20, 30, 40),
      `${sides(2, 2)}/BitsPerComponent 8/ColorSpace/DeviceGray/SMask 6 0 R`,
      [mask],
    );
    expect(await pixelsOf(pdf)).toEqual({ size: [2, 2, 2], samples: [10, 0, 20, 64, 30, 128, 40, 255] });
  });

  test("a mask with more pixels than the image", async () => {
    const mask = image(Uint8Array.of(0x50, 0xa0), `${sides(4, 2)}/ImageMask true/BitsPerComponent 1`);
    const pdf = drawn(
      Uint8Array.of(1, 2, 3, 7, 8, 9),
      `${sides(2, 1)}/BitsPerComponent 8/ColorSpace/DeviceRGB/Mask 6 0 R`,
      [mask],
    );
    const rows = [
      [1, 2, 3, 255, 1, 2, 3, 0, 7, 8, 9, 255, 7, 8, 9, 0],
      [1, 2, 3, 0, 1, 2, 3, 255, 7, 8, 9, 0, 7, 8, 9, 255],
    ];
    expect(await pixelsOf(pdf)).toEqual({ size: [4, 2, 4], samples: rows.flat() });
  });

  test("a matte is removed", async () => {
    const mask = image(gray(1, 128), `${sides(1, 1)}/BitsPerComponent 8/ColorSpace/DeviceGray/Matte[0 0 0]`);
    const pdf = drawn(Uint8Array.of(100, 50, 0), `${sides(1, 1)}/BitsPerComponent 8/ColorSpace/DeviceRGB/SMask 6 0 R`, [
      mask,
    ]);
    expect((await pixelsOf(pdf)).samples).toEqual([199, 100, 0, 128]);
  });

  test("a color key", async () => {
    const pdf = drawn(
      Uint8Array.of(1, 2, 3, 4, 5, 6),
      `${sides(2, 1)}/BitsPerComponent 8/ColorSpace/DeviceRGB/Mask[4 4 5 9 0 6]`,
    );
    expect((await pixelsOf(pdf)).samples).toEqual([1, 2, 3, 255, 4, 5, 6, 0]);
  });

  test("a color key of a palette", async () => {
    const space = "/ColorSpace[/Indexed/DeviceRGB 1<010203040506>]";
    const pdf = drawn(Uint8Array.of(0x40), `${sides(2, 1)}/BitsPerComponent 1${space}/Mask[1 1]`);
    expect((await pixelsOf(pdf)).samples).toEqual([1, 2, 3, 255, 4, 5, 6, 0]);
  });

  test("the mask of a JPEG is left out, which is reported", async () => {
    const jpeg = Buffer.from("/9j/4AAQ", "base64");
    const mask = image(gray(1, 128), `${sides(1, 1)}/BitsPerComponent 8/ColorSpace/DeviceGray`);
    const pdf = drawn(jpeg, `${sides(1, 1)}/Filter/DCTDecode/BitsPerComponent 8/ColorSpace/DeviceRGB/SMask 6 0 R`, [
      mask,
    ]);
    const [file] = await extracted(pdf);
    expect(file).toMatchObject({ name: "-img1-page1.jpg", notices: ["1 opacity-left-out"] });
    expect(Buffer.compare(file!.bytes, jpeg)).toBe(0);
  });
});

test("other color spaces become the RGB that pages show", async () => {
  const tint = stream("{pop dup 0 exch}", "/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]");
  const two = "/ColorSpace[/DeviceN[/A/B]/DeviceRGB 6 0 R]";
  const pdf = drawn(Uint8Array.of(255, 9, 0, 9), `${sides(2, 1)}/BitsPerComponent 8${two}`, [tint]);
  const [file] = await extracted(pdf);
  expect([...(await decoded(file!.bytes, "png")).samples]).toEqual([255, 0, 255, 0, 0, 0]);
});

test("images are found in forms, patterns, annotations and content, each once", async () => {
  const one = (value: number) => image(Uint8Array.of(value), `${sides(1, 1)}/BitsPerComponent 8/ColorSpace/DeviceGray`);
  const inline = (value: string) => `q 9 0 0 9 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID ${value}\nEI Q `;
  const form = (entries: string, content: string) => stream(content, entries);
  const content = (text: string) => stream(text);
  const resources = "/Resources<</XObject<</I 7 0 R/F 8 0 R>>/Pattern<</P 9 0 R>>>>";
  const page = (contents: number, more = "") =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents ${contents} 0 R${resources}${more}>>`;
  const pdf = pdfOf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>",
    page(5),
    page(6, "/Annots[<</Type/Annot/Subtype/Stamp/Rect[0 0 9 9]/AP<</N 13 0 R>>>>]"),
    content(`9 0 0 9 0 0 cm /I Do ${inline("A")}`),
    content(`9 0 0 9 0 0 cm /I Do ${inline("A")}${inline("B")} /F Do /Pattern cs /P scn 0 0 9 9 re f`),
    one(1),
    form("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</I 10 0 R>>>>", "/I Do"),
    form(
      "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<</XObject<</I 11 0 R>>>>",
      "/I Do",
    ),
    one(2),
    one(3),
    one(4),
    form("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</I 12 0 R>>>>", "/I Do"),
  ]);
  const files = await extracted(pdf);
  const values = await Promise.all(files.map(async ({ bytes }) => (await decoded(bytes, "png")).samples[0]));
  expect(files.map(({ name }, at) => [name, values[at]])).toEqual([
    ["-img1-page1.png", 1],
    ["-img2-page1.png", 65],
    ["-img3-page2.png", 66],
    ["-img4-page2.png", 2],
    ["-img5-page2.png", 3],
    ["-img6-page2.png", 4],
  ]);
  expect((await extracted(pdf, "2")).map(({ name }) => name)).toContain("-img1-page2.png");
});

describe("damaged and hostile images", () => {
  test("rows that are missing are zero", async () => {
    const [file] = await extracted(
      drawn(Uint8Array.of(7, 7), `${sides(1, 4)}/BitsPerComponent 8/ColorSpace/DeviceGray`),
    );
    expect([...(await decoded(file!.bytes, "png")).samples]).toEqual([7, 7, 0, 0]);
  });

  test("an image without data is left out, which is reported", async () => {
    const good = image(Uint8Array.of(9), `${sides(1, 1)}/BitsPerComponent 8/ColorSpace/DeviceGray`);
    const pdf = onePage("9 0 0 9 0 0 cm /A Do /B Do", "/XObject<</A 5 0 R/B 6 0 R>>", [
      good,
      image(Buffer.from("junk"), `${sides(9, 9)}/Filter/FlateDecode/BitsPerComponent 8/ColorSpace/DeviceGray`),
    ]);
    expect((await extracted(pdf)).map(({ name, notices }) => [name, notices])).toEqual([
      ["-img1-page1.png", ["1 images-unreadable"]],
    ]);
  });

  test("an image that would be too large fails before the first output", async () => {
    const pdf = drawn(...deflated(noise(9), `${sides(1 << 20, 1 << 19)}/BitsPerComponent 8/ColorSpace/DeviceGray`));
    expect(await reasonOf(() => extracted(pdf))).toBe("too-large");
  });

  test.each(HOSTILE_PDFS)("$name", async ({ bytes }) => {
    const reason = await reasonOf(() => extracted(bytes()));
    expect(["none", "damaged", "too-large", "too-complex", "not-a-pdf", "password-protected"]).toContain(reason);
  });
});

const corpus =
  corpusDir === undefined ? [] : readdirSync(join(corpusDir, "pdf")).filter((name) => name.endsWith(".pdf"));
test.each(corpus)("JPEG and JPEG 2000 data of %s stay as they are", async (name) => {
  const pdf = new Uint8Array(readFileSync(join(corpusDir!, "pdf", name)));
  if (pdf.length > 2 ** 22 || (await reasonOf(() => extracted(pdf))) !== "none") return;
  const same = (files: readonly { name: string; bytes: Uint8Array }[]) =>
    new Set(
      files.filter((file) => /\.jp[g2]$/.test(file.name)).map(({ bytes }) => Buffer.from(bytes).toString("base64")),
    );
  const ours = same(await extracted(pdf));
  for (const theirs of same(await byPdfimages(pdf, "-all"))) expect(ours.has(theirs)).toBe(true);
});
