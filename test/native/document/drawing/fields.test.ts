// Draws form fields without an appearance. Poppler is the reference for text, backgrounds and dashes; it draws no solid
// borders, and draws selections and check marks differently.
import { describe, expect, test } from "vitest";
import { type FormOptions, formPdf, utf16 } from "../../../fixtures/form-pdfs.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { distanceToPoppler, drawnPage } from "../../../support/drawn-pages.ts";
import { reasonOf } from "../../../support/operations.ts";
import { type Picture, perceptualDistance, pixel, popplerPage } from "../../../support/pictures.ts";

const WIDE = "/Rect[20 150 220 175]";
const TALL = "/Rect[20 40 220 140]";
const COMBO = 1 << 17;
const CITIES = "/Opt[[(44)(Leipzig)][(45)(Chemnitz)][(46)(Dresden)]]";
/** Distance caused by different fonts and baselines of two viewers, for a few words on a page of 300 x 200 points. */
const ALIKE = 8;

const WORDS = ["Dresden", "46", "Leipzig", "Some text", "Some", "abc", "\\267\\267\\267", ""];

/** Returns a page that shows the words at the position of the text of a {@link WIDE} field. */
function printed(words: string, size: number): Uint8Array {
  const builder = new PdfBuilder();
  builder.page(`BT /F ${size} Tf 22 ${162.5 - 0.353 * size} Td (${words}) Tj ET`);
  return builder.bytes();
}

/** Poppler's images of all entries of {@link WORDS}, by size. */
const readings = new Map<number, Promise<Picture[]>>();

/** Returns the entry of {@link WORDS} that the field shows, by comparison with poppler's images of all entries. */
async function wordsIn(pdf: Uint8Array, size = 12): Promise<string> {
  const drawn = around(await drawnPage(pdf));
  const pictures =
    readings.get(size) ?? Promise.all(WORDS.map((words) => popplerPage(printed(words, size), 1, 72).then(around)));
  readings.set(size, pictures);
  const distances = (await pictures).map((picture, index) => ({
    words: WORDS[index]!,
    distance: perceptualDistance(drawn, picture),
  }));
  return distances.toSorted((one, other) => one.distance - other.distance)[0]!.words;
}

function around({ width, samples }: Picture): Picture {
  const [top, rows] = [25, 25];
  return { width, height: rows, channels: 3, samples: samples.subarray(top * width * 3, (top + rows) * width * 3) };
}

describe("choice fields show the text of the option", () => {
  test.each<[string, string]>([
    ["a value with a display text", `/FT/Ch/Ff ${COMBO}${CITIES}/V(46)`],
    ["the display text as value", `/FT/Ch/Ff ${COMBO}${CITIES}/V(Dresden)`],
    ["a value in a list", `/FT/Ch/Ff ${COMBO}${CITIES}/V[(46)]`],
    ["a value in UTF-16", `/FT/Ch/Ff ${COMBO}/Opt[[${utf16("46")} ${utf16("Dresden")}]]/V(46)`],
    ["an index alone", `/FT/Ch/Ff ${COMBO}${CITIES}/I[2]`],
    ["a value that is no option", `/FT/Ch/Ff ${COMBO}/Opt[(a)(b)]/V(Dresden)`],
  ])("%s", async (_, entries) => {
    for (const needAppearances of [false, true]) {
      expect(await wordsIn(formPdf([`${entries}${WIDE}`], { needAppearances }))).toBe("Dresden");
    }
  });

  test("in place of an outdated appearance, if the form asks for it", async () => {
    const objects: FormOptions["objects"] = (builder) => ({
      old: builder.stream("1 0 0 rg 0 0 200 25 re f", "/Type/XObject/Subtype/Form/BBox[0 0 200 25]"),
    });
    const field = `/FT/Ch/Ff ${COMBO}${CITIES}/V(46)/AP<</N $old>>${WIDE}`;
    const [asked, kept] = [formPdf([field], { objects, needAppearances: true }), formPdf([field], { objects })];
    expect(await wordsIn(asked)).toBe("Dresden");
    expect(pixel(await drawnPage(kept), 100, 35)).toEqual([255, 0, 0]);
  });
});

test("the selected lines of a list are marked", async () => {
  const list = "/FT/Ch/Opt[(One)(Two)(Three)(Four)(Five)]";
  const marked = async (entries: string) => {
    const drawn = await drawnPage(formPdf([`${list}${entries}${TALL}`]));
    // Lines are 14 points high, and the field starts 60 points below the top of the page.
    return [0, 1, 2, 3, 4].filter((line) => pixel(drawn, 200, 61 + 7 + line * 14).join() !== "255,255,255");
  };
  expect(await marked("/V(Two)")).toEqual([1]);
  expect(await marked("/Ff 2097152/V[(One)(Four)]")).toEqual([0, 3]);
  expect(await marked("/I[2]")).toEqual([2]);
  expect(await marked("/V(Three)/TI 1")).toEqual([1]);
  expect(await marked("")).toEqual([]);
});

describe("text", () => {
  const text = (entries: string) => formPdf([`/FT/Tx${entries}`]);

  test.each<[string, string, Uint8Array]>([
    ["a value", "Some text", text(`/V(Some text)${WIDE}`)],
    ["a font that the form lacks", "Some text", text(`/DA(/Lost 12 Tf 0 g)/V(Some text)${WIDE}`)],
    ["a password", "\\267\\267\\267", text(`/Ff 8192/V(abc)${WIDE}`)],
    ["more characters than allowed", "Some", text(`/MaxLen 4/V(Some text)${WIDE}`)],
    ["rich text alone", "Some text", text(`/RV(<body><p>Some <b>text</b></p></body>)${WIDE}`)],
    [
      "a field above the widget",
      "Some text",
      formPdf([`/Parent $up${WIDE}`], {
        objects: (builder) => ({ up: builder.add("<</FT/Tx/V(Some text)/DA(/Helv 12 Tf 0 g)>>") }),
      }),
    ],
    [
      "a stream",
      "Some text",
      formPdf([`/FT/Tx/V $value${WIDE}`], { objects: (builder) => ({ value: builder.stream("Some text") }) }),
    ],
  ])("of %s", async (_, words, pdf) => {
    expect(await wordsIn(pdf)).toBe(words);
  });

  test("without a default appearance is as large as fits", async () => {
    expect(await wordsIn(formPdf([`/FT/Tx/V(Some text)${WIDE}`], { form: " " }), 19.9)).toBe("Some text");
  });

  test.each<[string, string]>([
    ["the right", `/Q 2/V(To the right)${WIDE}`],
    ["the middle", `/Q 1/V(In the middle)${WIDE}`],
    ["cells of a comb", `/Ff 16777216/MaxLen 10/V(COMB12)${WIDE}`],
    ["several lines", `/Ff 4096/V(The quick brown fox jumps over the lazy dog and comes back again.\\nNext)${TALL}`],
    ["a turned field", `/MK<</R 90>>/V(Turned)/Rect[100 20 125 180]`],
    ["a field of a color", `/MK<</BG[.8 .9 1]>>/DA(/Helv 14 Tf 1 0 0 rg)/V(Red)${WIDE}`],
    ["a dashed border", `/MK<</BC[0 0 1]>>/BS<</W 2/S/D/D[4 2]>>/V(Dashed)${WIDE}`],
  ])("in %s", async (_, entries) => {
    expect(await distanceToPoppler(text(entries))).toBeLessThan(ALIKE);
  });

  test("of other scripts is drawn with spare fonts", async () => {
    const blank = await drawnPage(text(WIDE));
    for (const value of ["日本語", "한국어", "Привет", "Ελλάδα", "Łódź"]) {
      const drawn = await drawnPage(text(`/V${utf16(value)}${WIDE}`));
      expect(perceptualDistance(drawn, blank), value).toBeGreaterThan(3);
    }
  });

  test("is reduced until it fits, if its size is not given", async () => {
    const long = "A line that is much too long for its field at the size of the font";
    const pdf = text(`/DA(/Helv 0 Tf 0 g)/V(${long})${WIDE}`);
    expect(await distanceToPoppler(pdf)).toBeLessThan(ALIKE);
  });
});

describe("buttons", () => {
  const button = (entries: string) => formPdf([`/FT/Btn${entries}`]);
  const SQUARE = "/Rect[20 150 60 190]";

  test("have their background, border and caption", async () => {
    const pdf = button(`/Ff 65536/MK<</BG[.8]/CA(Push)>>/DA(/Helv 12 Tf 0 g)${WIDE}`);
    expect(await distanceToPoppler(pdf)).toBeLessThan(ALIKE);
    const drawn = await drawnPage(button(`/Ff 65536/MK<</BG[0 1 0]/BC[1 0 0]>>/BS<</W 4>>${WIDE}`));
    expect([pixel(drawn, 22, 35), pixel(drawn, 100, 35)]).toEqual([
      [255, 0, 0],
      [0, 255, 0],
    ]);
  });

  test.each(["4", "8", "l", "n", "u", "H"])("have the mark %s only if they are on", async (mark) => {
    const box = (state: string) =>
      button(`/AS/${state}/V/${state}/MK<</CA(${mark})/BG[1 1 0]>>/DA(/ZaDb 0 Tf 0 0 1 rg)${SQUARE}`);
    const [on, off] = [await drawnPage(box("Yes")), await drawnPage(box("Off"))];
    expect(await distanceToPoppler(box("Off"))).toBeLessThan(ALIKE);
    expect(pixel(off, 40, 30)).toEqual([255, 255, 0]);
    expect(pixel(on, 40, 30)).toEqual([0, 0, 255]);
  });

  test("of a group are round, and on by their own state", async () => {
    const radio = (state: string) => button(`/Ff 32768/AS/${state}/MK<</BG[1 1 0]>>${SQUARE}`);
    const [on, off] = [await drawnPage(radio("a")), await drawnPage(radio("Off"))];
    expect([pixel(on, 40, 30), pixel(off, 40, 30)]).toEqual([
      [0, 0, 0],
      [255, 255, 0],
    ]);
    expect(pixel(off, 22, 12)).toEqual([255, 255, 255]);
  });

  test("show their icon", async () => {
    const objects: FormOptions["objects"] = (builder) => ({
      icon: builder.stream("1 0 0 rg 0 0 10 10 re f", "/Type/XObject/Subtype/Form/BBox[0 0 10 10]"),
    });
    const drawn = await drawnPage(formPdf([`/FT/Btn/Ff 65536/MK<</I $icon/TP 1>>${SQUARE}`], { objects }));
    expect(pixel(drawn, 40, 30)).toEqual([255, 0, 0]);
  });
});

test("a field of a signature has its own appearance, or none", async () => {
  const objects: FormOptions["objects"] = (builder) => ({
    look: builder.stream("1 0 0 rg 0 0 200 25 re f", "/Type/XObject/Subtype/Form/BBox[0 0 200 25]"),
  });
  expect(pixel(await drawnPage(formPdf([`/FT/Sig/AP<</N $look>>${WIDE}`], { objects })), 150, 35)).toEqual([255, 0, 0]);
  expect(await wordsIn(formPdf([`/FT/Sig${WIDE}`]))).toBe("");
});

test("hostile fields neither hang nor end the drawing", async () => {
  const objects: FormOptions["objects"] = (builder) => {
    const self = builder.reserve();
    builder.set(self, `<</FT/Tx/Parent ${self}/V(${"word ".repeat(4000)})/Ff 4096/DA(/Helv 0 Tf)>>`);
    return { self, options: builder.add(`[${"(x)".repeat(10_000)}]`) };
  };
  const fields = [
    ...Array.from({ length: 300 }, () => `/Parent $self${TALL}`),
    `/FT/Tx/Ff 16777216/MaxLen 1000000000/V(1)/MK<</BC[0]>>${WIDE}`,
    `/FT/Tx/DA(/Helv 1e30 Tf)/V(big)${WIDE}`,
    `/FT/Tx/DA(/Helv -1 Tf 1 2 rg)/V(odd)/MK 7/BS[]/Rect[1 2]`,
    `/FT/Btn/MK<</R 45/BG[1 2]/CA 5/I 3>>/AS 7${WIDE}`,
    ...Array.from({ length: 300 }, () => `/FT/Ch/Opt $options/V(x)${TALL}`),
  ];
  const pdf = formPdf(fields, { objects, needAppearances: true });
  expect(["none", "too-complex", "too-large"]).toContain(await reasonOf(() => drawnPage(pdf)));
});
