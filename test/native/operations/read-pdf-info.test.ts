// Compares our answers about PDFs with those of poppler and qpdf.
// Contract: docs/api.md#pdf-info
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/document/contract/limits.ts";
import type { ImageFact } from "../../../src/document/facts/shown-images.ts";
import { readPdfInfo } from "../../../src/operations/read-pdf-info.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { encrypted, scanPdf, textPdf, withoutXref } from "../../fixtures/pdfs.ts";
import { corpusDir, corpusFile } from "../../support/corpus.ts";
import { HOSTILE_PDFS, pdfOf, stream } from "../../support/hostile-pdfs.ts";
import { outputsOf, reasonOf } from "../../support/operations.ts";
import { infoOf, uncompressed, withFile } from "../../support/pdf-readers.ts";

type Answers = Readonly<Record<string, unknown>>;
type Query = Parameters<typeof readPdfInfo.run>[1]["queries"][number];

async function ask(pdf: Uint8Array, ...queries: Query[]): Promise<Answers> {
  const [answer] = await outputsOf(readPdfInfo, [pdf], { queries: queries.length > 0 ? queries : ["all"] });
  return JSON.parse(new TextDecoder().decode(answer));
}

const said = (pdf: Uint8Array, command: string, ...options: string[]) =>
  withFile(pdf, (path) => spawnSync(command, [...options, path], { encoding: "utf8" }).stdout);

/** Reads a date of `pdfinfo -rawdates`. */
const dateOf = (text = "") => text.replace(/^D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d).*$/, "$1-$2-$3T$4:$5:$6");

/** Returns the same answers from poppler and qpdf. */
function answersOfOthers(pdf: Uint8Array): Answers {
  const info = infoOf(pdf);
  const dates = said(pdf, "pdfinfo", "-rawdates");
  // Poppler does not read XMP.
  const missing = info["Metadata Stream"] === "yes" ? expect.any(String) : "";
  const raw = (name: string) => dateOf(new RegExp(`^${name}: +(.*)$`, "m").exec(dates)?.[1]) || missing;
  const fonts = [...said(pdf, "pdffonts").matchAll(/ (yes|no) +(?:yes|no) +(?:yes|no) +(?:\d+ +\d+|\[none\])$/gm)].map(
    ([, is]) => is,
  );
  const [, media, crop] = /MediaBox: +(.*)\n.*CropBox: +(.*)/.exec(said(pdf, "pdfinfo", "-box")) ?? [];
  const permissions = said(pdf, "qpdf", "--show-encryption");
  return {
    ...{ title: info.Title || missing, author: info.Author || missing, subject: info.Subject || missing },
    ...{ creator: info.Creator || missing, keywords: info.Keywords || missing, producer: info.Producer || missing },
    ...{ creation_date: raw("CreationDate"), modified_date: raw("ModDate") },
    ...{ page_count: Number(info.Pages), tagged: info.Tagged === "yes", contains_xfa: /XFA/.test(info.Form!) },
    ...{ contains_javascript: info.JavaScript === "yes", hasCustom: info["Custom Metadata"] === "yes" },
    ...{ uses_embedded_fonts: fonts.includes("yes"), uses_nonembedded_fonts: fonts.includes("no") },
    contains_signature: /Signature #\d[\s\S]*?Signature Type/.test(said(pdf, "pdfsig", "-nocert")),
    contains_embedded_file: !said(pdf, "pdfdetach", "-list").startsWith("0 "),
    restrict_permissions_set: / not allowed/.test(permissions),
    boxes: [media, crop].map((box) => box?.trim().split(/ +/).map(Number)),
  };
}

/** Returns our answers in the form of {@link answersOfOthers}. */
function comparable(answers: Answers): Answers {
  const [{ media, crop }] = answers.page_boxes as [{ media: number[]; crop: number[] }];
  const given = [media, crop].map((box) => box.map((side) => Number(side.toFixed(2))));
  return { ...answers, hasCustom: answers.custom_metadata !== null, boxes: given };
}

const ONE_PAGE = ["<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 99 99]>>", "<</Type/Page/Parent 2 0 R>>"];

/** The words of pdfimages for filters and color spaces. */
const FILTERS: Readonly<Record<string, string>> = {
  ...{ DCTDecode: "jpeg", JPXDecode: "jpx", JBIG2Decode: "jbig2", CCITTFaxDecode: "ccitt", FlateDecode: "image" },
};
const SPACES: Readonly<Record<string, readonly string[]>> = {
  ...{ DeviceGray: ["gray"], CalGray: ["gray"], DeviceRGB: ["rgb"], CalRGB: ["rgb"], DeviceCMYK: ["cmyk"] },
  ...{ ICCBased: ["icc"], Indexed: ["index"], Separation: ["sep"], DeviceN: ["devn"], "": ["-", "rgb", "gray"] },
};

/** Returns the images that pdfimages lists, each once per page, in the resolution of its largest use. */
function imagesOfPoppler(pdf: Uint8Array): ImageFact[] {
  const found = new Map<string, ImageFact>();
  for (const row of said(pdf, "pdfimages", "-list").split("\n").slice(2).filter(Boolean)) {
    const [page, , kind, width, height, color_space, , bits, filter, , object, , x, y] = row.trim().split(/ +/);
    const type = kind === "smask" ? "soft-mask" : (kind as ImageFact["type"]);
    const fact = { page: Number(page), type, width: Number(width), height: Number(height), bits: Number(bits) };
    const made = {
      ...fact,
      filter: filter!,
      color_space: color_space!,
      x_resolution: Number(x),
      y_resolution: Number(y),
    };
    const key = `${page} ${type} ${object === "[inline]" ? found.size : object}`;
    if (made.x_resolution < (found.get(key)?.x_resolution ?? Infinity)) found.set(key, made);
  }
  return [...found.values()];
}

/** Documents that no program opens, a document that needs a password, and one with a damaged page tree. */
const LEFT_OUT = new Set(["637.pdf", "actually_an_rtf.pdf", "enc-XI-R6-V5-U-view-O-master.pdf", "crash-121-2.pdf"]);
const names = corpusDir ? readdirSync(join(corpusDir, "pdf")).filter((name) => !LEFT_OUT.has(name)) : [];

describe.skipIf(!corpusDir)("real documents have the answers of poppler and qpdf", () => {
  test.each(names)("%s", async (name) => {
    const pdf = corpusFile(`pdf/${name}`)!;
    expect(comparable(await ask(pdf))).toMatchObject(answersOfOthers(pdf));
  });

  test.each(names)("%s has the fonts, sizes and attachments of poppler", async (name) => {
    const pdf = corpusFile(`pdf/${name}`)!;
    const { fonts, page_sizes, attachments } = await ask(pdf, "fonts", "page_sizes", "attachments");
    const rows = said(pdf, "pdffonts").split("\n").slice(2).filter(Boolean);
    const given = rows.map((row) => / (yes|no) +(yes|no) +(?:yes|no) +(?:\d+ +\d+|\[none\])$/.exec(row)!.slice(1));
    const made = (fonts as { embedded: boolean; subset: boolean }[]).map(({ embedded, subset }) =>
      [embedded, subset].map((is) => (is ? "yes" : "no")),
    );
    expect(made.map(String).toSorted()).toEqual(given.map(String).toSorted());
    const sizes = [...said(pdf, "pdfinfo", "-l", "-1").matchAll(/^Page +\d+ size: +([\d.]+) x ([\d.]+)/gm)];
    const turns = [...said(pdf, "pdfinfo", "-l", "-1").matchAll(/^Page +\d+ rot: +(\d+)/gm)].map(([, angle]) => angle);
    // Poppler ignores UserUnit, which scales both sides.
    const hasUnits = uncompressed(pdf).includes("/UserUnit");
    for (const [index, { width, height }] of (page_sizes as { width: number; height: number }[]).entries()) {
      const sides = sizes[index]!.slice(1).map(Number);
      const [across, up] = Number(turns[index]) % 180 === 0 ? sides : sides.toReversed();
      expect(width / across!).toBeCloseTo(height / up!, 3);
      if (!hasUnits) expect(width).toBeCloseTo(across!, 1);
    }
    expect((attachments as unknown[]).length).toBe(Number.parseInt(said(pdf, "pdfdetach", "-list"), 10) || 0);
  });

  test.each(names)("%s has the images of poppler", async (name) => {
    const pdf = corpusFile(`pdf/${name}`)!;
    const { images } = (await ask(pdf, "images")) as { images: ImageFact[] };
    const others = imagesOfPoppler(pdf);
    const key = ({ page, type, width, height }: ImageFact) => `${page} ${type} ${width} ${height}`;
    // Poppler omits images in hidden layers.
    const hasLayers = uncompressed(pdf).includes("/OCProperties");
    const seen = hasLayers ? images.filter((image) => others.some((other) => key(other) === key(image))) : images;
    expect(new Set(seen.map(key))).toEqual(new Set(others.map(key)));
    if (!hasLayers) expect(images).toHaveLength(others.length);
    for (const image of seen) {
      const { bits, filter, color_space, x_resolution, y_resolution } = image;
      const same = others.filter((other) => key(other) === key(image));
      expect(same.map((other) => `${other.bits} ${other.filter}`)).toContain(`${bits} ${FILTERS[filter]}`);
      expect(same.some((other) => SPACES[color_space]!.includes(other.color_space))).toBe(true);
      const isNear = (one: number, other: number) => Math.abs(one - other) <= 1 + other / 100;
      const resolutions = same.map((other) => [other.x_resolution, other.y_resolution]);
      expect(
        resolutions.some(([x, y]) => isNear(x_resolution, x!) && isNear(y_resolution, y!)),
        name,
      ).toBe(true);
    }
  });

  test("a document that needs a password has few answers", async () => {
    const pdf = corpusFile("pdf/enc-XI-R6-V5-U-view-O-master.pdf")!;
    expect(await ask(pdf, "requires_password_to_open", "title", "file_size")).toEqual({
      ...{ requires_password_to_open: true, file_size: pdf.length, allQueriesProcessed: false },
      warning: "The document needs a password, without which there are no answers to title.",
    });
    expect(await ask(pdf, "requires_password_to_open")).toMatchObject({ allQueriesProcessed: true });
  });
});

test("an empty text in the Info dictionary is an answer, and an escape sequence of a language is in none", async () => {
  const builder = new PdfBuilder();
  builder.page("a");
  const spaces = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"';
  const packet = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ${spaces}
    pdf:Keywords="k"><dc:creator><rdf:Seq><rdf:li>()</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF>`;
  builder.catalog = `/Metadata ${builder.stream(packet, "/Type/Metadata/Subtype/XML")}`;
  const info = builder.add("<</Author()/Title<FEFF001B0065006E001B0041001B00640065002D00430048001B0042>>>");
  const answers = await ask(builder.bytes(`/Info ${info}`), "author", "title", "keywords");
  expect(answers).toMatchObject({ author: "", title: "AB", keywords: "k" });
});

test("answers that do not fit are left out", async () => {
  const pages = 20_000;
  const kids = Array.from({ length: pages }, () => "3 0 R").join(" ");
  const tree = `<</Type/Pages/Kids[${kids}]/Count ${pages}/MediaBox[0.123 0.123 1999.123 2999.123]>>`;
  const pdf = pdfOf(["<</Type/Catalog/Pages 2 0 R>>", tree, "<</Type/Page/Parent 2 0 R>>"]);
  const answers = await ask(pdf, "page_count", "page_boxes", "page_sizes");
  expect(answers).toEqual({
    ...{ page_count: pages, page_sizes: expect.any(Array), allQueriesProcessed: false },
    warning: "The response has no space for the answers to page_boxes.",
  });
  expect(JSON.stringify(answers).length).toBeLessThanOrEqual(LIMITS.dataBytes);
});

test("a question alone has one answer", async () => {
  expect(await ask(await textPdf(3), "page_count")).toEqual({ page_count: 3, allQueriesProcessed: true });
});

test("each permission that is withheld is a restriction, and an owner password alone is none", async () => {
  const pdf = await textPdf(1);
  expect(await ask(encrypted(pdf, "", "owner"), "restrict_permissions_set", "requires_password_to_open")).toMatchObject(
    {
      ...{ restrict_permissions_set: false, requires_password_to_open: false },
    },
  );
  for (const withheld of ["--print=low", "--modify=form", "--extract=n", "--accessibility=n", "--assemble=n"]) {
    const restricted = withFile(pdf, (path) =>
      execFileSync("qpdf", ["--allow-weak-crypto", "--encrypt", "", "owner", "128", withheld, "--", path, "-"]),
    );
    const isIgnored = withheld === "--accessibility=n";
    expect(await ask(restricted, "restrict_permissions_set"), withheld).toMatchObject({
      restrict_permissions_set: !isIgnored || / not allowed/.test(said(restricted, "qpdf", "--show-encryption")),
    });
  }
});

test("scans are images only, with text they are not", async () => {
  expect(await ask(await scanPdf(), "image_only")).toMatchObject({ image_only: true });
  expect(await ask(await textPdf(1), "image_only")).toMatchObject({ image_only: false });
});

test("scripts are found wherever an action may be", async () => {
  const script = "<</S/JavaScript/JS(app.alert\\(1\\))>>";
  const page = (entries: string) => `<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]${entries}>>`;
  const pdf = (catalog: string, entries: string) =>
    pdfOf([`<</Type/Catalog/Pages 2 0 R${catalog}>>`, "<</Type/Pages/Kids[3 0 R]/Count 1>>", page(entries)]);
  const link = `/Annots[<</Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(a:b)/Next[${script}]>>>>]`;
  for (const [catalog, entries] of [
    [`/OpenAction ${script}`, ""],
    [`/Names<</JavaScript<</Names[(a)${script}]>>>>`, ""],
    ["", `/AA<</O${script}>>`],
    ["", link],
  ] as const) {
    expect(await ask(pdf(catalog, entries), "contains_javascript")).toMatchObject({ contains_javascript: true });
  }
  expect(await ask(pdf("/OpenAction[3 0 R/Fit]", ""), "contains_javascript")).toMatchObject({
    contains_javascript: false,
  });
});

test("standards that the metadata declare", async () => {
  const claims = ["pdfuaid:part='1'", "pdfxid:GTS_PDFXVersion='PDF/X-4'", "pdfvtid:GTS_PDFVTVersion='PDF/VT-1'"];
  const spaces = [
    ["pdfuaid", "http://www.aiim.org/pdfua/ns/id/"],
    ["pdfxid", "http://www.npes.org/pdfx/ns/id/"],
    ["pdfvtid", "http://www.npes.org/pdfvt/ns/id/"],
  ].map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`);
  const builder = new PdfBuilder();
  builder.page("a");
  const packet = `<rdf:RDF><rdf:Description ${spaces.join(" ")} ${claims.join(" ")}/></rdf:RDF>`;
  builder.catalog = `/Metadata ${builder.stream(packet, "/Type/Metadata/Subtype/XML")}`;
  expect(await ask(builder.bytes(), "pdfua_claim", "pdfx_claim", "pdfvt_claim", "pdfe_claim")).toMatchObject({
    ...{ pdfua_claim: true, pdfx_claim: true, pdfvt_claim: true, pdfe_claim: false },
  });
});

describe("metadata", () => {
  const ALL = [
    ...(["title", "author", "subject", "keywords", "creator", "producer", "creation_date", "modified_date"] as const),
  ];
  const document = (info: string, xmp = "") => {
    const builder = new PdfBuilder();
    builder.page("a");
    const spaces = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"';
    const packet = `<rdf:RDF><rdf:Description ${spaces} xmlns:xmp="http://ns.adobe.com/xap/1.0/">${xmp}</rdf:Description>`;
    builder.catalog = `/Metadata ${builder.stream(packet, "/Type/Metadata/Subtype/XML")}`;
    return builder.bytes(`/Info ${builder.add(`<<${info}>>`)}`);
  };
  const XMP =
    "<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>T</rdf:li></rdf:Alt></dc:title><dc:description>S</dc:description>" +
    "<dc:creator><rdf:Seq><rdf:li>A</rdf:li><rdf:li>B</rdf:li></rdf:Seq></dc:creator><pdf:Keywords>K</pdf:Keywords>" +
    "<xmp:CreatorTool>C</xmp:CreatorTool><pdf:Producer>P</pdf:Producer>" +
    "<xmp:CreateDate>2025-10-21T15:09:24.5+02:00</xmp:CreateDate><xmp:ModifyDate>2025-10</xmp:ModifyDate>";

  test("are those of XMP if the Info dictionary lacks them", async () => {
    expect(await ask(document("", XMP), ...ALL)).toMatchObject({
      ...{ title: "T", author: "A; B", subject: "S", keywords: "K", creator: "C", producer: "P" },
      ...{ creation_date: "2025-10-21T15:09:24", modified_date: "2025-10-01T00:00:00" },
    });
    expect(await ask(document("/Title(Own)/CreationDate(D:2020)", XMP), "title", "creation_date")).toMatchObject({
      ...{ title: "Own", creation_date: "2020-01-01T00:00:00" },
    });
  });

  test("are text in each form that programs write", async () => {
    const date = Buffer.from("\ufeffD:20220426162211", "utf16le").swap16().toString("hex");
    const utf8 = [...Buffer.from("日本")].map((byte) => `#${byte.toString(16)}`).join("");
    const pdf = document(
      `/CreationDate<${date}>/Copies 0/Sizes[1 841.89]/${utf8}(value)/Gr#f6#dfe/Name/__proto__(own)/Odd<FEFFD800>`,
    );
    const { creation_date, custom_metadata } = await ask(pdf, "creation_date", "custom_metadata");
    expect(creation_date).toBe("2022-04-26T16:22:11");
    expect(Object.entries(custom_metadata!)).toEqual([
      ["Copies", "0"],
      ["Sizes", "1, 841.89"],
      ["日本", "value"],
      ["Größe", "Name"],
      ["__proto__", "own"],
      ["Odd", "\ufffd"],
    ]);
  });
});

test("the later version of header and catalog counts", async () => {
  const pdf = (version: string) => pdfOf([`<</Type/Catalog/Pages 2 0 R/Version/${version}>>`, ...ONE_PAGE]);
  expect(await ask(pdf("1.4"), "pdf_version")).toMatchObject({ pdf_version: "1.7.0" });
  expect(await ask(pdf("2.0"), "pdf_version")).toMatchObject({ pdf_version: "2.0.0" });
});

test("boxes are reduced to the media box, as poppler reads them", async () => {
  const boxes = "/MediaBox[0 0 90 80]/CropBox[-9 10 99 70]/BleedBox[0 0 400 400]/TrimBox[500 500 600 600]";
  const pdf = pdfOf(["<</Type/Catalog/Pages 2 0 R>>", ONE_PAGE[0]!, `<</Type/Page/Parent 2 0 R${boxes}>>`]);
  const [page] = (await ask(pdf, "page_boxes")).page_boxes as [object];
  const [media, crop] = [
    [0, 0, 90, 80],
    [0, 10, 90, 70],
  ];
  expect(page).toEqual({ page: 1, media, crop, bleed: media, trim: crop, art: crop });
  expect(said(pdf, "pdfinfo", "-box")).toMatch(
    /CropBox: +0.00 +10.00 +90.00 +70.00\nBleedBox: +0.00 +0.00 +90.00 +80.00/,
  );
});

test("widgets without a form are no form", async () => {
  const widget = "<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/Rect[0 0 9 9]>>";
  const pdf = (form: string) =>
    pdfOf([`<</Type/Catalog/Pages 2 0 R${form}>>`, ONE_PAGE[0]!, `<</Type/Page/Parent 2 0 R/Annots[4 0 R]>>`, widget]);
  expect(await ask(pdf(""), "contains_acroforms")).toMatchObject({ contains_acroforms: false });
  expect(await ask(pdf("/AcroForm<</Fields[]>>"), "contains_acroforms")).toMatchObject({ contains_acroforms: true });
});

test("an image is transparent if it has a soft mask", async () => {
  const image = "/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray";
  const pdf = (mask: string) =>
    pdfOf([
      ...[
        "<</Type/Catalog/Pages 2 0 R>>",
        ONE_PAGE[0]!,
        "<</Type/Page/Parent 2 0 R/Resources<</XObject<</I 4 0 R>>>>>>",
      ],
      ...[stream("a", `${image}/SMask ${mask}`), stream("b", image)],
    ]);
  expect(await ask(pdf("5 0 R"), "contains_transparency")).toMatchObject({ contains_transparency: true });
  for (const none of ["/None", "null", "6 0 R"])
    expect(await ask(pdf(none), "contains_transparency")).toMatchObject({ contains_transparency: false });
});

test("each of 3,000 images on a page is listed", async () => {
  const image = "q 9 0 0 9 0 0 cm BI/W 1/H 1/BPC 8/CS/G ID a EI Q ";
  const page = "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>";
  const pdf = pdfOf(["<</Type/Catalog/Pages 2 0 R>>", ONE_PAGE[0]!, page, stream(image.repeat(3000))]);
  expect((await ask(pdf, "images")).images).toHaveLength(3000);
});

test("a content stream is read once, however often a page has it", async () => {
  const contents = `<</Type/Page/Parent 2 0 R/Contents[${"4 0 R ".repeat(100_000)}]>>`;
  const pdf = pdfOf(["<</Type/Catalog/Pages 2 0 R>>", ONE_PAGE[0]!, contents, stream(`${" ".repeat(10 ** 6)}q Q`)]);
  expect(await ask(pdf, "image_only")).toMatchObject({ image_only: false });
});

test("a damaged document is repaired first", async () => {
  expect(await ask(withoutXref(await textPdf(4)), "page_count")).toMatchObject({ page_count: 4 });
});

describe("hostile documents are answered or refused", () => {
  test.each(HOSTILE_PDFS.map((one) => [one.name, one] as const))("%s", async (_, { bytes }) => {
    const reason = await reasonOf(async () => ask(await bytes()));
    expect(["none", "damaged", "too-large", "too-complex"]).toContain(reason);
  });
});
