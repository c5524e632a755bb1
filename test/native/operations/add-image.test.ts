// Tests that two other engines see each image within half a point of its position, and every other pixel unchanged.
// Contract: docs/api.md#pdf-with-added-image
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type AddImageParams, addImage } from "../../../src/operations/add-image.ts";
import { REPEATED_PAGES } from "../../fixtures/page-trees.ts";
import { encrypted, labeledPdf } from "../../fixtures/pdfs.ts";
import {
  exifOrientation,
  jpeg,
  pattern,
  plainTiff,
  png,
  pngChunk,
  type TestSamples,
  tiff,
} from "../../fixtures/pictures.ts";
import { signedPdf } from "../../fixtures/signed-pdfs.ts";
import { changed, drawn, expectChange } from "../../support/changed-pixels.ts";
import { HOSTILE_PDFS, onePage, pdfOf, stream } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, reasonOf } from "../../support/operations.ts";
import { pageTexts, qpdfComplaints, uncompressed } from "../../support/pdf-readers.ts";

const RED = [255, 0, 0];
const flat = (width: number, height: number, ...color: number[]): TestSamples => ({
  ...{ width, height, channels: color.length },
  values: Array.from({ length: width * height }, () => color).flat(),
});
const MARK = png(flat(30, 20, ...RED), { colorType: 2, bits: 8 });

type Params = Omit<AddImageParams, "tagEnabled"> & Partial<Pick<AddImageParams, "tagEnabled">>;

async function add(pdf: Uint8Array, params: Params, ...images: Uint8Array[]) {
  const inputs = [inputOf(pdf), ...(images.length > 0 ? images : [MARK]).map((bytes) => inputOf(bytes, "mark"))];
  for await (const output of addImage.run(inputs, { tagEnabled: false, ...params }, CONTEXT)) {
    const made = await bytesOf(output);
    expect(qpdfComplaints(made)).toBe("");
    return { made, notices: output.notices!() };
  }
  throw new Error("no output");
}
const pages = (text: string) => ({ text, items: [{ first: Number(text), last: Number(text) }] });
const at = (x: number, y: number, page = "1"): Params => ({ x, y, page: pages(page) });
const place = (page: number | string, x: number, y: number, more: object = {}) => ({
  ...{ image_index: 0, page, x, y, ...more },
});

const TEXT = "BT /F 40 Tf 20 50 Td (Some text) Tj ET 0 0 1 rg 100 100 60 40 re f ";
const FONT = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>";
const page = (entries: string, content = TEXT, box = "0 0 300 200") => onePage(content, FONT, [], entries, box);

describe("an image is at its place on the page as it is shown", () => {
  test.each<[string, Uint8Array]>([
    ["plain", page("")],
    ["moved", page("", TEXT, "-70 30 230 230")],
    ["cropped", page("/CropBox[40 30 290 180]")],
    ...[90, 180, 270, -90, 450].map((angle): [string, Uint8Array] => [`turned by ${angle}`, page(`/Rotate ${angle}`)]),
    ["turned and cropped", page("/Rotate 90/CropBox[40 30 290 180]")],
  ])("that is %s", async (_, pdf) => {
    expectChange(pdf, (await add(pdf, at(51, 17))).made, [51, 17, 81, 37]);
  });

  test.each([
    ["/UserUnit 2", 2],
    ["/UserUnit .5/Rotate 270/CropBox[0 0 280 190]", 0.5],
  ])("with units: %s", async (entries, unit) => {
    const { made } = await add(page(entries), at(51, 17));
    expectChange(page(entries), made, [51, 17, 81, 37], 1, ["mupdf"]);
    // Poppler draws units as points, without UserUnit.
    expectChange(
      page(entries),
      made,
      [51, 17, 81, 37].map((points) => points / unit),
      1,
      ["poppler"],
    );
  });

  test.each([
    ["restores more states than it saves", `.5 0 0 .5 9 9 cm Q ${TEXT} Q Q 1 0 0 1 3 3 cm ${TEXT}`],
    ["does both", `Q .9 0 0 .9 0 0 cm Q Q q 2 0 0 2 0 0 cm ${TEXT}`],
  ])("whose content %s, at which poppler stops", async (_, content) => {
    const pdf = page("", content);
    const { made } = await add(pdf, at(200, 150));
    expectChange(pdf, made, [200, 150, 230, 170], 1, ["mupdf"]);
    expectChange(page("", content.replaceAll("Q ", "")), made, [200, 150, 230, 170], 1, ["poppler"]);
  });

  test.each([
    ["saves more states than it restores", `q q .5 0 0 .5 9 9 cm 0 0 50 50 re W n ${TEXT}`],
    ["leaves text open", "BT /F 40 Tf 7 Tr 20 50 Td (Some text) Tj"],
    ["leaves a path open", `${TEXT} 0 0 m 99 99 l 50 0 l W`],
    ["leaves tags open", `/P BMC /Span <</MCID 0>> BDC ${TEXT}`],
    ["ends in a string", `${TEXT} (a(b`],
    ["ends in a comment", `${TEXT} % no more`],
    ["ends in an array", `${TEXT} [ 1 2`],
    ["is empty", ""],
  ])("whose content %s", async (_, content) => {
    const pdf = page("", content);
    expectChange(pdf, (await add(pdf, at(200, 150))).made, [200, 150, 230, 170]);
  });

  test.each([
    ["null", "null"],
    ["an empty array", "[]"],
    ["an array", "[4 0 R 4 0 R]"],
  ])("whose contents are %s", async (_, contents) => {
    const pdf = pdfOf([
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents ${contents}/Resources<<${FONT}>>>>`,
      stream(TEXT),
    ]);
    expectChange(pdf, (await add(pdf, at(200, 150))).made, [200, 150, 230, 170]);
  });

  test("of pages that share content and inherit their resources", async () => {
    const kid = "<</Type/Page/Parent 2 0 R/Contents 5 0 R>>";
    const pdf = pdfOf([
      "<</Type/Catalog/Pages 2 0 R>>",
      `<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 300 200]/Resources<<${FONT}/XObject 6 0 R>>>>`,
      ...[kid, kid, stream(TEXT), "<<>>"],
    ]);
    const { made } = await add(pdf, at(200, 150, "2"));
    expectChange(pdf, made, undefined, 1);
    expectChange(pdf, made, [200, 150, 230, 170], 2);
  });

  test("of one place of a page that is in the document repeatedly", async () => {
    for (const [, pdf] of REPEATED_PAGES) {
      const { made } = await add(pdf, at(3, 4, "2"));
      expectChange(pdf, made, undefined, 1);
      expectChange(pdf, made, [3, 4, 33, 24], 2);
    }
  });
});

/** Pixels per meter. */
const density = (x: number, y: number) => {
  const data = Buffer.alloc(9, 1);
  data.writeUInt32BE(x, 0);
  data.writeUInt32BE(y, 4);
  return pngChunk("pHYs", data);
};

describe("an image has its own size", () => {
  test.each([
    ["in dots of 72 per inch", MARK, [30, 20]],
    [
      "at its resolution",
      png(flat(300, 200, ...RED), { colorType: 2, bits: 8, before: [density(11811, 5906)] }),
      [72, 96],
    ],
    ["of one pixel", png(flat(1, 1, ...RED), { colorType: 2, bits: 8 }), [1, 1]],
    [
      "turned by its orientation",
      png(flat(30, 20, ...RED), { colorType: 2, bits: 8, before: [pngChunk("eXIf", exifOrientation(6))] }),
      [20, 30],
    ],
    ["of gray", png(flat(30, 20, 99), { colorType: 0, bits: 8 }), [30, 20]],
    ["of 16 bits", png(flat(30, 20, 40_000, 0, 9), { colorType: 2, bits: 16 }), [30, 20]],
    ["half transparent", png(flat(30, 20, 255, 0, 0, 128), { colorType: 6, bits: 8 }), [30, 20]],
    ["a JPEG", jpeg(pattern(3, 40, 24), "rgb"), [40, 24]],
    ["a JPEG of inks", jpeg(pattern(4, 40, 24), "cmyk"), [40, 24]],
  ] as const)("%s", async (_, image, [width, height]) => {
    expectChange(
      page("", "0 1 0 rg 0 0 300 200 re f"),
      (await add(page("", "0 1 0 rg 0 0 300 200 re f"), at(51, 17), image)).made,
      [51, 17, 51 + width, 17 + height],
    );
  });

  test.each([
    [{ width: 60 }, [60, 40]],
    [{ height: 60 }, [90, 60]],
    [{ width: 10, height: 80 }, [10, 80]],
  ])("unless %o", async (more, [width, height]) => {
    const { made } = await add(page(""), { imageObjects: [place(1, 9, 90, more)] });
    expectChange(page(""), made, [9, 90, 9 + width!, 90 + height!]);
  });
});

describe("the first picture", () => {
  const two = [[...RED], [0, 0, 255]].map((color) => flat(30, 20, ...color));
  const files = two.map(
    ({ values }) =>
      spawnSync("ppmtogif", { input: Buffer.concat([Buffer.from("P6 30 20 255\n"), Buffer.from(values)]) }).stdout,
  );
  test.each([
    ["TIFF", tiff(two.map((picture) => plainTiff(picture, 2)))],
    ["animated GIF", Buffer.concat([files[0]!.subarray(0, -1), files[1]!.subarray(13)])],
  ])("of a %s is added", async (_, image) => {
    const { made } = await add(page(""), at(200, 150), image);
    expectChange(page(""), made, [200, 150, 230, 170]);
    expect([...drawn(made, 1).mupdf.samples].slice(3 * (2 * 40 * 600 + 2 * 210)).slice(0, 3)).toEqual(RED);
  });
});

test("an image is one object, however many pages show it, and each place has its image", async () => {
  const pdf = await labeledPdf("P", 1000);
  const imageObjects = [place("1-last", 5, 5), place("even", 90, 5, { image_index: 1 }), place(3, 60, 5)];
  const { made } = await add(pdf, { imageObjects }, MARK, jpeg(pattern(3), "rgb"));
  const text = uncompressed(made);
  expect([text.match(/\/Subtype \/Form/g)?.length, text.match(/\/Subtype \/Image/g)?.length]).toEqual([2, 2]);
  expect(made.length).toBeLessThan(pdf.length + 200_000);
  expect(pageTexts(made)).toEqual(pageTexts(pdf));
  expectChange(pdf, made, [5, 5, 131, 34], 2);
  expectChange(pdf, made, [5, 5, 90, 25], 3);
  expectChange(pdf, made, [5, 5, 35, 25], 999);
});

test("an image is an artifact, or an element with an alternative text", async () => {
  expect(uncompressed((await add(page(""), at(5, 5))).made)).not.toContain("StructElem");
  const imageObjects = [place(1, 5, 5, { tag_alt_text: "A mark" }), place(1, 50, 5, { tag_is_artifact: true })];
  const { made } = await add(page(""), { imageObjects, tagEnabled: true, tagLanguage: "en" });
  const text = uncompressed(made);
  expect(text.match(/\/S \/Figure/g)).toHaveLength(1);
  expect(text).toMatch(/\/Alt \(A mark\)/);
  expect(text).toMatch(/\/Lang \(en\)/);
});

describe("what is impossible is refused before any output", () => {
  const refusal = (params: Params, ...images: Uint8Array[]) =>
    add(page(""), params, ...images).then(
      () => "none",
      (error) => error,
    );

  test.each([
    [
      { imageObjects: [place(1, 0, 0, { tag_is_artifact: true })] },
      { parameter: "imageObjects.0.tag_is_artifact", value: "true", why: "It requires tag_enabled." },
    ],
    [at(0, 0, "4"), { parameter: "page", value: "4", why: "The document has 1 page." }],
    [
      { imageObjects: [place(1, 0, 0), place("1,3-last", 0, 0)] },
      { parameter: "imageObjects.1.page", value: "1,3-last" },
    ],
    [
      { imageObjects: [place(1, 0, 0, { image_index: 1 })] },
      { parameter: "imageObjects.0.image_index", value: "1", why: "There is 1 image, from 0." },
    ],
  ])("%o", async (params: Params, error) => expect(await refusal(params)).toMatchObject(error));

  test("more images than anybody needs", async () => {
    const many = add(await labeledPdf("P", 1000), {
      imageObjects: Array.from({ length: 101 }, () => place("all", 0, 0)),
    });
    await expect(many).rejects.toMatchObject({ why: "A request adds at most 100000 images." });
  });

  const bomb = png(flat(1, 1, 0), { colorType: 0, bits: 8 });
  bomb.writeUInt32BE(300_000, 16);
  bomb.writeUInt32BE(300_000, 20);
  test.each([
    ["nothing", Buffer.alloc(0)],
    ["a PDF", page("")],
    ["SVG", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")],
    ["half a JPEG header", jpeg(pattern(3), "rgb").subarray(0, 100)],
    ["a PNG without rows", MARK.subarray(0, 45)],
    ["a PNG that claims to be huge", bomb],
    ["a GIF without an image", Buffer.from("GIF89a\x01\0\x01\0\0\0\0;")],
    ["a picture larger than a page", png(flat(14_401, 1, 0), { colorType: 0, bits: 8 })],
  ])("an image that is %s", async (_, image) => {
    expect(await refusal(at(0, 0), image)).toMatchObject({ reason: "unreadable-image" });
  });

  test("a picture larger than a page, although a width is sent", async () => {
    const image = png(flat(14_401, 1, 0), { colorType: 0, bits: 8 });
    const params = { imageObjects: [place(1, 0, 0, { width: 100 })] };
    const why = "An image of 14401 x 1 points is larger than any page.";
    expect(await refusal(params, image)).toMatchObject({ reason: "unreadable-image", why });
  });

  test("a document that needs a password", async () => {
    const locked = add(encrypted(await labeledPdf("P", 1), "user", "owner"), at(0, 0));
    await expect(locked).rejects.toMatchObject({ reason: "password-protected" });
  });
});

test("declarations that may be false, and signatures, are removed with a notice", async () => {
  const claiming = pdfOf(
    [
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 90 90]>>",
      "<</Type/Page/Parent 2 0 R>>",
      "<</GTS_PDFXVersion(PDF/X-1:2001)>>",
    ],
    "/Info 4 0 R",
  );
  const codes = async (pdf: Uint8Array) => (await add(pdf, at(0, 0))).notices.map(({ code }) => code);
  expect(await codes(claiming)).toEqual(["claims-removed"]);
  expect(await codes(signedPdf())).toEqual(["signatures-removed"]);
});

test("a truncated JPEG shows what it has", async () => {
  const image = jpeg(pattern(3, 160, 120), "rgb");
  const { made } = await add(page(""), at(51, 17), image.subarray(0, image.length / 2));
  expect(changed(drawn(page(""), 1).mupdf, drawn(made, 1).mupdf)!.slice(0, 1)).toEqual([51]);
});

test.each(HOSTILE_PDFS.map(({ name, bytes }) => [name, bytes] as const))("%s", async (_, bytes) => {
  const reason = await reasonOf(() => add(bytes(), at(0, 0)));
  expect(["none", "damaged", "too-large", "too-complex", "unsupported"]).toContain(reason);
});
