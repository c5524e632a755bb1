// Draws shadings with backgrounds. Poppler is the reference (ISO 32000-1, table 78).
import { describe, expect, test } from "vitest";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { distanceToPoppler, drawnPage } from "../../../support/drawn-pages.ts";
import { flattened } from "../../../support/flattened.ts";
import { perceptualDistance, pixel, popplerPage } from "../../../support/pictures.ts";

const RAMP = "<</FunctionType 2/Domain[0 1]/C0[1 0 0]/C1[0 0 1]/N 1>>";
const GREEN = "/ColorSpace/DeviceRGB/Background[0 1 0]";
const PLACE = "/Decode[60 120 60 120 0 1 0 1 0 1]";
const EDGE = [0, 0, 0, 85, 0, 170, 0, 255, 85, 255, 170, 255, 255, 255, 255, 170, 255, 85, 255, 0, 170, 0, 85, 0];
const INNER = [85, 85, 85, 170, 170, 170, 170, 85];
const CORNERS = [255, 0, 0, 0, 0, 255, 255, 255, 0, 0, 0, 255];

/** A shading of each type, which covers the square from 60 to 120 points. */
const SHADINGS: Readonly<Record<string, (builder: PdfBuilder) => string>> = {
  "function-based": (builder) =>
    builder.add(
      `<</ShadingType 1${GREEN}/Matrix[60 0 0 60 60 60]/Function ${builder.stream("{0}", "/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]")}>>`,
    ),
  axial: (builder) => builder.add(`<</ShadingType 2${GREEN}/Coords[60 0 120 0]/Function ${RAMP}>>`),
  radial: (builder) => builder.add(`<</ShadingType 3${GREEN}/Coords[90 90 10 90 90 30]/Function ${RAMP}>>`),
  triangles: (builder) =>
    mesh(builder, 4, "/BitsPerFlag 8", [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 255, 0, 0, 255]),
  lattice: (builder) =>
    mesh(
      builder,
      5,
      "/VerticesPerRow 2",
      [0, 0, 255, 0, 0, 255, 0, 0, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 0],
    ),
  "Coons patches": (builder) => mesh(builder, 6, "/BitsPerFlag 8", [0, ...EDGE, ...CORNERS]),
  "tensor patches": (builder) => mesh(builder, 7, "/BitsPerFlag 8", [0, ...EDGE, ...INNER, ...CORNERS]),
};

function mesh(builder: PdfBuilder, type: number, entries: string, bytes: number[]): string {
  const size = "/BitsPerCoordinate 8/BitsPerComponent 8";
  return builder.stream(Uint8Array.from(bytes), `/ShadingType ${type}${GREEN}${size}${PLACE}${entries}`);
}

const AREA = "40 40 100 100 re";
const SH = `q ${AREA} W n /S sh Q`;
const named = (shading: string) => `/Shading<</S ${shading}>>`;
const form = (builder: PdfBuilder, shading: string, more = "") =>
  builder.stream(SH, `/Type/XObject/Subtype/Form/BBox[0 0 300 200]/Resources<<${named(shading)}>>${more}`);

function page(
  content: string,
  make: (builder: PdfBuilder) => { readonly resources: string; readonly entries?: string },
) {
  const builder = new PdfBuilder();
  const { resources, entries = "" } = make(builder);
  builder.page(`${content} %()`, entries, resources);
  return builder.bytes();
}

const GREEN_PIXEL = [0, 255, 0];

describe("a background is not painted by sh", () => {
  test.each(Object.entries(SHADINGS))("of the type %s", async (_, make) => {
    const pdf = page(SH, (builder) => ({ resources: named(make(builder)) }));
    expect(await distanceToPoppler(pdf)).toBeLessThan(8);
  });

  test.each<[string, Uint8Array]>([
    [
      "a form",
      page("/F1 Do", (builder) => ({ resources: `/XObject<</F1 ${form(builder, SHADINGS.radial!(builder))}>>` })),
    ],
    [
      "a form without resources",
      page("/F1 Do", (builder) => {
        const inner = builder.stream(SH, "/Type/XObject/Subtype/Form/BBox[0 0 300 200]");
        return { resources: `/XObject<</F1 ${inner}>>${named(SHADINGS.axial!(builder))}` };
      }),
    ],
    [
      "an appearance of an annotation",
      page("", (builder) => ({
        resources: "",
        entries: `/Annots[<</Type/Annot/Subtype/Stamp/F 4/Rect[0 0 300 200]/AP<</N<</On ${form(builder, SHADINGS.triangles!(builder))}>>>>/AS/On>>]`,
      })),
    ],
    [
      "a tiling pattern",
      page(`/Pattern cs /T scn ${AREA} f`, (builder) => ({
        resources: `/Pattern<</T ${builder.stream(
          SH,
          `/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 160 160]/XStep 160/YStep 160/Resources<<${named(SHADINGS.lattice!(builder))}>>`,
        )}>>`,
      })),
    ],
    [
      "a soft mask",
      page(`q /M gs 1 0 0 rg ${AREA} f Q`, (builder) => {
        const gray = `<</ShadingType 2/ColorSpace/DeviceGray/Background[1]/Coords[60 0 120 0]/Function<</FunctionType 2/Domain[0 1]/C0[0]/C1[1]/N 1>>>>`;
        const group = form(builder, builder.add(gray), "/Group<</S/Transparency/CS/DeviceGray>>");
        return { resources: `/ExtGState<</M<</SMask<</S/Luminosity/G ${group}>>>>>>` };
      }),
    ],
  ])("in %s", async (_, pdf) => {
    expect(await distanceToPoppler(pdf)).toBeLessThan(8);
  });

  test("in a glyph of a Type 3 font", async () => {
    const pdf = page("BT /G 100 Tf (a) Tj ET", (builder) => {
      const glyph = builder.stream(`150 0 d0 ${SH}`);
      const font = `<</Type/Font/Subtype/Type3/FontBBox[0 0 150 150]/FontMatrix[.01 0 0 .01 0 0]/FirstChar 97/LastChar 97/Widths[150]/Encoding<</Differences[97/a]>>/CharProcs<</a ${glyph}>>/Resources<<${named(SHADINGS.axial!(builder))}>>>>`;
      return { resources: `/Font<</G ${builder.add(font)}>>` };
    });
    const drawn = await drawnPage(pdf);
    expect(pixel(drawn, 50, 110)).not.toEqual(GREEN_PIXEL);
  });
});

describe("a background fills everything that a pattern paints", () => {
  test.each(Object.entries(SHADINGS))("of the type %s, also if sh paints it", async (_, make) => {
    const pdf = page(`${SH} /Pattern cs /P scn 160 40 100 100 re f`, (builder) => {
      const shading = make(builder);
      return {
        resources: `${named(shading)}/Pattern<</P<</PatternType 2/Shading ${shading}/Matrix[1 0 0 1 120 0]>>>>`,
      };
    });
    const drawn = await drawnPage(pdf);
    const corners = [
      [45, 65],
      [135, 155],
      [165, 65],
      [255, 155],
    ].map(([x, y]) => pixel(drawn, x!, y!).join() === GREEN_PIXEL.join());
    expect(corners).toEqual([false, false, true, true]);
  });
});

test("flattening burns no background into the file", async () => {
  const pdf = page(`/H gs 0 0 1 rg 30 30 120 120 re f /F1 Do /F2 Do`, (builder) => ({
    resources: `/ExtGState<</H<</ca 0.5>>>>/XObject<</F1 ${form(builder, SHADINGS.triangles!(builder))}/F2 ${form(builder, SHADINGS.axial!(builder), "/Group<</S/Transparency/I true>>")}>>`,
  }));
  const { bytes, coverage } = await flattened(pdf);
  expect(coverage[0]).toBeGreaterThan(0);
  expect(perceptualDistance(await popplerPage(bytes, 1, 72), await popplerPage(pdf, 1, 72))).toBeLessThan(8);
});
