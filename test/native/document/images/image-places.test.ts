// Tests the resolution limit for images in all places that can draw them, and images that do not change.
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { imageObject, onePage, type RawObject, rawPdf, samples } from "../../../fixtures/image-pdfs.ts";
import { encode, photograph } from "../formats/jpeg-pictures.ts";
import { distances, limited, listed, MIB, shade, shapes } from "./limited-pdfs.ts";

const SIDE = 620;
const only = (entries: string, bytes: Uint8Array, more: Readonly<Record<string, RawObject>> = {}) =>
  rawPdf({ image: imageObject(SIDE, SIDE, entries, bytes), ...more }, [onePage()]);

const tint = "<</FunctionType 2/Domain[0 1]/C0[0 0 0 0]/C1[0 0.8 1 0.1]/N 1>>";

describe("where images are", () => {
  const gray = imageObject(SIDE, SIDE, "/ColorSpace/DeviceGray/BitsPerComponent 8", samples(SIDE, SIDE, 1, 8, shade));
  const resources = "<</XObject<</I {image}>>>>";
  const form = (content: string, entries: string): RawObject => ({
    syntax: `<</Type/XObject/Subtype/Form/BBox[0 0 1000 1000]${entries}>>`,
    bytes: Buffer.from(content),
  });
  const places: Readonly<Record<string, [Record<string, RawObject>, string, string, number, string?]>> = {
    "twice on a page: the larger use counts": [
      {},
      "q 100 0 0 100 0 0 cm /I Do Q q 200 0 0 200 50 50 cm /I Do Q",
      resources,
      200,
    ],
    turned: [{}, "0 150 -150 0 200 0 cm /I Do", resources, 150],
    "in a form that is scaled": [
      { form: form("100 0 0 100 0 0 cm /I Do", `/Matrix[2 0 0 2 0 0]/Resources ${resources}`) },
      ".5 0 0 .5 0 0 cm 2 0 0 2 0 0 cm /F Do",
      "<</XObject<</F {form}>>>>",
      200,
    ],
    "in a form without resources of its own": [
      { form: form("100 0 0 100 0 0 cm /I Do", "") },
      "/F Do",
      "<</XObject<</F {form}/I {image}>>>>",
      100,
    ],
    "in a pattern": [
      {
        form: {
          syntax: `<</Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 90 90]/XStep 90/YStep 90/Matrix[2 0 0 2 0 0]/Resources ${resources}>>`,
          bytes: Buffer.from("75 0 0 75 0 0 cm /I Do"),
        },
      },
      "9 0 0 9 0 0 cm /Pattern cs /P scn 0 0 40 40 re f",
      "<</Pattern<</P {form}>>>>",
      150,
    ],
    "in a soft mask of the graphics state": [
      {
        group: form("200 0 0 200 0 0 cm /I Do", `/Group<</S/Transparency/CS/DeviceGray>>/Resources ${resources}`),
        state: { syntax: "<</SMask<</S/Luminosity/G {group}>>>>" },
      },
      ".5 0 0 .5 0 0 cm /G gs 0 0 800 800 re f",
      "<</ExtGState<</G {state}>>>>",
      100,
    ],
    "in a glyph of a Type 3 font": [
      {
        glyph: form("1000 0 d0 1000 0 0 1000 0 0 cm /I Do", ""),
        font: {
          syntax: `<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[.001 0 0 .001 0 0]/CharProcs<</a {glyph}>>/Encoding<</Differences[97/a]>>/FirstChar 97/LastChar 97/Widths[1000]/Resources ${resources}>>`,
        },
      },
      "BT /T 50 Tf 3 0 0 3 20 20 Tm (a) Tj ET",
      "<</Font<</T {font}>>>>",
      150,
    ],
    "in the appearance of an annotation": [
      {
        form: {
          syntax: `<</Type/XObject/Subtype/Form/BBox[0 0 50 50]/Resources ${resources}>>`,
          bytes: Buffer.from("50 0 0 50 0 0 cm /I Do"),
        },
        note: { syntax: "<</Type/Annot/Subtype/Stamp/Rect[10 10 110 110]/F 4/AP<</N {form}>>>>" },
      },
      "",
      "<<>>",
      100,
      "/Annots[{note}]",
    ],
    "on a page of larger units": [{}, "100 0 0 100 0 0 cm /I Do", resources, 200, "/UserUnit 2"],
    "cropped by its page": [{}, "300 0 0 300 -100 -100 cm /I Do", resources, 300],
  };

  test.each(Object.keys(places))("%s", async (name) => {
    const [objects, content, pageResources, points, more] = places[name]!;
    const page = { content, resources: pageResources, ...(more ? { more } : {}) };
    const before = rawPdf({ image: gray, ...objects }, [page]);
    const after = await limited(before, { maxImageDpi: 75, lossless: true });
    const text = Buffer.from(after).toString("latin1");
    const side = Math.floor((points * 75) / 72);
    expect(text).toContain(`/Width ${side}/Height ${side}`);
    expect(await distances(before, after)).toBeLessThan(4);
  });

  test("forms that draw each other end", async () => {
    const one = form("1.1 0 0 1.1 0 0 cm /B Do /B Do", "/Resources<</XObject<</B {two}>>>>");
    const two = form("1.1 0 0 1.1 0 0 cm /A Do /A Do /I Do", "/Resources<</XObject<</A {one}/I {image}>>>>");
    const before = rawPdf({ image: gray, one, two }, [{ content: "/A Do", resources: "<</XObject<</A {one}>>>>" }]);
    expect((await limited(before, { maxImageDpi: 75, lossless: true })).length).toBeGreaterThan(0);
  });
});

describe("inline images", () => {
  const plain = samples(200, 200, 3, 8, shade);
  const deflated = Buffer.from(deflateSync(plain));
  const gray = Buffer.from(samples(200, 200, 1, 8, shade));
  const bits = Buffer.from(samples(200, 200, 1, 1, shapes));
  const key = "/W 200/H 200";
  const images: Readonly<Record<string, readonly [string, Buffer]>> = {
    "without a filter": [`${key}/BPC 8/CS/RGB`, Buffer.from(plain)],
    deflated: [`${key}/BPC 8/CS/RGB/F/Fl`, deflated],
    "in hexadecimal digits": [`${key}/BPC 8/CS/G/F/AHx`, Buffer.from(`${gray.toString("hex")}>`)],
    "in base 85": [`${key}/BPC 8/CS/RGB/F[/A85/Fl]`, Buffer.from(ascii85(deflated))],
    "a stencil": [`${key}/IM true/BPC 1`, bits],
    "of a named color space": [`${key}/BPC 8/CS/Own`, gray],
    indexed: [`${key}/BPC 1/CS[/I/RGB 1<ff8000004080>]`, bits],
  };

  test.each(Object.keys(images))("%s", async (name) => {
    const [entries, data] = images[name]!;
    const image = `BI ${entries} ID ${data.toString("latin1")}\nEI`;
    const content = `1 0 0 rg q 200 0 0 200 20 20 cm ${image} Q q 90 0 0 90 250 250 cm ${image} Q BT ET`;
    const resources = `<</ColorSpace<</Own[/Separation/Spot/DeviceCMYK ${tint}]>>/XObject<</I {image}>>>>`;
    const small = imageObject(2, 2, "/ColorSpace/DeviceGray/BitsPerComponent 8", new Uint8Array(4));
    const before = rawPdf({ image: small }, [{ content, resources }]);
    const after = await limited(before, { maxImageDpi: 36, lossless: true });
    const sizes = (await listed(after)).map(({ width, height }) => [width, height]);
    expect(sizes).toEqual([
      [100, 100],
      [45, 45],
    ]);
    expect(await distances(before, after)).toBeLessThan(6);
  });

  function ascii85(bytes: Buffer): string {
    let text = "";
    for (let at = 0; at < bytes.length; at += 4) {
      const group = Buffer.alloc(4);
      const count = bytes.copy(group, 0, at, at + 4);
      let value = group.readUInt32BE(0);
      const digits: string[] = [];
      for (let digit = 0; digit < 5; digit++, value = Math.floor(value / 85)) {
        digits.unshift(String.fromCharCode(33 + (value % 85)));
      }
      text += count === 4 && group.readUInt32BE(0) === 0 ? "z" : digits.slice(0, count + 1).join("");
    }
    return `${text}~>`;
  }
});

describe("what stays", () => {
  const photo = () => only("/ColorSpace/DeviceRGB/BitsPerComponent 8", samples(SIDE, SIDE, 3, 8, shade));

  test("without anything to do the bytes are the input's", async () => {
    const before = photo();
    expect(await limited(before, { lossless: true })).toBe(before);
    expect(await limited(before, { lossless: true, maxImageDpi: 150 })).toBe(before);
    const without = rawPdf({}, [{ content: "0 0 9 9 re f", resources: "<</ProcSet[/PDF/ImageB]>>" }]);
    expect(await limited(without, { lossless: false, maxImageDpi: 75 })).toBe(without);
  });

  test("a resolution a hair above the limit", async () => {
    const before = rawPdf(
      { image: imageObject(301, 301, "/ColorSpace/DeviceGray/BitsPerComponent 8", samples(301, 301, 1, 8, shade)) },
      [onePage(300)],
    );
    expect(await limited(before, { lossless: true, maxImageDpi: 72 })).toBe(before);
  });

  test("photographs become JPEG below the limit, drawings do not", async () => {
    const after = await limited(photo(), { lossless: false, maxImageDpi: 300 });
    expect((await listed(after))[0]).toMatchObject({ width: SIDE, coding: "jpeg" });
    const drawing = only(
      "/ColorSpace/DeviceRGB/BitsPerComponent 8",
      samples(SIDE, SIDE, 3, 8, (x, y, channel) => (shapes(x, y) ? channel / 2 : 1)),
    );
    expect((await listed(await limited(drawing, { lossless: false })))[0]!.coding).toBe("image");
  });

  test("an image that cannot be decoded", async () => {
    const damaged = only("/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode", new Uint8Array(5000).fill(0xd8));
    expect((await limited(damaged, { maxImageDpi: 75, lossless: false })).length).toBeGreaterThan(0);
  });

  test("images that claim to be huge, within the memory of an isolate", async () => {
    const huge = (entries: string, bytes: Uint8Array) =>
      rawPdf({ image: { syntax: `<</Subtype/Image/ColorSpace/DeviceRGB/BitsPerComponent 8${entries}>>`, bytes } }, [
        onePage(),
      ]);
    const bomb = deflateSync(new Uint8Array(60 * MIB));
    const jpeg = encode(photograph(64, 64, 3), 80);
    const frame = jpeg.findIndex((byte, index) => byte === 0xff && jpeg[index + 1] === 0xc0);
    jpeg.set([0xff, 0xff, 0xff, 0xff], frame + 5);
    for (const file of [
      huge("/Width 1000000/Height 1000000/Filter/FlateDecode", deflateSync(new Uint8Array(1000))),
      huge("/Width 5000/Height 4000/Filter/FlateDecode", bomb),
      huge("/Width 5000/Height 4000/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors 3/Columns 5000>>", bomb),
      huge("/Width 65535/Height 65535/Filter/DCTDecode", jpeg),
    ]) {
      const before = process.memoryUsage().rss;
      const after = await limited(file, { maxImageDpi: 75, lossless: false }, 80);
      expect(after.length).toBeGreaterThan(0);
      expect(process.memoryUsage().rss - before).toBeLessThan(300 * MIB);
    }
  });

  test("a JPEG of 20 megapixels is read a row at a time", async () => {
    const jpeg = encode(photograph(5000, 4000, 3), 80);
    const before = rawPdf(
      {
        image: {
          syntax: "<</Subtype/Image/Width 5000/Height 4000/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode>>",
          bytes: jpeg,
        },
      },
      [onePage()],
    );
    const after = await limited(before, { maxImageDpi: 150, lossless: false }, 80);
    expect((await listed(after))[0]).toMatchObject({ width: 625, height: 625, coding: "jpeg" });
  });
});
