// Tests the fonts that names choose, among them all names of the service's font list.
import { describe, expect, test } from "vitest";
import { requestedFont } from "../../../../src/document/typesetting/requested-font.ts";
import { fallbackFaces, languageOf, scriptOf } from "../../../../src/document/typesetting/scripts.ts";

const LISTED =
  "andalemono arial arialitalic arialbold arialblack calibri calibriitalic calibribold calibribolditalic cambriaitalic " +
  "cambriabold cambriabolditalic candara candaraitalic candarabold candarabolditalic cantarellregular cantarelloblique " +
  "cantarellbold cantarellboldoblique comicsans comicsansbold constantia consolas consolasitalic consolasbold " +
  "consolasbolditalic constantiaitalic constantiabold constantiabolditalic corbel corbelitalic corbelbold " +
  "corbelbolditalic courier courieritalic courierbold courierbolditalic dejavu georgia georgiaitalic georgiabold " +
  "georgiabolditalic impact tahoma timesnewroman timesnewromanitalic timesnewromanbold timesnewromanbolditalic " +
  "trebuchet trebuchetitalic trebuchetbold trebuchetbolditalic verdana verdanaitalic verdanabold verdanabolditalic " +
  "webdings";
const WITH_SPACES = ["dejavu sans mono oblique", "dejavu sans mono bold", "dejavu sans mono bold oblique"];

test.each([...LISTED.split(" "), ...WITH_SPACES, "CourierStd"])("%s is known", (name) => {
  const font = requestedFont(name)!;
  expect(font.isBold).toBe(/bold/.test(name));
  if (/italic|oblique/.test(name) && !/candara|corbel|cantarell/.test(name))
    expect(font.file.face).toMatch(/Italic|Oblique/);
});

test.each([
  ["Arial", "LiberationSans-Regular", "Liberation Sans"],
  ["Times New Roman Bold Italic", "LiberationSerif-BoldItalic", "Liberation Serif Bold Italic"],
  ["Arial,Bold", "LiberationSans-Bold", "Liberation Sans Bold"],
  ["Comic Sans MS Italic", "ComicRelief_400Regular", "Comic Relief"],
  ["Noto Sans", "NotoSans-Regular", undefined],
  ["dejavu sans mono", "DejaVuSansMono", undefined],
  ["Segoe UI Semibold", "FitSegoeUISemibold-Regular", "Noto Sans"],
  ["Wingdings 2", "Wingdings2", undefined],
  ["sylfaen", "DejaVuSerif", "DejaVu Serif"],
  ["roboto", "NotoSans-Regular", "Noto Sans"],
  ["Roboto Bold Italic", "NotoSans-BoldItalic", "Noto Sans Bold Italic"],
  ["Open Sans", "NotoSans-Regular", "Noto Sans"],
  ["Noto Serif", "DejaVuSerif", "DejaVu Serif"],
  ["serif", "LiberationSerif-Regular", "Liberation Serif"],
  ["sans-serif", "LiberationSans-Regular", "Liberation Sans"],
  ["monospace", "LiberationMono-Regular", "Liberation Mono"],
])("%s is %s", (name, face, replacedBy) => {
  const font = requestedFont(name);
  expect([font?.file.face, font?.replacedBy]).toEqual([face, replacedBy]);
});

test.each([
  ["MS Mincho", "NotoSerifCJK-Regular", 0],
  ["Malgun Gothic", "NotoSansCJK-Regular", 1],
  ["宋体", "NotoSerifCJK-Regular", 2],
  ["Microsoft JhengHei Bold", "NotoSansCJK-Bold", 3],
])("%s is a member of a collection", (name, face, member) => {
  expect(requestedFont(name)?.file).toEqual({ face, member });
});

test.each(["Nope", "", " ", "bold", "../LiberationSans", "constructor", "__proto__", "x".repeat(1000)])(
  "%j is unknown",
  (name) => {
    expect(requestedFont(name)).toBeUndefined();
  },
);

describe("a character that the font lacks", () => {
  const first = (text: string, more: object = {}) =>
    fallbackFaces(text, { isBold: false, isSerif: false, language: languageOf(text), ...more })[0];

  test.each([
    ["क्ष", {}, { face: "NotoSansDevanagari-Regular" }],
    ["م", { isBold: true }, { face: "NotoSansArabic-Bold" }],
    ["م", { isSerif: true }, { face: "NotoNaskhArabic-Regular" }],
    ["𐌰", { isBold: true }, { face: "NotoSansGothic-Regular" }],
    ["漢", {}, { face: "NotoSansCJK-Regular", member: 2 }],
    ["あ", { isSerif: true, isBold: true }, { face: "NotoSerifCJK-Bold", member: 0 }],
    ["한", {}, { face: "NotoSansCJK-Regular", member: 1 }],
    ["、", { language: "JP" }, { face: "NotoSansCJK-Regular", member: 0 }],
    ["★", {}, { face: "DejaVuSans" }],
  ])("%s is looked for in a font of its script, %j", (text, style, face) => expect(first(text, style)).toEqual(face));

  test("has the script of its letters", () => {
    expect(["a", "я", "ა", "1", " ", "\u0301", "ก็"].map(scriptOf)).toEqual([
      ...["Latin", "Cyrillic", "Georgian", undefined, undefined, undefined, "Thai"],
    ]);
  });
});
