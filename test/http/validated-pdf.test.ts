// Tests POST /validated-pdf.
// Contract: docs/api.md#validated-pdf
import { PDFArray, PDFDict, PDFDocument, PDFName, type PDFString } from "pdf-lib";
import { expect, test } from "vitest";
import { VALIDATED_PROFILES, type ValidationReport } from "../../src/operations/validate-pdf.ts";
import { PdfBuilder } from "../fixtures/pdf-builder.ts";
import { encrypted, textPdf } from "../fixtures/pdfs.ts";
import { type FormFields, privateClient, upload } from "../support/client.ts";

const client = privateClient();
const validate = async (bytes: Uint8Array | string, fields: FormFields = {}) => {
  const { status, body } = await client.post("/validated-pdf", { file: upload(bytes), ...fields });
  return { status, ...(body as unknown as ValidationReport & { error?: string; inputId?: string }) };
};

/**
 * Returns a cropped page that is turned by 90 degrees, with a link, and with a picture that has tags and a box but no
 * alternate text.
 */
function taggedPage(): Uint8Array {
  const builder = new PdfBuilder();
  const [tree, figure] = [builder.reserve(), builder.reserve()];
  const link = builder.add("<</Type/Annot/Subtype/Link/Rect[40 30 100 50]/A<</S/URI/URI(https://example.com/)>>>>");
  const page = builder.page(
    "/Figure <</MCID 0>> BDC 40 60 50 40 re f EMC %()",
    `/Rotate 90/CropBox[20 10 290 180]/StructParents 0/Annots[${link}]`,
  );
  const layout = "/A<</O/Layout/BBox[40 60 90 100]>>";
  builder.set(figure, `<</Type/StructElem/S/Figure/P ${tree}${layout}/K<</Type/MCR/MCID 0/Pg ${page}>>>>`);
  builder.set(tree, `<</Type/StructTreeRoot/K[${figure}]/ParentTree<</Nums[0[${figure}]]>>>>`);
  builder.catalog = `/MarkInfo<</Marked true>>/StructTreeRoot ${tree}`;
  return builder.bytes();
}
/** The boxes of {@link taggedPage} as viewers show them. */
const SHOWN = { link: [20, 190, 40, 250], figure: [50, 200, 90, 250] };

test("a PDF is validated against what it declares, and a conforming one has no marks", async () => {
  const plain = await textPdf(1);
  expect(await validate(plain)).toMatchObject({ status: 200, profile: "PDF/A-2b", claims: [], compliant: false });
  const fields = { file: upload(plain), output: "a", output_type: "PDF/A-3u" };
  const [archive] = await client.make("/pdfa", fields);
  const { status, inputId, ...report } = await validate(archive!.bytes);
  expect(report).toEqual({ profile: "PDF/A-3u", claims: ["PDF/A-3u"], compliant: true, rules: [] });
  expect(inputId).toEqual(expect.any(String));
  const [marked] = await client.make("/validated-pdf", { ...fields, file: upload(archive!.bytes), output_type: "pdf" });
  expect((await PDFDocument.load(marked!.bytes)).getPage(0).node.Annots()?.size() ?? 0).toBe(0);
  expect(await validate(marked!.bytes)).toMatchObject({ claims: ["PDF/A-3u"], compliant: true });
});

test.each([
  ["9", ["PDF/A-9", "PDF/UA-1"]],
  ["9".repeat(100_000), ["PDF/UA-1"]],
])("a PDF that declares no known PDF/A is validated against its PDF/UA", async (part, names) => {
  const builder = new PdfBuilder();
  builder.page("");
  const ids = ["a", "ua"].map((family) => `xmlns:pdf${family}id="http://www.aiim.org/pdf${family}/ns/id/"`).join(" ");
  const rdf = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';
  const claims = `<rdf:Description rdf:about="" ${ids} pdfaid:part="${part}" pdfuaid:part="1"/>`;
  const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${rdf}>${claims}</rdf:RDF></x:xmpmeta>`;
  builder.catalog = `/Metadata ${builder.stream(packet, "/Type/Metadata/Subtype/XML")}`;
  const report = await validate(builder.bytes());
  expect(report).toMatchObject({ status: 200, profile: "PDF/UA-1", claims: names });
});

test("each profile has its own rules", async () => {
  const pdf = await textPdf(1);
  for (const profile of VALIDATED_PROFILES) {
    const { compliant, rules, ...report } = await validate(pdf, { profile });
    expect([report.profile, compliant]).toEqual([profile, false]);
    const [, family, part] = /^PDF\/(U?A)-(\d)/.exec(profile)!;
    const standard = `ISO ${family === "A" ? 19005 : 14289}-${part}:`;
    expect([...new Set(rules.map(({ specification }) => specification.slice(0, standard.length)))]).toEqual([standard]);
    const needsTags = family === "UA" || profile.endsWith("a");
    expect(rules.some(({ description }) => /MarkInfo/.test(description))).toBe(needsTags);
  }
});

test("annotations and tagged elements have boxes, in the report and in the marked PDF", async () => {
  const pdf = taggedPage();
  const { rules } = await validate(pdf, { profile: "PDF/UA-1" });
  const placesOf = (clause: string) => rules.filter((rule) => rule.clause === clause).flatMap(({ places }) => places);
  expect(placesOf("7.18.5")).toContainEqual(expect.objectContaining({ page: 1, box: SHOWN.link }));
  expect(placesOf("7.3")).toContainEqual(expect.objectContaining({ page: 1, box: SHOWN.figure }));
  expect(rules.find(({ clause, test: number }) => clause === "7.3" && number === 1)).toMatchObject({
    description: expect.stringContaining("Figure"),
    count: 1,
  });
  const fields = { file: upload(pdf), profile: "PDF/UA-1", output_type: "pdf", output: "marked" };
  const [marked] = await client.make("/validated-pdf", fields);
  const found = await marksIn(marked!.bytes);
  expect(found.filter(({ type }) => type === "Square").map(({ box }) => box)).toEqual(
    expect.arrayContaining([
      [40, 30, 100, 50],
      [40, 60, 90, 100],
    ]),
  );
  const [note] = found.filter(({ type }) => type === "Text");
  // The upper left corner of the page as viewers show it.
  expect(note).toMatchObject({ box: [20, 10, 40, 30], text: expect.stringContaining("PDF/UA-1, 7.18.3 (test 1): ") });
  expect(found.find(({ box }) => box[1] === 60)!.text).toMatch(/^PDF\/UA-1, 7\.3 \(test 1\): Figure/);
});

async function marksIn(bytes: Uint8Array): Promise<{ type: string; box: number[]; text: string }[]> {
  const annotations = (await PDFDocument.load(bytes)).getPage(0).node.Annots()!;
  return Array.from({ length: annotations.size() }, (_, at) => annotations.lookup(at, PDFDict)).map((one) => ({
    type: one.lookup(PDFName.of("Subtype"), PDFName).decodeText(),
    box: one
      .lookup(PDFName.of("Rect"), PDFArray)
      .asArray()
      .map((edge) => Number(String(edge))),
    text: one.has(PDFName.of("Contents")) ? (one.lookup(PDFName.of("Contents")) as PDFString).decodeText() : "",
  }));
}

test("errors", async () => {
  const pdf = await textPdf(1);
  const errorOf = async (bytes: Uint8Array | string, fields?: FormFields) => {
    const { status, error } = await validate(bytes, fields);
    return `${status} ${error}`;
  };
  expect(await errorOf(pdf, { profile: "PDF/A-5" })).toBe(
    "400 PDF/A-5 is not within the acceptable range for profile.",
  );
  expect(await errorOf("%PDF-1.7 nothing")).toMatch(/^400 .*damaged/);
  expect(await errorOf(encrypted(pdf, "open", "owner"))).toMatch(/^401 .*password/);
  // Opens without a password.
  const { rules } = await validate(encrypted(pdf, "", "owner"), { profile: "PDF/A-2b" });
  expect(rules).toContainEqual(expect.objectContaining({ clause: "6.1.3", test: 2 }));
});
