// Tests that initial colors, which follow from a color space alone (ISO 32000-1, 8.6.8 and 11.6.5.3), stay the same
// when the color space is replaced. Poppler draws the pages.
import { expect, test } from "vitest";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { archived, readArchived } from "../../../support/archival.ts";
import { LEVEL_NAMES } from "../../../support/levels.ts";
import { pixel, popplerPage } from "../../../support/pictures.ts";

/** RGB, so that no CMYK output intent is needed. */
const OTHER = "1 0 0 rg 200 100 50 50 re f";
const FILL = "50 100 50 50 re f";

function pageWith(content: string, resources: (builder: PdfBuilder) => string = () => ""): Uint8Array {
  const builder = new PdfBuilder();
  builder.page(`${content} ${OTHER} %(`, "", resources(builder));
  return builder.bytes();
}
const form = (content: string) => (builder: PdfBuilder) =>
  `/XObject<</X ${builder.stream(content, "/Type/XObject/Subtype/Form/BBox[0 0 300 200]/Resources<<>>")}>>`;
const cell = (builder: PdfBuilder) => {
  const entries = "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>";
  return `/Pattern<</P ${builder.stream("/DeviceCMYK cs 0 0 9 9 re f", entries)}>>`;
};

test.each([
  ["a filling", pageWith(`/DeviceCMYK cs ${FILL}`)],
  ["a stroke", pageWith("/DeviceCMYK CS 40 w 50 125 m 100 125 l S")],
  ["a space with a name", pageWith(`/C cs ${FILL}`, () => "/ColorSpace<</C[/DeviceCMYK]>>")],
  ["text", pageWith("/DeviceCMYK cs BT /F 120 Tf 55 85 Td (I) Tj ET")],
  ["a form that takes the color over", pageWith("/DeviceCMYK cs /X Do", form(FILL))],
  ["inside a form", pageWith("/X Do", form(`/DeviceCMYK cs ${FILL}`))],
  ["a pattern", pageWith(`/Pattern cs /P scn ${FILL}`, cell)],
])("%s stays black in CMYK", async (_, pdf) => {
  for (const level of LEVEL_NAMES) {
    const page = await popplerPage(await archived(pdf, level), 1, 72);
    expect(Math.max(...pixel(page, 75, 75))).toBeLessThan(60);
  }
});

test("a color that is set stays byte for byte", async () => {
  const pdf = pageWith(`/DeviceCMYK cs 0 1 0 0 sc ${FILL} /DeviceCMYK CS 0 0 1 0 SCN`);
  expect((await readArchived(pdf, "1b")).text).toContain(
    `/DeviceCMYK cs 0 1 0 0 sc ${FILL} /DeviceCMYK CS 0 0 1 0 SCN`,
  );
});

test.each([
  ["of a form", "0 0 0 0 k 100 80 100 60 re f", "[80 60 220 160]"],
  ["of a whole page", "0 0 0 0 k 100 80 100 60 re f", "[0 0 300 200]"],
  ["of gray shades", "0 0 0 .4 k 100 80 100 60 re f", "[80 60 220 160]"],
])("what a luminosity mask %s leaves out stays hidden", async (_, content, box) => {
  const builder = new PdfBuilder();
  const entries = `/Type/XObject/Subtype/Form/BBox${box}/Group<</S/Transparency/CS/DeviceCMYK>>`;
  const mask = `/SMask<</Type/Mask/S/Luminosity/G ${builder.stream(content, entries)}>>`;
  const states = `/ExtGState<</M<</Type/ExtGState${mask}>>/N<</Type/ExtGState/SMask/None>>>>`;
  builder.page(`q /M gs 0 0 1 rg 0 0 300 200 re f Q %(`, "", states);
  const before = await popplerPage(builder.bytes(), 1, 72);
  const after = await popplerPage(await archived(builder.bytes(), "2b"), 1, 72);
  // The masked rectangle covers the page: check a pixel outside the mask's form, and a pixel in its middle.
  expect(pixel(after, 10, 10)).toEqual([255, 255, 255]);
  for (const channel of [0, 1, 2]) {
    const [one, other] = [pixel(before, 150, 90)[channel]!, pixel(after, 150, 90)[channel]!];
    expect(Math.abs(one - other)).toBeLessThan(40);
  }
});
