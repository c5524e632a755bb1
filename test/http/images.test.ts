// Tests the common behavior of POST /bmp, /jpg, /png, /gif and /tif (spec, "Image endpoints").
// Contract: docs/api.md#image-endpoints, #page-selections, #output-names, #responses, #bmp, #gif, #jpg, #png, #tif
import { beforeAll, describe, expect, test } from "vitest";
import { PdfBuilder } from "../fixtures/pdf-builder.ts";
import { quartersPdf, squarePdf, textPdf, turnedPdf, withoutXref } from "../fixtures/pdfs.ts";
import { beginning } from "../support/beginning.ts";
import { keyedClient, privateClient, upload } from "../support/client.ts";
import { decode, perceptualDistance, pixel, popplerPage } from "../support/pictures.ts";

const FORMATS = [
  { format: "bmp", type: "image/bmp", models: ["rgb", "gray"] },
  { format: "jpg", type: "image/jpeg", models: ["rgb", "cmyk", "gray"] },
  { format: "png", type: "image/png", models: ["rgb", "rgba", "gray"] },
  { format: "gif", type: "image/gif", models: ["rgb", "gray"] },
  { format: "tif", type: "image/tiff", models: ["rgb", "rgba", "cmyk", "lab", "gray"] },
] as const;

let threePages: Uint8Array;
let quarters: Uint8Array;
beforeAll(async () => {
  threePages = await textPdf(3);
  quarters = await quartersPdf();
});

describe.each(FORMATS)("POST /$format", ({ format, type, models }) => {
  const path = `/${format}`;
  const reading = format === "png" ? "opaquePng" : format;
  const client = privateClient;
  const make = (fields: Record<string, string>, pdf = threePages) =>
    client().make(path, { file: upload(pdf), output: "page", resolution: "72", ...fields });
  const status = async (fields: Record<string, string>) => {
    const { status, body } = await client().post(path, {
      file: upload(threePages),
      output: "page",
      resolution: "24",
      ...fields,
    });
    return [status, body.error];
  };

  test("spec: one file per page, named with the prefix and a number from 1", async () => {
    const files = await make({ output: "my-page" });
    expect(files.map(({ name, type }) => [name, type])).toEqual(
      [1, 2, 3].map((number) => [`my-page_${number}.${format}`, type]),
    );
  });

  test(
    "spec: a page looks as a viewer shows it: a note that is not " + "printed, no stamp that only paper has",
    async () => {
      const builder = new PdfBuilder();
      const look = builder.stream("1 0 0 rg 0 0 90 90 re f", "/Type/XObject/Subtype/Form/BBox[0 0 90 90]");
      const annotation = (type: string, x: number, flags: number) =>
        `<</Subtype/${type}/Rect[${x} 50 ${x + 90} 140]/F ${flags}/AP<</N ${look}>>>>`;
      builder.page(
        "A",
        `/Annots[${annotation("Text", 10, 0)}${annotation("Stamp", 110, 36)}${annotation("Ink", 205, 2)}]`,
      );
      const pdf = builder.bytes();
      const [file] = await make({ color_model: "rgb", resolution: "72" }, pdf);
      const drawn = await decode(file!.bytes, reading);
      expect(perceptualDistance(drawn, await popplerPage(pdf, 1, 72))).toBeLessThan(format === "gif" ? 12 : 10);
      const isRed = (x: number) => pixel(drawn, x, 100)[0]! > 200 && pixel(drawn, x, 100)[1]! < 60;
      expect([isRed(55), isRed(155), isRed(250)]).toEqual([true, false, false]);
    },
  );

  test("spec: one page gives strings, several give arrays", async () => {
    const one = await client().post(path, { file: upload(threePages), output: "a", resolution: "12", pages: "2" });
    expect(one.body.outputUrl).toBe(`${client().url}/resource/${one.body.outputId}?format=file`);
    const several = await client().post(path, { file: upload(threePages), output: "a", resolution: "12" });
    expect(several.body.outputUrl).toEqual(
      (several.body.outputId as string[]).map((id) => `${client().url}/resource/${id}?format=file`),
    );
    expect(several.body.inputId).toMatch(/^1[0-9a-f-]{36}$/);
  });

  test("spec: resolution defaults to 300 dpi", async () => {
    const [file] = await client().make(path, { file: upload(await squarePdf()), output: "page" });
    const picture = await decode(file!.bytes, format);
    expect([picture.width, picture.height]).toEqual([Math.round((200 * 300) / 72), Math.round((100 * 300) / 72)]);
  });

  test.each([
    ["12", [102, 132]],
    ["97", [825, 1067]],
  ])("spec: resolution %s gives a size of points x dpi / 72, rounded", async (resolution, size) => {
    const [file] = await make({ resolution, pages: "1" });
    const picture = await decode(file!.bytes, format);
    expect([picture.width, picture.height]).toEqual(size);
  });

  test.each(["11", "2401", "0", "-72", "72.5", "abc", "1e2", "0x48", "99999999999"])(
    "spec: 400 for the resolution %o",
    async (resolution) => {
      expect(await status({ resolution })).toEqual([
        400,
        `${resolution} is not within the acceptable range for resolution.`,
      ]);
    },
  );

  test.each(models)("spec: color_model %s", async (color_model) => {
    const [file] = await make({ color_model }, quarters);
    const special: Readonly<Record<string, string>> = { "png rgba": "png", "tif lab": "labTif" };
    const reader = special[`${format} ${color_model}`] ?? reading;
    const picture = await decode(file!.bytes, reader);
    const reference = await popplerPage(quarters, 1, 72, color_model === "gray" ? ["-gray"] : []);
    // Printing inks can reproduce neither the green nor the blue of a screen, so the colors differ considerably.
    expect(perceptualDistance(picture, reference)).toBeLessThan(
      color_model === "cmyk" ? 70 : color_model === "lab" ? 30 : 12,
    );
  });

  test("spec: color_model defaults to rgb", async () => {
    const [[plain], [rgb]] = await Promise.all([make({ pages: "1" }), make({ pages: "1", color_model: "rgb" })]);
    expect(Buffer.compare(plain!.bytes, rgb!.bytes)).toBe(0);
  });

  test.each([
    "RGB",
    "srgb",
    "hsv",
    ...["rgb", "rgba", "cmyk", "lab", "gray"].filter((model) => !(models as readonly string[]).includes(model)),
  ])("spec: 400 for the color_model %o", async (color_model) => {
    expect(await status({ color_model })).toEqual([
      400,
      `${color_model} is not within the acceptable range for color_model.`,
    ]);
  });

  test.each([
    ["3,1", 2],
    ["1-last", 3],
    ["last-1", 3],
    ["last", 1],
    [" 2 , 3 - 1 ", 4],
    ["1,1,1", 3],
  ])("spec: pages %o gives %i files", async (pages, count) => {
    expect(await make({ pages, resolution: "12" })).toHaveLength(count);
  });

  test("spec: pages come in the order of the expression", async () => {
    const [third, first] = await make({ pages: "3,1" });
    const [one, three] = await Promise.all([1, 3].map((page) => popplerPage(threePages, page, 72)));
    const [left, right] = await Promise.all([third!, first!].map(({ bytes }) => decode(bytes, reading)));
    expect(perceptualDistance(left!, three!)).toBeLessThan(6);
    expect(perceptualDistance(right!, one!)).toBeLessThan(6);
    expect(perceptualDistance(left!, one!)).toBeGreaterThan(6);
  });

  test.each(["0", "4", "1-4", "a", "1,,2", "-1", "1-", "even", "odd", "1.5", "all", "1;2"])(
    "spec: 400 for the pages %o",
    async (pages) => {
      expect(await status({ pages })).toEqual([
        400,
        beginning(`${pages} is not within the acceptable range for pages.`),
      ]);
    },
  );

  test("a damaged file that can be repaired is", async () => {
    expect(await make({ resolution: "12" }, withoutXref(threePages))).toHaveLength(3);
  });

  test("crop box, rotation and UserUnit make the picture's size", async () => {
    const turned = await turnedPdf();
    const [file] = await make({}, turned);
    const picture = await decode(file!.bytes, reading);
    expect([picture.width, picture.height]).toEqual([400, 600]);
    // The red rectangle fills the lower left part of the cropped page. After a clockwise rotation, it fills the upper
    // left part.
    expect(pixel(picture, 100, 50)[0]).toBeGreaterThan(200);
    expect(pixel(picture, 100, 50)[2]).toBeLessThan(60);
    expect(pixel(picture, 390, 590).every((sample) => sample > 240)).toBe(true);
  });

  test("works in the keyed variant", async () => {
    const [file] = await keyedClient().make(path, {
      file: upload(threePages),
      output: "a",
      pages: "1",
      resolution: "24",
    });
    expect(file!.type).toBe(type);
  });
});
