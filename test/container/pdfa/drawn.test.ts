// Tests documents that MuPDF alone would draw differently from other viewers: they become PDF/A that veraPDF accepts,
// and poppler shows them as intended.
import { describe, expect, test } from "vitest";
import { repair } from "../../../container/pdfa/repair.ts";
import { formPdf, utf16 } from "../../fixtures/form-pdfs.ts";
import { jp2, opacity, SIDE } from "../../fixtures/jpx-pictures.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { drawnPage } from "../../support/drawn-pages.ts";
import type { LevelName } from "../../support/levels.ts";
import { textOf } from "../../support/pdf-readers.ts";
import { climbed, openLadder } from "../../support/pdfa-conversion.ts";
import { perceptualDistance, popplerPage } from "../../support/pictures.ts";

openLadder();
/** Usual distance between drawings by two viewers. */
const ALIKE = 8;

async function converted(pdf: Uint8Array, level: LevelName): Promise<Uint8Array> {
  const { bytes } = await climbed(pdf, level, [repair]);
  expect(perceptualDistance(await popplerPage(bytes, 1, 72), await drawnPage(pdf))).toBeLessThan(ALIKE);
  return bytes;
}

function jpxPage(entries: string): Uint8Array {
  const builder = new PdfBuilder();
  const stencil = builder.stream(
    Uint8Array.of(0x40),
    "/Type/XObject/Subtype/Image/Width 2/Height 1/ImageMask true/BitsPerComponent 1",
  );
  const size = `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}/Filter/JPXDecode`;
  const image = builder.stream(jp2("cmyk", 16, opacity(4)), `${size}${entries.replace("$stencil", stencil)}`);
  builder.page("0 1 0 rg 0 0 300 200 re f q 160 0 0 160 20 20 cm /I Do Q %()", "", `/XObject<</I ${image}>>`);
  return builder.bytes();
}

describe("JPEG 2000 with opacity", () => {
  test.each([
    ["that overrides a stencil", "/SMaskInData 1/Mask $stencil"],
    ["that has been multiplied with the colors", "/SMaskInData 2"],
    ["that does not count", "/ColorSpace/DeviceRGB"],
  ])("%s becomes PDF/A-1b", async (_, entries) => {
    await converted(jpxPage(entries), "1b");
  });

  test("stays in PDF/A-2b", async () => {
    const { bytes } = await climbed(jpxPage("/SMaskInData 1"), "2b", [repair]);
    expect(Buffer.from(bytes).toString("latin1")).toMatch(/\/SMaskInData 1\b/);
  });
});

test.each(["1b", "2u"] as const)("fields have the look of their values at level %s", async (level) => {
  const cities = "/Opt[[(45)(Chemnitz)][(46)(Dresden)]]/V(46)";
  const pdf = formPdf(
    [
      `/FT/Ch/Ff 131072${cities}/MK<</BG[1 1 0]>>/Rect[20 150 220 175]`,
      `/FT/Ch${cities}/Rect[20 100 220 140]`,
      `/FT/Btn/Ff 65536/MK<</BG[0 1 1]/CA(Send)>>/Rect[20 70 120 90]`,
      `/FT/Btn/AS/On/V/On/MK<</BG[1 0 1]>>/DA(/ZaDb 0 Tf 0 g)/Rect[140 70 160 90]`,
      `/FT/Tx/V${utf16("Łódź, Москва")}/Rect[20 40 220 60]`,
      "/FT/Sig/MK<</BG[.5 1 .5]>>/Rect[20 10 120 30]",
    ],
    { needAppearances: true },
  );
  const text = textOf(await converted(pdf, level)).join("\n");
  expect(text).toMatch(/Dresden[\s\S]*Chemnitz\s+Dresden[\s\S]*Send[\s\S]*Łódź, Москва/);
  expect(text).not.toContain("46");
});

test("a shading without its background is burned into PDF/A-1b", async () => {
  const builder = new PdfBuilder();
  const ramp = "<</FunctionType 2/Domain[0 1]/C0[1 0 0]/C1[0 0 1]/N 1>>";
  const shading = builder.add(
    `<</ShadingType 2/ColorSpace/DeviceRGB/Background[0 1 0]/Coords[60 0 120 0]/Function ${ramp}>>`,
  );
  const group = builder.stream(
    "q 40 40 100 100 re W n /S sh Q",
    `/Type/XObject/Subtype/Form/BBox[0 0 300 200]/Group<</S/Transparency/I true>>/Resources<</Shading<</S ${shading}>>>>`,
  );
  builder.page(
    "/H gs /G Do /Pattern cs /P scn 160 40 100 100 re f %()",
    "",
    `/XObject<</G ${group}>>/ExtGState<</H<</ca 0.5>>>>/Pattern<</P<</PatternType 2/Shading ${shading}/Matrix[1 0 0 1 120 0]>>>>`,
  );
  await converted(builder.bytes(), "1b");
});
