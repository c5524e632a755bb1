// Tests fax encodings in TIFF: poppler and MuPDF must draw the same pixels. libtiff's tools make the files.
import { describe, expect, test } from "vitest";
import { plainTiff, type TestSamples, tagAt, tiff } from "../../../../fixtures/pictures.ts";
import { byTiffcp, expectPixels, imagesOf, pdfOf } from "../../../../support/picture-pdfs.ts";
import { popplerPage } from "../../../../support/pictures.ts";

/** Width of an image with runs of every length, like black text. */
const WIDE = 2700;
const bilevel: TestSamples = {
  width: WIDE,
  height: 60,
  channels: 1,
  values: Array.from({ length: WIDE * 60 }, (_, at) => {
    const [x, y] = [at % WIDE, Math.floor(at / WIDE)];
    if (y % 20 === 0) return 0;
    if (y % 20 === 1) return 1;
    return (x * (1 + (y % 7)) + y * 13) % (61 + y * 3) < 7 + (y % 11) || (x > 100 && x < 100 + y * 40 && y % 3 === 0)
      ? 1
      : 0;
  }),
};
const inInk = { ...bilevel, values: bilevel.values.map((value) => (value ? 0 : 255)) };
const inLight = { ...bilevel, values: bilevel.values.map((value) => value * 255) };

describe("fax", () => {
  const file = tiff([plainTiff(bilevel, 0, 1)]);

  test.each(["g3", "g3:2d", "g3:fill", "g3:2d:fill", "g4"])(
    "%s: one strip passes bit by bit, several become one image",
    async (compression) => {
      for (const options of [[], ["-f", "lsb2msb"], ["-B", "-8"]]) {
        const one = await byTiffcp(file, "-c", compression, "-r", "1000", ...options);
        const pdf = await pdfOf(one);
        await expectPixels(pdf, inInk);
        const [image] = imagesOf(pdf);
        const data = options.includes("lsb2msb") ? reversed(image!.data) : image!.data;
        expect(one.includes(data)).toBe(true);
        const strips = await pdfOf(await byTiffcp(file, "-c", compression, "-r", "8", ...options));
        await expectPixels(strips, inInk);
        expect(imagesOf(strips)).toHaveLength(1);
        expect(imagesOf(strips)[0]!.dictionary).toContain("/K -1");
      }
    },
  );

  test("tiles; black that is one; no photometric interpretation", async () => {
    await expectPixels(await pdfOf(await byTiffcp(file, "-c", "g4", "-t", "-w", "64", "-l", "32")), inInk);
    const light = tiff([plainTiff(bilevel, 1, 1)]);
    for (const rows of ["1000", "16"])
      await expectPixels(await pdfOf(await byTiffcp(light, "-c", "g4", "-r", rows)), inLight);
    const g4 = await byTiffcp(file, "-c", "g4", "-r", "1000");
    const unsaid = Buffer.from(g4);
    unsaid.writeUInt16LE(65_000, tagAt(unsaid, 262));
    await expectPixels(await pdfOf(unsaid), inInk);
  });

  test("rows at whole bytes (compression 2), and at whole words (32771)", async () => {
    for (const [compression, bytes] of [
      [2, 1],
      [32_771, 2],
    ] as const) {
      const strips = [0, 30].map((first) => faxRows(bilevel, first, 30, bytes));
      const picture = plainTiff(bilevel, 0, 1, { 259: [compression], 278: [30] });
      await expectPixels(await pdfOf(tiff([{ ...picture, segments: strips }])), inInk);
      const one = { ...picture, tags: { ...picture.tags, 278: [60] }, segments: [faxRows(bilevel, 0, 60, bytes)] };
      const pdf = await pdfOf(tiff([one]));
      await expectPixels(pdf, inInk);
      expect(imagesOf(pdf)[0]!.data.equals(one.segments[0]!)).toBe(compression === 2);
    }
  });

  test("runs of nothing count as changes for the row below, as libtiff has it, and are not passed on", async () => {
    const [pass, horizontal, same, end] = ["0001", "001", "1", "000000000001"];
    const [white0, black0, white2, black3, white4] = ["00110101", "0000110111", "0111", "10", "1011"];
    const above = [horizontal, white0, black0, horizontal, white4, black3, same];
    const below = [pass, horizontal, white2, black3, same];
    const bits = [...above, ...below, pass, same, end, end].join("");
    const codes = Buffer.from(bits.match(/.{1,8}/g)!.map((byte) => Number.parseInt(byte.padEnd(8, "0"), 2)));
    const rows = ["....###.........", "..###...........", "................"].join("");
    const picture = { width: 16, height: 3, channels: 1, values: [...rows].map((dot) => (dot === "#" ? 0 : 255)) };
    const page = { ...plainTiff(picture, 0, 1, { 259: [4] }), segments: [codes] };
    await expectPixels(await pdfOf(tiff([page])), picture);
  });

  test("damaged codes: what came before", async () => {
    const g4 = await byTiffcp(file, "-c", "g4", "-r", "20");
    const cut = g4.subarray(0, 8 + Math.floor((tagAt(g4, 256) - 8) * 0.6));
    await expect(pdfOf(cut)).rejects.toMatchObject({ reason: "damaged" });
    const damaged = Buffer.from(g4);
    damaged.fill(0, 400, 420);
    const { samples } = await popplerPage(await pdfOf(damaged), 1, 72);
    expect(
      [...samples.subarray(WIDE * 3, WIDE * 6)].filter(
        (value, at) => value !== inInk.values[WIDE + Math.floor(at / 3)],
      ),
    ).toEqual([]);
  });
});

function reversed(bytes: Buffer): Buffer {
  return bytes.map((byte) =>
    Number.parseInt(byte.toString(2).padStart(8, "0").split("").reverse().join(""), 2),
  ) as Buffer;
}

/**
 * Encodes rows with T.4 codes for short runs only: longer runs are split into runs of at most 63, with empty runs of
 * the other color between them.
 */
function faxRows({ width, values }: TestSamples, first: number, count: number, alignment: number): Buffer {
  const rows = Array.from({ length: count }, (_, index) => {
    const row = values.slice((first + index) * width, (first + index + 1) * width);
    let bits = "";
    let color = 0;
    for (let at = 0; at < width; ) {
      let run = 0;
      while (at + run < width && row[at + run] === color && run < 63) run++;
      bits += TERMINATING_CODES[color]![run]!;
      at += run;
      color ^= 1;
    }
    const bytes = Math.ceil(bits.length / 8 / alignment) * alignment;
    return Buffer.from(
      Array.from({ length: bytes }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8).padEnd(8, "0"), 2)),
    );
  });
  return Buffer.concat(rows);
}

/** The codes of T.4, table 2, written independently of the reader. */
const TERMINATING_CODES = [
  "00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 " +
    "101011 0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 " +
    "00000011 00011010 00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 " +
    "00101010 00101011 00101100 00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 " +
    "01010101 00100100 00100101 01011000 01011001 01011010 01011011 01001010 01001011 00110010 00110011 " +
    "00110100",
  "0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 " +
    "000011000 0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 " +
    "00000010111 00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 " +
    "000001101010 000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 " +
    "000001101100 000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111 " +
    "000001100100 000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111 " +
    "000000101000 000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111",
].map((codes) => codes.split(" "));
