// Tests the keys of a profile one by one. Other programs check their effect on a file.
import { describe, expect, test } from "vitest";
import { type CompressionProfile, compressionProfile } from "../../../../src/document/compression/profile.ts";
import { stepOf } from "../../../../src/document/contract/operation.ts";
import { compressionSteps } from "../../../../src/operations/compression-steps.ts";
import { CONTAINER_OPERATIONS } from "../../../../src/operations/index.ts";
import { runSteps } from "../../../../src/operations/steps.ts";
import { imageObject, onePage, rawPdf, samples } from "../../../fixtures/image-pdfs.ts";
import { PdfBuilder, plainPdf } from "../../../fixtures/pdf-builder.ts";
import { bytesOf, CONTEXT, inputOf } from "../../../support/operations.ts";
import { PdfJson } from "../../../support/pdf-json.ts";
import { linearizationOf, pageTexts, qpdfComplaints, uncompressed } from "../../../support/pdf-readers.ts";
import { perceptualDistance, popplerPage } from "../../../support/pictures.ts";

/** Runs the steps of a profile with the container's code. */
async function custom(pdf: Uint8Array, profile: CompressionProfile, context = CONTEXT): Promise<Uint8Array> {
  const codeOf = (name: string) => CONTAINER_OPERATIONS.find((operation) => operation.name === name)!;
  const [first, ...others] = compressionSteps({ level: "custom", profile }).map(({ operation, params }) =>
    stepOf(codeOf(operation.name), params),
  );
  const { value } = await runSteps([first!, ...others], [inputOf(pdf)], context).next();
  return bytesOf(value);
}
const imageOf = (pdf: Uint8Array) =>
  new PdfJson(pdf).dictionaries.find((dictionary) => dictionary["/Subtype"] === "/Image");
const LARGER = { general: { "write-output-even-if-increase-in-size": true } } as const;

describe("bits", () => {
  const bytes = samples(120, 120, 3, 16, (x, y, channel) => ((x * 3 + y * 5 + channel * 40) % 211) / 211);
  const pdf = rawPdf({ image: imageObject(120, 120, "/ColorSpace/DeviceRGB/BitsPerComponent 16", bytes) }, [onePage()]);

  test("down-convert-16-to-8-bpc-images alone", async () => {
    const made = await custom(pdf, { images: { "down-convert-16-to-8-bpc-images": true } });
    expect(imageOf(made)["/BitsPerComponent"]).toBe(8);
    expect([imageOf(made)["/Width"], imageOf(made)["/Filter"]]).toEqual([120, "/FlateDecode"]);
    expect(perceptualDistance(await popplerPage(pdf, 1, 72), await popplerPage(made, 1, 72))).toBeLessThan(1);
  });

  test("without it they stay 16", async () => {
    const made = await custom(pdf, { cleanup: { compression: "compress-entire-file" } });
    expect(imageOf(made)["/BitsPerComponent"]).toBe(16);
  });
});

describe("fax codes", () => {
  const [width, height] = [333, 250];
  /**
   * Discs of random sizes at random positions, and rows of one color, so that no pattern compresses well with Flate.
   */
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const discs = Array.from({ length: 300 }, () => ({
    x: random() * width,
    y: random() * height,
    radius: 1 + random() * 6,
  }));
  const isBlack = (x: number, y: number) =>
    (y > 50 && y < 54) || discs.some((disc) => Math.hypot(x - disc.x, y - disc.y) < disc.radius);
  const bytes = samples(width, height, 1, 1, (x, y) => (isBlack(x, y) ? 0 : 1));

  test.each([
    ["ccittg4", "/ColorSpace/DeviceGray"],
    ["ccittg3", "/ImageMask true"],
    ["ccittg4", "/ColorSpace/DeviceGray/Decode[1 0]"],
  ] as const)("%s, %s", async (type, entries) => {
    const pdf = rawPdf({ image: imageObject(width, height, `/BitsPerComponent 1${entries}`, bytes) }, [onePage()]);
    const profile = { images: { monochrome: { recompress: { type } } }, ...LARGER };
    // Converts to JBIG2 first, because the requested encoding must replace JBIG2 as well.
    const jbig2 = await custom(pdf, { images: { monochrome: { recompress: { type: "jbig2" } } }, ...LARGER });
    expect(imageOf(jbig2)["/Filter"]).toBe("/JBIG2Decode");
    const made = await custom(jbig2, profile);
    expect(imageOf(made)).toMatchObject({ "/Filter": "/CCITTFaxDecode", "/DecodeParms": { "/K": -1 } });
    expect(qpdfComplaints(made)).toBe("");
    expect(perceptualDistance(await popplerPage(pdf, 1, 144), await popplerPage(made, 1, 144), 1)).toBe(0);
  });
});

describe("discard-hidden-layer-content", () => {
  function layered(): Uint8Array {
    const builder = new PdfBuilder();
    const [shown, hidden] = ["Shown", "Hidden"].map((name) => builder.add(`<</Type/OCG/Name(${name})>>`));
    const either = builder.add(`<</Type/OCMD/OCGs[${shown} ${hidden}]/P/AnyOn>>`);
    const neither = builder.add(`<</Type/OCMD/OCGs[${shown} ${hidden}]/P/AllOn>>`);
    const form = (text: string, entries: string) =>
      builder.stream(
        `BT /F 9 Tf 10 10 Td (${text}) Tj ET`,
        `/Type/XObject/Subtype/Form/BBox[0 0 300 200]/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>${entries}`,
      );
    const note = builder.add(
      `<</Type/Annot/Subtype/FreeText/Rect[9 9 90 90]/DA(/Helv 9 Tf)/Contents(NOTE)/OC ${hidden}>>`,
    );
    const link = builder.add("<</Type/Annot/Subtype/Link/Rect[9 9 90 90]/Dest[0/Fit]>>");
    const show = (name: string, text: string, y: number) =>
      `/OC/${name} BDC BT /F 12 Tf 30 ${y} Td (${text}) Tj ET ${y} 0 9 9 re f EMC`;
    builder.page(
      `${show("A", "Alpha", 20)} ${show("B", "Beta", 40)} ${show("C", "Gamma", 60)} ${show("D", "Delta", 80)} /X Do /Y Do`,
      `/Annots[${note} ${link}]`,
      `/Properties<</A ${shown}/B ${hidden}/C ${either}/D ${neither}>>/XObject<</X ${form("Xi", `/OC ${hidden}`)}/Y ${form("Psi", `/OC ${shown}`)}>>`,
    );
    builder.catalog = `/OCProperties<</OCGs[${shown} ${hidden}]/D<</Order[${shown} ${hidden}]/OFF[${hidden}]>>>>`;
    return builder.bytes();
  }

  test("what is hidden goes, what is shown keeps its layer", async () => {
    const pdf = layered();
    const made = await custom(pdf, { userdata: { "discard-hidden-layer-content": true }, ...LARGER });
    const text = uncompressed(made);
    for (const gone of ["Beta", "Delta", "(Xi)", "NOTE"]) expect(text).not.toContain(gone);
    for (const kept of ["Alpha", "Gamma", "(Psi)", "/Link", "/OC/A BDC", "/OCProperties"]) expect(text).toContain(kept);
    expect(qpdfComplaints(made)).toBe("");
    expect(perceptualDistance(await popplerPage(pdf, 1, 72), await popplerPage(made, 1, 72), 1)).toBe(0);
  });

  test("text that is hidden in the middle of a line goes, and the rest does not move", async () => {
    const builder = new PdfBuilder();
    const hidden = builder.add("<</Type/OCG/Name(Hidden)>>");
    const line = "/OC/B BDC (Beta) Tj EMC (Gamma) Tj /OC/B BDC (Delta) Tj EMC 0 -20 Td (Psi) Tj";
    builder.page(`BT /F 12 Tf 30 80 Td (Alpha) Tj ${line} ET`, "", `/Properties<</B ${hidden}>>`);
    builder.catalog = `/OCProperties<</OCGs[${hidden}]/D<</OFF[${hidden}]>>>>`;
    const pdf = builder.bytes();
    const made = await custom(pdf, { userdata: { "discard-hidden-layer-content": true }, ...LARGER });
    const text = uncompressed(made);
    expect(["Alpha", "Beta", "Gamma", "Delta", "Psi"].filter((word) => !text.includes(word))).toEqual([
      "Beta",
      "Delta",
    ]);
    expect(perceptualDistance(await popplerPage(pdf, 1, 72), await popplerPage(made, 1, 72), 1)).toBe(0);
  });

  test("content that BMC marks belongs to no layer (ISO 32000-1, table 320)", async () => {
    const builder = new PdfBuilder();
    const hidden = builder.add("<</Type/OCG/Name(Hidden)>>");
    builder.page("/OC/B BMC BT /F 12 Tf 30 80 Td (Beta) Tj ET EMC", "", `/Properties<</B ${hidden}>>`);
    builder.catalog = `/OCProperties<</OCGs[${hidden}]/D<</OFF[${hidden}]>>>>`;
    const userdata = { "discard-hidden-layer-content": true };
    expect(uncompressed(await custom(builder.bytes(), { userdata, ...LARGER }))).toContain("Beta");
  });

  test("without the key all of it stays", async () => {
    const text = uncompressed(await custom(layered(), LARGER));
    for (const kept of ["Beta", "Delta", "(Xi)", "NOTE"]) expect(text).toContain(kept);
  });
});

test("transparency.quality: flattened first, in the container", async () => {
  const builder = new PdfBuilder();
  builder.page(
    "1 0 0 rg 20 20 90 90 re f /H gs 0 0 1 rg 60 60 90 90 re f BT /F 24 Tf 30 150 Td (Hello) Tj ET",
    "",
    "/ExtGState<</H<</ca .5>>>>",
  );
  const pdf = builder.bytes();
  const profile = { transparency: { quality: "low-quality" } } as const;
  const made = await custom(pdf, profile, { ...CONTEXT, heapLimitBytes: 1024 * 2 ** 20 });
  expect(uncompressed(made)).not.toMatch(/\/ca 0?\.5/);
  expect(pageTexts(made)[0]).toContain("Hello");
  expect(perceptualDistance(await popplerPage(pdf, 1, 72), await popplerPage(made, 1, 72))).toBeLessThan(4);
});

test("optimize-for-fast-web-view", async () => {
  const pdf = plainPdf("a", "b");
  const profile = { cleanup: { compression: "compress-entire-file", "optimize-for-fast-web-view": true } } as const;
  expect(linearizationOf(await custom(pdf, profile))).toBe("no linearization errors");
});

describe("values out of range", () => {
  test.each<[unknown, string]>([
    [{ "color-conversion": { "convert-intent": "perceptual" } }, "color-conversion.convert-intent"],
    [{ "color-conversion": { "convert-profile": "sRGB" } }, "color-conversion.convert-profile"],
    [{ "color-conversion": { "color-convert-action": "" } }, "color-conversion.color-convert-action"],
    [{ "color-conversion": { enabled: 1 } }, "color-conversion.enabled"],
    [{ "pdfa-conversion": { type: "4" } }, "pdfa-conversion.type"],
    [
      { "pdfa-conversion": { "rasterize-if-errors-encountered": "yes" } },
      "pdfa-conversion.rasterize-if-errors-encountered",
    ],
    [{ transparency: { quality: "high" } }, "transparency.quality"],
    [{ images: { monochrome: { recompress: { type: "ccitt" } } } }, "images.monochrome.recompress.type"],
    [{ images: { color: { recompress: { type: "jpeg", quality: "best" } } } }, "images.color.recompress.quality"],
    [{ general: { "preserve-version": null } }, "general.preserve-version"],
    [{ cleanup: [] }, "cleanup"],
  ])("%o", (profile, path) => {
    const { error } = compressionProfile.safeParse(profile);
    expect(error?.issues[0]?.path.join(".")).toBe(path);
  });
});
