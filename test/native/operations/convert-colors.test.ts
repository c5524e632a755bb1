// Tests that no other color space is left, that colors are those of Little CMS, and that pages look the same.
// Contract: docs/api.md#pdf-with-converted-colors
import { expect, test } from "vitest";
import { OutOfRange } from "../../../src/document/contract/failure.ts";
import { grayProfile, srgbProfile } from "../../../src/document/formats/icc/profile.ts";
import { type ConvertColorsParams, convertColors } from "../../../src/operations/convert-colors.ts";
import { COLORFUL_PDF } from "../../fixtures/color-pdfs.ts";
import { PdfBuilder, plainPdf } from "../../fixtures/pdf-builder.ts";
import { onePage, stream } from "../../support/hostile-pdfs.ts";
import { CONTEXT, outputsOf } from "../../support/operations.ts";
import { qpdfComplaints, uncompressed, withFile } from "../../support/pdf-readers.ts";
import { perceptualDistance, popplerPage } from "../../support/pictures.ts";
import { colorJudge } from "../../support/python-readers.ts";

type Profile = ConvertColorsParams["colorProfile"];
const CHANNELS = { srgb: 3, "apple-rgb": 3, "acrobat9-cmyk": 4, "dot-gain-20": 1, "lab-d50": 0 } as const;
/** Largest difference (CIEDE2000). Samples of 8 bits alone differ by up to 0.6. */
const ALIKE = 1;

async function converted(pdf: Uint8Array, colorProfile: Profile, preserveBlack = false, ...profile: Uint8Array[]) {
  const inputs = [pdf, ...profile];
  const context = { ...CONTEXT, heapLimitBytes: 2 ** 28 };
  const [made] = await outputsOf(convertColors, inputs, { colorProfile, preserveBlack }, context);
  expect(qpdfComplaints(made!)).toBe("");
  return made!;
}

/** Returns the text of all objects except profiles. */
const syntaxOf = (pdf: Uint8Array) =>
  uncompressed(pdf)
    .split("endobj")
    .filter((object) => !object.includes("acsp"))
    .join("");

/** Returns the colors that content sets after the initial black of fills. */
const colorsIn = (pdf: Uint8Array) =>
  [...syntaxOf(pdf).matchAll(/\/Target cs ([-\d. ]+) scn/g)]
    .slice(1)
    .map(([, numbers]) => numbers!.split(" ").map(Number));

/** 216 patches: six levels of red, green and blue. */
const PATCHES = Array.from({ length: 216 }, (_, index) =>
  [Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map((level) => 51 * level),
);
const PATCHES_PDF = onePage(
  PATCHES.map((rgb) => `${rgb.map((part) => part / 255).join(" ")} rg 9 9 9 9 re f`).join("\n"),
);

test.for(Object.entries(CHANNELS))(
  "%s is the only space, with the colors of Little CMS",
  async ([name, channels], context) => {
    const judge = await colorJudge(context);
    const patches = await converted(PATCHES_PDF, name as Profile);
    const made = colorsIn(patches);
    expect(made).toHaveLength(PATCHES.length);
    const pairs = PATCHES.map((rgb, index) => [rgb, made[index]!] as const);
    const told = withFile(patches, (path) => judge({ path, channels, patches: pairs }));
    expect(told.others).toEqual([]);
    expect(told.largest).toBeLessThan(ALIKE);
    const all = await converted(COLORFUL_PDF, name as Profile);
    expect(withFile(all, (path) => judge({ path, channels })).others).toEqual([]);
  },
);

test("the judge finds other spaces", async (context) => {
  const judge = await colorJudge(context);
  const { others } = withFile(COLORFUL_PDF, (path) => judge({ path, channels: 3 }));
  expect(others.length).toBeGreaterThan(40);
});

test("pages look the same in sRGB, and pictures in sRGB keep their data", async () => {
  const [before, after] = await Promise.all(
    [COLORFUL_PDF, await converted(COLORFUL_PDF, "srgb")].map((pdf) => popplerPage(pdf, 1, 72)),
  );
  // Poppler itself converts CMYK differently.
  expect(perceptualDistance(before!, after!)).toBeLessThan(6);
  const pdf = onePage("q 9 0 0 9 0 0 cm /I Do Q", "/XObject<</I 5 0 R>>", [
    stream(
      Uint8Array.from({ length: 27 }, (_, at) => at),
      IMAGE,
    ),
  ]);
  expect(uncompressed(await converted(pdf, "srgb"))).toContain(
    Buffer.from(Array.from({ length: 27 }, (_, at) => at)).toString("latin1"),
  );
});

const IMAGE = "/Type/XObject/Subtype/Image/Width 3/Height 3/BitsPerComponent 8/ColorSpace/DeviceRGB";
const BLACKS = "0 0 0 rg 1 1 1 1 re f .25 g 1 1 1 1 re f 0 0 0 .5 k 1 1 1 1 re f .2 .2 .2 rg 1 1 1 1 re f";

test("black stays black ink alone on request", async () => {
  const kept = colorsIn(await converted(onePage(BLACKS), "acrobat9-cmyk", true));
  expect(kept.slice(0, 3)).toEqual([
    [0, 0, 0, 1],
    [0, 0, 0, 0.75],
    [0, 0, 0, 0.5],
  ]);
  expect(kept[3]!.filter((ink) => ink > 0)).toHaveLength(4);
  const mixed = colorsIn(await converted(onePage(BLACKS), "acrobat9-cmyk"));
  expect(mixed[0]!.filter((ink) => ink > 0)).toHaveLength(4);
  // The space is the one of the document already.
  expect(mixed[2]).toEqual([0, 0, 0, 0.5]);
});

test("a profile of the client, also as the output intent", async () => {
  const intent =
    "/OutputIntents[<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(sRGB)/DestOutputProfile 6 0 R>>]";
  const made = uncompressed(
    await converted(
      withIntent(intent),
      "custom",
      false,
      grayProfile("Own", (value) => value),
    ),
  );
  expect(made).toMatch(/\/OutputConditionIdentifier \(Custom\)/);
  expect(made.match(/\/N 1\b/g)).toHaveLength(1);
  expect(made).not.toMatch(/\/N 3\b/);
});

function withIntent(entries: string): Uint8Array {
  const builder = new PdfBuilder();
  builder.page("Gray");
  builder.catalog = entries.replace("6 0 R", builder.stream(srgbProfile(), "/N 3"));
  return builder.bytes();
}

const TOO_SHORT = srgbProfile().slice(0, 400);
const WITHOUT_TAGS = srgbProfile().fill(0x41, 128 + 4, 128 + 4 + 12 * 9);
const OF_LAB = Buffer.from(srgbProfile()).fill("Lab ", 16, 20);

test.each([
  ["no profile", Buffer.from("not a profile")],
  ["a truncated profile", TOO_SHORT],
  ["a profile without tags", WITHOUT_TAGS],
  ["a profile of Lab", OF_LAB],
])("%s is an error", async (_, profile) => {
  const error = await converted(plainPdf("A"), "custom", false, profile).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OutOfRange);
  expect((error as OutOfRange).parameter).toBe("profile");
});

const FORM = "/Type/XObject/Subtype/Form/BBox[0 0 20 20]";

test("recursive and invalid spaces, forms and patterns", async () => {
  const pdf = onePage(
    "/F Do /I cs .2 .4 .6 sc 0 0 9 9 re f /S cs 1 scn f /X cs 2 sc f /None cs 1 scn 5 5 5 5 re f 1 1 sc g rg 3 k Q Q",
    "/XObject<</F 5 0 R>>/ColorSpace<</I[/ICCBased 7 0 R]/S 8 0 R/X 9 0 R" +
      "/None[/Separation/None/DeviceCMYK<</FunctionType 2/Domain[0 1]/N 1>>]>>",
    [
      stream(
        "1 0 0 rg /F Do /Pattern cs /P scn 0 0 9 9 re f",
        `${FORM}/Resources<</XObject<</F 5 0 R>>/Pattern<</P 6 0 R>>>>`,
      ),
      stream(
        "/Pattern cs /P scn 0 0 9 9 re f /F Do",
        "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<</Pattern<</P 6 0 R>>/XObject<</F 5 0 R>>>>",
      ),
      stream("not a profile", "/N 3"),
      "[/Separation/X 8 0 R<</FunctionType 2/Domain[0 1]/N 1>>]",
      "[/Indexed 9 0 R 255<00>]",
    ],
  );
  const made = syntaxOf(await converted(pdf, "acrobat9-cmyk"));
  expect(made).not.toMatch(/ (rg|k|g)\b/);
  // The colorant None still paints nothing.
  expect(made).toMatch(/\/Inline0 cs\s+1 scn 5 5 5 5 re f/);
});
