// Tests POST /pdf for pictures that must be decoded, or drawn, first.
// Contract: docs/api.md#pdf
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import * as coded from "../fixtures/coded-pictures.ts";
import { privateClient, upload } from "../support/client.ts";
import { pageSizes } from "../support/picture-pdfs.ts";
import { popplerPage } from "../support/pictures.ts";

async function pdfOf(bytes: Uint8Array, name = "picture.bin", fields: Record<string, string> = {}) {
  const { body } = await privateClient().post("/pdf", { output: "made", file: upload(bytes, name), ...fields });
  const pdf = Buffer.from(await (await fetch(String(body.outputUrl))).arrayBuffer());
  return { pdf, notices: body.notices ?? [], picture: await popplerPage(pdf, 1, 72) };
}

async function errorOf(bytes: Uint8Array, name = "picture.bin"): Promise<[number, string]> {
  const { status, body } = await privateClient().post("/pdf", { output: "made", file: upload(bytes, name) });
  return [status, body.error ?? ""];
}

type Drawn = Awaited<ReturnType<typeof pdfOf>>["picture"];

/** Returns the color at a place, in fractions of the sides, as the letter of its strongest component, or `w`. */
function colorAt({ width, height, samples }: Drawn, x: number, y: number): string {
  const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 3;
  const [red, green, blue] = samples.subarray(at, at + 3);
  if (Math.min(red!, green!, blue!) > 240) return "w";
  return red! > blue! ? "r" : "b";
}

const DAMAGED = "It is damaged, or its content is not what its name says.";

describe("WebP, AVIF and HEIC", () => {
  const SMALL = [32, 16];
  const LARGE = [64, 32];
  test.each([
    ["WebP", coded.WEBP, SMALL, "rb"],
    ["lossless WebP", coded.WEBP_LOSSLESS, SMALL, "rb"],
    ["WebP with transparency", coded.WEBP_CLEAR, SMALL, "rw"],
    ["AVIF", coded.AVIF, SMALL, "rb"],
    ["AVIF with transparency", coded.AVIF_CLEAR, SMALL, "rw"],
    ["HEIC", coded.HEIC, LARGE, "rb"],
    ["HEIC with transparency", coded.HEIC_CLEAR, LARGE, "rw"],
  ])("%s", async (_, file, size, colors) => {
    const { pdf, picture, notices } = await pdfOf(file);
    expect(pageSizes(pdf)).toEqual([size]);
    expect(colorAt(picture, 0.2, 0.5) + colorAt(picture, 0.8, 0.5)).toBe(colors);
    expect(notices).toEqual([]);
  });

  test.each([
    ["WebP", coded.WEBP_TURNED],
    ["AVIF", coded.AVIF_TURNED],
  ])("the orientation of %s", async (_, file) => {
    const { pdf, picture } = await pdfOf(file);
    expect(pageSizes(pdf)).toEqual([[16, 32]]);
    expect(colorAt(picture, 0.5, 0.2) + colorAt(picture, 0.5, 0.8)).toBe("rb");
  });

  test.each([
    ["WebP", coded.WEBP_ANIMATED, "2 further frames or pictures of the file were left out"],
    ["AVIF", coded.AVIF_SEQUENCE, "1 further frame or picture of the file was left out"],
    ["HEIC", coded.HEIC_TWO, "1 further frame or picture of the file was left out"],
  ])("the first frame of %s, with a notice", async (_, file, notice) => {
    const { picture, notices } = await pdfOf(file);
    expect(colorAt(picture, 0.2, 0.5) + colorAt(picture, 0.8, 0.5)).toBe("rb");
    expect(JSON.stringify(notices)).toContain(notice);
  });

  test("compression chooses JPEG or Deflate, except for a lossless picture", async () => {
    const filterOf = async (file: Uint8Array, compression: string) =>
      /\/Subtype\/Image[^>]*\/Filter\/(\w+)/.exec(
        (await pdfOf(file, "a", { compression })).pdf.toString("latin1"),
      )?.[1];
    expect(await filterOf(coded.WEBP, "lossy")).toBe("DCTDecode");
    expect(await filterOf(coded.AVIF, "lossy")).toBe("DCTDecode");
    expect(await filterOf(coded.AVIF, "lossless")).toBe("FlateDecode");
    expect(await filterOf(coded.WEBP_LOSSLESS, "lossy")).toBe("FlateDecode");
  });

  /** Returns the file with other dimensions after a mark. */
  const resized = (file: Uint8Array, mark: string, offset: number, size: Uint8Array): Uint8Array => {
    const copy = Buffer.from(file);
    copy.set(size, copy.indexOf(mark) + offset);
    return copy;
  };
  const bytes32 = (...values: number[]) => {
    const bytes = Buffer.alloc(4 * values.length);
    for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
    return bytes;
  };
  const LITTLE = Uint8Array.of(0xff, 0x3f, 0xff, 0x3f);
  const MANY = "The picture has more than 67,108,864 pixels.";

  test.each([
    ["a truncated WebP", coded.WEBP.subarray(0, 60), 400, DAMAGED],
    ["a WebP without pixels", resized(coded.WEBP, "VP8 ", 14, new Uint8Array(4)), 400, DAMAGED],
    ["a WebP of many pixels", resized(coded.WEBP, "VP8 ", 14, LITTLE), 422, MANY],
    ["a RIFF without a picture", Buffer.from("RIFF\x10\0\0\0WEBPXXXX\x04\0\0\0abcd", "latin1"), 400, DAMAGED],
    ["a truncated AVIF", coded.AVIF.subarray(0, 300), 400, DAMAGED],
    ["an AVIF without pixels", resized(coded.AVIF, "ispe", 8, bytes32(0, 0)), 400, DAMAGED],
    ["an AVIF of many pixels", resized(coded.AVIF, "ispe", 8, bytes32(60_000, 60_000)), 422, MANY],
    ["an AVIF of other dimensions than stated", resized(coded.AVIF, "ispe", 8, bytes32(8, 8)), 400, DAMAGED],
    ["a truncated HEIC", coded.HEIC.subarray(0, 500), 400, DAMAGED],
    ["the brand alone", coded.HEIC.subarray(0, 32), 400, DAMAGED],
    ["a HEIC of many pixels", resized(coded.HEIC, "ispe", 8, bytes32(60_000, 60_000)), 422, MANY],
  ])("%s is refused", async (_, file, status, why) => {
    expect(await errorOf(file)).toEqual([status, expect.stringContaining(why)]);
  });
});

describe("SVG", () => {
  const NS = 'xmlns="http://www.w3.org/2000/svg"';
  const HALVES =
    '<rect width="50%" height="100%" fill="#c81e1e"/><rect x="50%" width="50%" height="100%" fill="#00f"/>';
  const svg = (attributes: string, content = HALVES) => Buffer.from(`<svg ${NS} ${attributes}>${content}</svg>`);

  test.each([
    ["pixels", svg('width="96" height="48"'), [72, 36]],
    ["inches", svg('width="2in" height="1in"'), [144, 72]],
    ["a viewBox", svg('viewBox="0 0 96 192"'), [72, 144]],
    ["a width and a viewBox", svg('width="48px" viewBox="0 0 10 20"'), [36, 72]],
    ["percentages", svg('width="100%" height="100%" viewBox="0 0 48 96"'), [36, 72]],
    ["sides between whole points", svg('width="100" height="50"'), [75, 37.5]],
    ["fractions of a pixel", svg('width="333.3" height="77.77"'), [249.975, 58.3275]],
    ["compression", gzipSync(svg('width="96" height="48"')), [72, 36]],
    ["no namespace", Buffer.from(`<svg width="96" height="48">${HALVES}</svg>`), [72, 36]],
  ])("with %s is a page of vectors", async (kind, file, size) => {
    const { pdf, picture } = await pdfOf(file, kind === "compression" ? "a.svgz" : "a.bin");
    const [[width, height] = [], ...others] = pageSizes(pdf);
    expect(others).toEqual([]);
    expect([width, height].map((side, index) => Math.abs(side! - size[index]!) < 0.01)).toEqual([true, true]);
    expect(colorAt(picture, 0.2, 0.5) + colorAt(picture, 0.8, 0.5)).toBe("rb");
    expect(colorAt(await popplerPage(pdf, 1, 1200), 0.998, 0.998)).toBe("b");
    expect(pdf.toString("latin1")).not.toMatch(/\/Subtype *\/Image/);
  });

  test("runs no script, and loads nothing", async () => {
    const { picture } = await pdfOf(
      svg(
        'width="96" height="48"',
        `${HALVES}<script>document.documentElement.innerHTML = ""</script><image href="file:///etc/passwd" width="9"
         height="9"/><foreignObject width="96" height="48"><iframe xmlns="http://www.w3.org/1999/xhtml"
         src="file:///etc/passwd"/></foreignObject>`,
      ),
    );
    expect(colorAt(picture, 0.8, 0.5)).toBe("b");
  });

  const entities = (declared: string) => Buffer.from(`<!DOCTYPE svg [${declared}]><svg ${NS}><text>&a9;</text></svg>`);
  const nested = Array.from({ length: 9 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`).join("");
  test.each([
    ["entities in entities", entities(`<!ENTITY a0 "bomb">${nested}`), 422, "too complex"],
    ["an entity in itself", entities('<!ENTITY a9 "&a9;">'), 422, "too complex"],
    ["much compressed space", gzipSync(Buffer.alloc(2 ** 26, " ")), 422, "too complex"],
    ["a huge size", svg('width="1e9" height="10"'), 400, "A page of 750000000 x 8 points"],
    ["no area", svg('width="0" height="10"'), 400, DAMAGED],
    ["no end", svg("").subarray(0, 60), 400, DAMAGED],
  ])("%s is refused", async (_, file, status, why) => {
    expect(await errorOf(file, "a.svg")).toEqual([status, expect.stringContaining(why)]);
  });
});

test("the first image of an animated GIF, with a notice", async () => {
  const image = (index: number) => `,\0\0\0\0\x01\0\x01\0\0\x02\x02${index === 0 ? "D" : "L"}\x01\0`;
  const gif = Buffer.from(`GIF89a\x01\0\x01\0\x80\0\0\xc8\0\0\0\0\xc8${image(0)}!\xfe\x01a\0${image(1)};`, "latin1");
  const { pdf, picture, notices } = await pdfOf(gif);
  expect(pageSizes(pdf)).toEqual([[3, 3]]);
  expect(colorAt(picture, 0.5, 0.5)).toBe("r");
  expect(JSON.stringify(notices)).toContain("1 further frame or picture of the file was left out");
});
