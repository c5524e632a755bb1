// Tests that the same coefficients are encoded in fewer bytes: libjpeg decodes both files to the same pixels.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { transcodeJpeg } from "../../../../../src/document/formats/jpeg/transcode.ts";
import { corpusDir } from "../../../../support/corpus.ts";
import { decode, type Picture, withFile } from "../../../../support/pictures.ts";
import { randomOf } from "../../../../support/random.ts";
import { encode, noise, photograph, segmentsOf, textPage } from "../jpeg-pictures.ts";

const run = promisify(execFile);
const ROOMY = 2 ** 29;

async function cjpeg(picture: Picture, options: readonly string[]): Promise<Uint8Array> {
  const { width, height, channels, samples } = picture;
  const header = Buffer.from(`P${channels === 1 ? 5 : 6}\n${width} ${height}\n255\n`);
  return withFile(Buffer.concat([header, samples]), "picture.pnm", async (file) => {
    const { stdout } = await run("cjpeg", [...options, file], { encoding: "buffer", maxBuffer: 2 ** 30 });
    return new Uint8Array(stdout);
  });
}

async function expectSame(before: Uint8Array, after: Uint8Array | undefined): Promise<void> {
  expect(after).toBeDefined();
  expect(after!.length).toBeLessThan(before.length);
  const [a, b] = await Promise.all([decode(before, "jpg"), decode(after!, "jpg")]);
  expect([b.width, b.height, b.channels]).toEqual([a.width, a.height, a.channels]);
  expect(Buffer.compare(a.samples, b.samples)).toBe(0);
}

describe("files of libjpeg", () => {
  const shapes: readonly (readonly [string, readonly string[], number])[] = [
    ["4:2:0", ["-quality", "80"], 3],
    ["4:4:4", ["-quality", "95", "-sample", "1x1"], 3],
    ["4:2:2", ["-quality", "70", "-sample", "2x1"], 3],
    ["4:1:1", ["-quality", "70", "-sample", "4x1"], 3],
    ["vertical halves", ["-quality", "70", "-sample", "1x2"], 3],
    ["gray", ["-quality", "80", "-grayscale"], 1],
    ["progressive", ["-quality", "80", "-progressive"], 3],
    ["restart markers", ["-quality", "80", "-restart", "3B"], 3],
    ["restart markers and progression", ["-quality", "80", "-restart", "1", "-progressive"], 3],
    ["quantizers of 16 bits", ["-quality", "2"], 3],
    ["the finest quantizers", ["-quality", "100", "-sample", "1x1"], 3],
  ];
  test.each(shapes)("%s", async (_, options, channels) => {
    for (const [width, height] of [
      [203, 155],
      [16, 16],
      [17, 9],
    ] as const) {
      const before = await cjpeg(photograph(width, height, channels), options);
      await expectSame(before, transcodeJpeg(before, ROOMY));
    }
  });

  test.each([
    ["noise", noise],
    ["text", textPage],
  ])("%s", async (_, paint) => {
    for (const quality of ["30", "98"]) {
      const before = await cjpeg(paint(320, 240, 3), ["-quality", quality]);
      await expectSame(before, transcodeJpeg(before, ROOMY));
    }
  });

  test("one scan for each component", async () => {
    const scans = "0;\n1;\n2;\n";
    const before = await withFile(Buffer.from(scans), "scans.txt", (file) =>
      cjpeg(photograph(131, 67, 3), ["-quality", "75", "-scans", file]),
    );
    await expectSame(before, transcodeJpeg(before, ROOMY));
  });

  test("a progressive file is not larger than libjpeg's best", async () => {
    const picture = photograph(640, 480, 3);
    const best = await cjpeg(picture, ["-quality", "60", "-progressive", "-optimize"]);
    const ours = transcodeJpeg(await cjpeg(picture, ["-quality", "60"]), ROOMY)!;
    expect(ours.length).toBeLessThanOrEqual(best.length);
  });
});

test("CMYK of our own keeps Adobe's marker", async () => {
  const before = encode(photograph(99, 50, 4), 80);
  const after = transcodeJpeg(before, ROOMY)!;
  expect(segmentsOf(after).map(({ marker }) => marker)).toContain(0xee);
  await expectSame(before, after);
});

test.skipIf(!corpusDir)("files of cameras and editors", async () => {
  for (const name of ["Portrait_8.jpg", "cmyk_colorspace.jpg", "cymk.jpg"]) {
    const before = new Uint8Array(await readFile(join(corpusDir!, "images", name)));
    await expectSame(before, transcodeJpeg(before, ROOMY));
  }
});

describe("left as they are", () => {
  const good = encode(photograph(160, 120, 3), 75);

  test("what needs more memory than there is", () => {
    expect(transcodeJpeg(good, 20_000)).toBeUndefined();
  });

  test("files that end early", () => {
    for (let length = 0; length < good.length; length += 97) {
      expect(transcodeJpeg(good.subarray(0, length), ROOMY)).toBeUndefined();
    }
  });

  test("what cannot become smaller", () => {
    const once = transcodeJpeg(good, ROOMY)!;
    expect(transcodeJpeg(once, ROOMY)).toBeUndefined();
  });

  test("files with bytes changed at random: never a trap, never a file that libjpeg cannot read", async () => {
    const next = randomOf(5);
    let kept = 0;
    for (let round = 0; round < 300; round++) {
      const bytes = good.slice();
      for (let count = 0; count < 1 + (round % 4); count++) bytes[Math.floor(next() * bytes.length)] = 256 * next();
      const after = transcodeJpeg(bytes, ROOMY);
      if (!after) kept++;
      else if (round % 20 === 0) await decode(after, "jpg");
    }
    expect(kept).toBeGreaterThan(50);
  });

  test("a small file that claims a huge picture", () => {
    const bytes = good.slice();
    const frame = bytes.findIndex((byte, index) => byte === 0xff && bytes[index + 1] === 0xc0);
    bytes.set([0xff, 0xff, 0xff, 0xff], frame + 5);
    expect(transcodeJpeg(bytes, ROOMY)).toBeUndefined();
  });
});
