// Tests POST /pdf for images (spec, "POST /pdf"), over HTTP: in the Worker, and in the container if an image does not
// fit in an isolate.
// Contract: docs/api.md#pdf
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textPdf } from "../fixtures/pdfs.ts";
import { bmp, bmpRows, jpeg, pack, pattern, plainTiff, png, pngChunk, tiff } from "../fixtures/pictures.ts";
import { beginning } from "../support/beginning.ts";
import { type Client, createClient, type FormFields, keyedClient, privateClient, upload } from "../support/client.ts";
import { corpusDir } from "../support/corpus.ts";
import { byTiffcp, expectPixels, expectSound, imagesOf, pageSizes } from "../support/picture-pdfs.ts";
import { decode, type Picture, parsePnm, perceptualDistance, popplerPage, withFile } from "../support/pictures.ts";
import { growthDuring } from "../support/resident-memory.ts";
import { type Service, startService } from "../support/service.ts";

const NOT_VALID = beginning("Uploaded file is not valid input for this route.");
const MiB = 2 ** 20;
const rgb = pattern(3);

async function converted(fields: FormFields, client: Client = privateClient()): Promise<Buffer> {
  const [made, ...more] = await client.make("/pdf", { output: "made", ...fields });
  expect(more).toEqual([]);
  expect([made!.name, made!.type]).toEqual(["made.pdf", "application/pdf"]);
  return Buffer.from(made!.bytes);
}

async function error(file: File, client: Client = privateClient()): Promise<[number, string | undefined]> {
  const { status, body } = await client.post("/pdf", { output: "made", file });
  return [status, body.error];
}

describe("spec: /pdf takes JPEG, TIFF, BMP and PNG", () => {
  const files: Readonly<Record<string, Buffer>> = {
    jpg: jpeg(rgb, "rgb"),
    tif: tiff([plainTiff(rgb, 2), plainTiff(pattern(1), 1)]),
    bmp: bmp(rgb.width, rgb.height, { bits: 24, data: bmpRows(pack(rgb, 8)) }),
    png: png(rgb, { colorType: 2, bits: 8 }),
  };

  test.each(Object.keys(files))("%s, whatever its name and its claimed type", async (kind) => {
    const pdf = await converted({ file: upload(files[kind]!, `picture.${kind}`) });
    await expectSound(pdf);
    expect(pageSizes(pdf)).toHaveLength(kind === "tif" ? 2 : 1);
    for (const name of ["picture", "letter.docx", "picture.gif"]) {
      expect(
        (await converted({ file: new File([Buffer.from(files[kind]!)], name, { type: "text/html" }) })).equals(pdf),
      ).toBe(true);
    }
  });

  test("in the keyed variant, and by the id of an earlier call", async () => {
    const { body } = await keyedClient().post("/pdf", { file: upload(files.png!, "a.png"), output: "a" });
    await expectPixels(await converted({ id: body.inputId! }, keyedClient()), rgb);
  });

  test("compression and downsample do not touch it: nothing is lost", async () => {
    const file = upload(files.png!, "a.png");
    const pdf = await converted({ file, compression: "lossy", downsample: "75" });
    expect(pdf.equals(await converted({ file, compression: "lossless", downsample: "off" }))).toBe(true);
    await expectPixels(pdf, rgb);
  });

  test("what /png makes of a page becomes the page again", async () => {
    const [page] = await privateClient().make("/png", {
      file: upload(await textPdf(1)),
      output: "page",
      resolution: "150",
    });
    const pdf = await converted({ id: page!.id });
    expect(pageSizes(pdf)[0]!.map(Math.round)).toEqual([612, 792]);
    expect(perceptualDistance(await popplerPage(pdf, 1, 150), await decode(page!.bytes, "opaquePng"))).toBe(0);
  });
});

describe("400", () => {
  const image = (width: number, height: number) => {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width);
    header.writeUInt32BE(height, 4);
    header.set([1, 0, 0, 0, 0], 8);
    return Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
      pngChunk("IHDR", header),
      pngChunk("IDAT", deflateSync(new Uint8Array(64 * MiB))),
      pngChunk("IEND", Buffer.alloc(0)),
    ]);
  };

  test.each([
    ["a GIF without an image", Buffer.from("GIF89a\x01\0\x01\0\0\0\0;", "latin1")],
    ["a WebP without pixels", Buffer.from("RIFF\x24\0\0\0WEBPVP8 ", "latin1")],
    ["a HEIC without a picture", Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1")],
    ["a JPEG 2000", Buffer.from("\0\0\0\x0cjP  \r\n\x87\n", "latin1")],
    ["half a JPEG's head", jpeg(rgb, "rgb").subarray(0, 60)],
    ["a PNG without data", png(rgb, { colorType: 2, bits: 8 }).subarray(0, 40)],
    ["a TIFF without a directory", Buffer.from("II*\0\x08\0\0\0", "latin1")],
    ["a BMP without pixels", bmp(9, 9, { bits: 24, data: Buffer.alloc(0) })],
  ])("%s", async (_, content) => {
    expect(await error(upload(content, "picture.png"))).toEqual([400, NOT_VALID]);
  });

  test("a JPEG with arithmetic codes, and a TIFF of JPEG with opacity, are converted", async () => {
    const arithmetic = execFileSync("jpegtran", ["-arithmetic"], { input: jpeg(rgb, "rgb") });
    const seen = await decode(arithmetic, "jpg");
    const drawn = await popplerPage(await converted({ file: upload(arithmetic, "picture.jpg") }), 1, 72);
    expect(perceptualDistance(drawn, seen)).toBeLessThan(1.5);
    const strips = await byTiffcp(tiff([plainTiff(pattern(4), 2, 8, { 338: [2] })]), "-r", "8");
    const pdf = await converted({ file: upload(await byTiffcp(strips, "-c", "jpeg:r:95"), "picture.tif") });
    await expectSound(pdf);
    expect(imagesOf(pdf).some(({ dictionary }) => dictionary.includes("/SMask"))).toBe(true);
  });

  test.each([
    ["12 bits", 0xc1, 12, "JPEG with 12 bits per sample"],
    ["lossless coding", 0xc3, 8, "lossless JPEG"],
  ])("a JPEG with %s is told what is not supported about it", async (_, marker, bits, feature) => {
    const file = Buffer.from(jpeg(rgb, "rgb"));
    const frame = file.subarray(file.indexOf(Buffer.from([0xff, 0xc0])));
    frame.writeUInt8(marker, 1);
    frame.writeUInt8(bits, 4);
    const sentence = `The input file uses a feature that is not supported: ${feature}.`;
    expect(await error(upload(file, "picture.jpg"))).toEqual([422, sentence]);
    const page = plainTiff(rgb, 6, 8, { 259: [7] });
    expect(await error(upload(tiff([{ ...page, segments: [file] }]), "picture.tif"))).toEqual([422, sentence]);
  });

  test("a TIFF compressed by libtiff with LZMA is told so", async () => {
    const file = await byTiffcp(tiff([plainTiff(rgb, 2)]), "-c", "lzma");
    const sentence = "The input file uses a feature that is not supported: TIFF compressed with LZMA.";
    expect(await error(upload(file, "picture.tif"))).toEqual([422, sentence]);
  });

  test("a page that PDF does not have", async () => {
    const sentence = "A page of 100000 x 100000 points is not within the acceptable range for file.";
    expect(await error(upload(image(100_000, 100_000), "bomb.png"))).toEqual([400, sentence]);
  });
});

describe("what an isolate holds", () => {
  let service: Service;
  let alone: Service;
  beforeAll(async () => {
    [service, alone] = await Promise.all([
      startService({ variant: "private", container: ["threads"] }),
      startService({ variant: "private" }),
    ]);
    const warm = upload(png(rgb, { colorType: 2, bits: 8 }));
    for (const { url } of [service, alone]) await createClient(url).make("/pdf", { file: warm, output: "warm" });
  });
  afterAll(() => Promise.all([service?.stop(), alone?.stop()]));

  /** Returns a PNG of 33 megapixels, or 11 if interlaced, whose data do not compress to almost nothing. */
  function large(channels: 3 | 4, isInterlaced = false): Buffer {
    const [width, height] = isInterlaced ? [4000, 3000] : [7680, 4320];
    const row = Buffer.alloc(width * channels + 1);
    const rows = Buffer.alloc(row.length * height);
    for (let y = 0; y < height; y++) {
      for (let at = 1; at < row.length; at++) row[at] = (at >> 4) * (1 + (y >> 5)) + (at & 3);
      row.copy(rows, y * row.length);
    }
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width);
    header.writeUInt32BE(height, 4);
    header.set([8, channels === 3 ? 2 : 6, 0, 0, isInterlaced ? 1 : 0], 8);
    // Except for the filter bytes, the data of all passes have the same length; their content does not matter.
    const data = deflateSync(isInterlaced ? Buffer.alloc(rows.length + 2 * height) : rows, { level: 1 });
    return Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
      pngChunk("IHDR", header),
      pngChunk("IDAT", data),
      pngChunk("IEND", Buffer.alloc(0)),
    ]);
  }

  test.each([3, 4] as const)("a PNG of 33 megapixels with %i channels streams through", async (channels) => {
    const file = upload(large(channels), "large.png");
    const growth = await growthDuring(alone.appPid(), async () => {
      const pdf = await converted({ file }, createClient(alone.url));
      expect(imagesOf(pdf)).toHaveLength(channels - 2);
      expect(pageSizes(pdf)).toEqual([[7680, 4320]]);
    });
    expect(growth / MiB).toBeLessThan(96);
  });

  test("an upload of 60 MB takes no more than one that is only stored", async () => {
    const file = Buffer.concat([jpeg(rgb, "rgb"), Buffer.alloc(60 * MiB, "x")]);
    const post = async (path: string, fields: FormFields) => {
      const { status, body } = await createClient(alone.url).post(path, { output: "large", ...fields });
      expect([status, body.error]).toEqual([200, undefined]);
    };
    // The memory of the local R2 grows with the stored files, and does not shrink. So store a file of the same size
    // first.
    await post("/html", { content: upload(file) });
    expect((await growthDuring(alone.appPid(), () => post("/pdf", { file: upload(file) }))) / MiB).toBeLessThan(96);
  });

  test("what has to be held and is too large goes to the container; without one: 413", async () => {
    const interlaced = upload(large(3, true), "large.png");
    expect(pageSizes(await converted({ file: interlaced }, createClient(service.url)))).toEqual([[4000, 3000]]);
    // The host always runs it in the container.
    if (service.target === "wrangler") {
      expect(readFileSync(service.logFile, "utf8")).toContain("job moved to container");
    }
    expect((await error(interlaced, createClient(alone.url)))[0]).toBe(413);
    const scan = tiff([plainTiff(rgb, 2)]);
    const behind = upload(Buffer.concat([scan, Buffer.alloc(50 * MiB)]), "large.tif");
    expect(
      (await converted({ file: behind }, createClient(service.url))).equals(await converted({ file: upload(scan) })),
    ).toBe(true);
    expect((await error(behind, createClient(alone.url)))[0]).toBe(413);
  });

  test("bombs are refused, and others are served meanwhile", async () => {
    const client = createClient(service.url);
    const header = Buffer.alloc(13);
    header.writeUInt32BE(60_000);
    header.writeUInt32BE(60_000, 4);
    header.set([8, 6, 0, 0, 0], 8);
    const density = pngChunk("pHYs", Buffer.from([0, 0, 0x5c, 0x46, 0, 0, 0x5c, 0x46, 1]));
    const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
    const bomb = Buffer.concat([
      signature,
      pngChunk("IHDR", header),
      density,
      pngChunk("IDAT", deflateSync(new Uint8Array(MiB))),
    ]);
    const manyTiles = tiff([plainTiff(pattern(1), 1, 8, { 256: [2 ** 31], 257: [2 ** 31], 278: [1] })]);
    const rle = bmp(60_000, 60_000, { bits: 8, compression: 1, pixelsPerMeter: 100_000, data: Buffer.from([0, 1]) });
    const answers = await Promise.all([bomb, manyTiles, rle].map((file) => error(upload(file, "bomb"), client)));
    for (const answer of answers) expect(answer).toEqual([422, "The input file is too complex to be processed."]);
    await expectPixels(await converted({ file: upload(png(rgb, { colorType: 2, bits: 8 })) }, client), rgb);
  });
});

describe.skipIf(corpusDir === undefined)("real pictures", () => {
  const folder = join(corpusDir ?? "", "images");
  const real = (name: string) => readFileSync(join(folder, name));
  const names = corpusDir ? readdirSync(folder) : [];

  /**
   * For each image, its resolution and a program that decodes it. The result is compared with poppler's drawing of the
   * page.
   */
  const READERS: Readonly<Record<string, { readonly dpi: number; read(file: Buffer): Promise<Picture> }>> = {
    "16bit.cropped.tif": { dpi: 72, read: byLibtiff },
    // Orientation 8 is a quarter turn counterclockwise.
    "Portrait_8.jpg": { dpi: 72, read: async (file) => parsePnm(shell("djpeg -pnm | pamflip -ccw", file)) },
    "flower-separated-planar-8.tif": { dpi: 72, read: byLibtiff },
    "hopper_bigtiff.tif": { dpi: 96, read: byLibtiff },
    // L* is 100; a* and b* are 0.
    "lab.tif": {
      dpi: 72,
      read: async () => ({ width: 10, height: 10, channels: 1, samples: new Uint8Array(100).fill(255) }),
    },
    "multipage.tif": { dpi: 300, read: byLibtiff },
    "pal8rle.bmp": { dpi: 72, read: (file) => decode(file, "bmp") },
    "speed_bench_prog.jpg": { dpi: 72, read: (file) => decode(file, "jpg") },
    // djpeg decodes the existing part, and then fails.
    "truncated_jpeg.jpg": { dpi: 72, read: async (file) => parsePnm(shell("djpeg -pnm || true", file)) },
    "zackthecat.tif": { dpi: 75, read: byLibtiff },
  };
  /** Bounds of the distance from the decoded image, for images whose distance is not close to zero. */
  const BOUNDS: Readonly<Record<string, { readonly bound: number; readonly why: string }>> = {
    "flower-separated-planar-8.tif": {
      bound: 30,
      why: "inks without a profile: every program has a conversion of its own",
    },
    "speed_bench_prog.jpg": { bound: 4, why: "poppler honors the picture's profile, djpeg does not" },
    "zackthecat.tif": { bound: 4, why: "decoders of JPEG clamp before black and white are moved" },
  };

  const shell = (command: string, input: Buffer) =>
    execFileSync("sh", ["-c", command], { input, maxBuffer: 2 ** 26, stdio: ["pipe", "pipe", "ignore"] });

  function byLibtiff(file: Buffer): Promise<Picture> {
    return withFile(file, "picture.tif", async (name) => {
      execFileSync("tiff2rgba", ["-n", "-c", "none", name, `${name}.rgba`], { stdio: "ignore" });
      return decode(readFileSync(`${name}.rgba`), "tif");
    });
  }

  test.each(Object.keys(READERS))("%s looks as other programs show it", async (name) => {
    const { dpi, read } = READERS[name]!;
    const pdf = await converted({ file: upload(real(name), name) });
    const [expected, shown] = [await read(real(name)), await popplerPage(pdf, 1, dpi)];
    expect([shown.width, shown.height]).toEqual([expected.width, expected.height]);
    expect(perceptualDistance(shown, expected), BOUNDS[name]?.why ?? "").toBeLessThan(BOUNDS[name]?.bound ?? 1);
  });

  test.each(names.filter((name) => name.endsWith(".jpg")))(
    "%s passes bit by bit, as pdfimages finds it",
    async (name) => {
      const pdf = await converted({ file: upload(real(name), name) });
      await withFile(pdf, "made.pdf", async (file) => {
        execFileSync("pdfimages", ["-all", file, `${file}-image`]);
        const found = readFileSync(`${file}-image-000.jpg`);
        expect(found.subarray(0, real(name).length).equals(real(name))).toBe(true);
        expect(found.subarray(real(name).length).toString("hex")).toBe(name === "truncated_jpeg.jpg" ? "ffd9" : "");
      });
    },
  );

  test("all of them: sound PDFs of so many pages, or refused", async () => {
    const pages = await Promise.all(
      names.map(async (name) => {
        if (name === "xdtn0g01.png") return [name, await error(upload(real(name), name))];
        const pdf = await converted({ file: upload(real(name), name) });
        await expectSound(pdf);
        return [name, pageSizes(pdf).length];
      }),
    );
    expect(Object.fromEntries(pages)).toEqual(
      Object.fromEntries(
        names.map((name) => [name, name === "xdtn0g01.png" ? [400, NOT_VALID] : name === "multipage.tif" ? 4 : 1]),
      ),
    );
  });

  test("linear samples are shown as their gamma says; opacity is a mask", async () => {
    const pdf = await converted({ file: upload(real("basn6a16.png")) });
    expect(imagesOf(pdf).map(({ dictionary }) => /\/BitsPerComponent (\d+)/.exec(dictionary)![1])).toEqual([
      "16",
      "16",
    ]);
    const linear = parsePnm(shell("pngtopam -alphapam | pamdepth 255", real("basn6a16.png")));
    const samples = linear.samples.map((value, at) =>
      at % 4 === 3 ? value : Math.round(255 * (value / 255) ** (1 / 2.2)),
    );
    expect(perceptualDistance(await popplerPage(pdf, 1, 72), { ...linear, samples })).toBeLessThan(1);
    expect(imagesOf(await converted({ file: upload(real("rgb32bf-rgba.bmp")) }))).toHaveLength(2);
  });
});
