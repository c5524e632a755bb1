// Compares the answers about PDFs with those of poppler and qpdf.
// Contract: docs/api.md#pdf-info
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readPdfInfo } from "../../../src/operations/read-pdf-info.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { encrypted, scanPdf, textPdf, withoutXref } from "../../fixtures/pdfs.ts";
import { corpusDir, corpusFile } from "../../support/corpus.ts";
import { HOSTILE_PDFS, pdfOf } from "../../support/hostile-pdfs.ts";
import { outputsOf, reasonOf } from "../../support/operations.ts";
import { infoOf, withFile } from "../../support/pdf-readers.ts";

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

/** Returns the same answers as other programs give them. */
function answersOfOthers(pdf: Uint8Array): Answers {
  const info = infoOf(pdf);
  const dates = said(pdf, "pdfinfo", "-rawdates");
  const raw = (name: string) => dateOf(new RegExp(`^${name}: +(.*)$`, "m").exec(dates)?.[1]);
  const fonts = [...said(pdf, "pdffonts").matchAll(/ (yes|no) +(?:yes|no) +(?:yes|no) +(?:\d+ +\d+|\[none\])$/gm)].map(
    ([, is]) => is,
  );
  const [, media, crop] = /MediaBox: +(.*)\n.*CropBox: +(.*)/.exec(said(pdf, "pdfinfo", "-box")) ?? [];
  const permissions = said(pdf, "qpdf", "--show-encryption");
  return {
    ...{ title: info.Title ?? "", author: info.Author ?? "", subject: info.Subject ?? "", creator: info.Creator ?? "" },
    ...{ keywords: info.Keywords ?? "", producer: info.Producer ?? "" },
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

/** Documents that no program opens, one that needs a password, and one with a damaged page tree. */
const LEFT_OUT = new Set(["637.pdf", "actually_an_rtf.pdf", "enc-XI-R6-V5-U-view-O-master.pdf", "crash-121-2.pdf"]);
const names = corpusDir ? readdirSync(join(corpusDir, "pdf")).filter((name) => !LEFT_OUT.has(name)) : [];

describe.skipIf(!corpusDir)("real documents have the answers of poppler and qpdf", () => {
  test.each(names)("%s", async (name) => {
    const pdf = corpusFile(`pdf/${name}`)!;
    expect(comparable(await ask(pdf))).toMatchObject(answersOfOthers(pdf));
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

test("a damaged document is repaired first", async () => {
  expect(await ask(withoutXref(await textPdf(4)), "page_count")).toMatchObject({ page_count: 4 });
});

describe("hostile documents are answered or refused", () => {
  test.each(HOSTILE_PDFS.map((one) => [one.name, one] as const))("%s", async (_, { bytes }) => {
    const reason = await reasonOf(async () => ask(await bytes()));
    expect(["none", "damaged", "too-large", "too-complex"]).toContain(reason);
  });
});
