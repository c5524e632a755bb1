// Tests POST /pdfa with a file to attach. veraPDF judges the results; pdfdetach and qpdf read the attachment.
// Contract: docs/api.md#pdfa
// cspell:ignore poacc
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROFILES, type Profile } from "../../src/document/invoices/profiles.ts";
import { GUIDELINES, invoiceXml } from "../fixtures/invoices.ts";
import { textPdf } from "../fixtures/pdfs.ts";
import { type FormFields, privateClient, upload } from "../support/client.ts";
import { attachedTo } from "../support/pdf-json.ts";
import { pageTexts, uncompressed } from "../support/pdf-readers.ts";
import { whatTheyBreak } from "../support/verapdf.ts";

const client = privateClient();
const folder = mkdtempSync(join(tmpdir(), "pdfa-invoice-test-"));
afterAll(() => rmSync(folder, { recursive: true }));
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await textPdf(1);
});

const xmlFile = (xml: string, name = "R 17.xml") => upload(Buffer.from(xml), name);
const invoice = (profile: Profile) => xmlFile(invoiceXml(profile));
const usual = { output: "a", output_type: "PDF/A-3b" };
const make = async (fields: FormFields) => {
  const [made] = await client.make("/pdfa", { file: upload(pdf), ...usual, ...fields });
  return made!.bytes;
};
const error = async (fields: FormFields) => {
  const { status, body } = await client.post("/pdfa", { file: upload(pdf), ...usual, ...fields });
  return [status, body.error];
};
let saved = 0;
function asked(bytes: Uint8Array, flavour = "3b") {
  const path = join(folder, `${saved++}.pdf`);
  writeFileSync(path, bytes);
  return { path, flavour };
}
/** Returns the name and the bytes of the only attachment. */
const attachment = (bytes: Uint8Array) => {
  const [[name, content] = ["", ""], ...others] = attachedTo(bytes);
  expect(others).toEqual([]);
  return { name, xml: Buffer.from(content, "latin1").toString("utf8") };
};

test("invoices of all profiles are embedded unchanged, with name, relationship and metadata of their profile", async () => {
  const questions = [];
  for (const profile of PROFILES) {
    const made = await make({ file_to_attach: invoice(profile) });
    const name = profile === "xrechnung" ? "xrechnung.xml" : "factur-x.xml";
    expect(attachment(made)).toEqual({ name, xml: invoiceXml(profile) });
    const level = { "basic-wl": "BASIC WL", en16931: "EN 16931" }[profile as string] ?? profile.toUpperCase();
    const text = uncompressed(made);
    expect(text).toMatch(new RegExp(`<fx:ConformanceLevel[^>]*>${level}</fx:ConformanceLevel>`));
    expect(text).toMatch(new RegExp(`<fx:DocumentFileName[^>]*>${name}</fx:DocumentFileName>`));
    expect(text).toMatch(/<fx:DocumentType[^>]*>INVOICE</);
    expect(text).toMatch(profile === "xrechnung" ? /<fx:Version[^>]*>3\.0</ : /<fx:Version[^>]*>1\.0</);
    const isPartial = profile === "minimum" || profile === "basic-wl";
    expect(text).toMatch(isPartial ? /\/AFRelationship \/Data/ : /\/AFRelationship \/Alternative/);
    expect(pageTexts(made)).toEqual(pageTexts(pdf));
    questions.push(asked(made));
  }
  expect(await whatTheyBreak(questions)).toEqual(PROFILES.map(() => ""));
});

test("ZUGFeRD 1.0 has its own name and schema", async () => {
  const xml = `<rsm:CrossIndustryDocument xmlns:rsm="urn:ferd:CrossIndustryDocument:invoice:1p0" xmlns:ram="r">
<rsm:SpecifiedExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter>
<ram:ID>urn:ferd:CrossIndustryDocument:invoice:1p0:comfort</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter>
</rsm:SpecifiedExchangedDocumentContext></rsm:CrossIndustryDocument>`;
  const made = await make({ file_to_attach: xmlFile(xml), output_type: "PDF/A-3u", invoice_profile: "en16931" });
  expect(attachment(made)).toEqual({ name: "ZUGFeRD-invoice.xml", xml });
  expect(uncompressed(made)).toMatch(/<zf:ConformanceLevel[^>]*>COMFORT</);
  expect(await whatTheyBreak([asked(made, "3u")])).toEqual([""]);
});

test("a PDF with an invoice receives a new one, which replaces it, and keeps other attachments", async () => {
  const notes = await make({ file_to_attach: upload(Buffer.from("Notes"), "notes.txt") });
  const old = await make({ file: upload(notes), file_to_attach: invoice("minimum") });
  const fields = { ...usual, file: upload(old), file_to_attach: invoice("xrechnung") };
  const { body } = await client.post("/pdfa", fields);
  expect(body.notices).toEqual(["1 attachment was removed: factur-x.xml"]);
  const made = new Uint8Array(await (await fetch(String(body.outputUrl))).arrayBuffer());
  expect([...attachedTo(made).keys()].toSorted()).toEqual(["notes.txt", "xrechnung.xml"]);
  expect(uncompressed(made).match(/<fx:ConformanceLevel/g)).toHaveLength(1);
  expect(await whatTheyBreak([asked(old), asked(made)])).toEqual(["", ""]);
});

test("a file of another type is attached under its name, and both IDs are in the response", async () => {
  const file_to_attach = upload(Buffer.from("a;b"), "Daten.csv");
  const { body } = await client.post("/pdfa", { ...usual, file: upload(pdf), file_to_attach });
  expect(body.inputId).toHaveLength(2);
  const made = new Uint8Array(await (await fetch(String(body.outputUrl))).arrayBuffer());
  expect([...attachedTo(made)]).toEqual([["Daten.csv", "a;b"]]);
  expect(await whatTheyBreak([asked(made)])).toEqual([""]);
  const [id, id_to_attach] = body.inputId as unknown as [string, string];
  const again = await client.post("/pdfa", { ...usual, id, id_to_attach });
  expect(again.body.inputId).toEqual([id, id_to_attach]);
});

const NO_INVOICE = "The XML file is not an invoice of a known profile.";

test.each([
  ["data.xml", "<a/>", "data.xml has the outermost element a."],
  [
    "cut.xml",
    invoiceXml("basic").slice(0, 900),
    "cut.xml is not well-formed XML, has a document type declaration (DTD), or is too large.",
  ],
  [
    "control.xml",
    invoiceXml("basic", { product: "a&#1;" }),
    "control.xml is not well-formed XML, has a document type declaration (DTD), or is too large.",
  ],
  [
    "entities",
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    "entities is not well-formed XML, has a document type declaration (DTD), or is too large.",
  ],
  [
    "ubl.xml",
    '<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>',
    "ubl.xml is in the syntax UBL, but invoices in PDFs are in the syntax CII.",
  ],
  [
    "other.xml",
    invoiceXml("basic", { guideline: "urn:other" }),
    "other.xml has an unknown guideline (BT-24): urn:other.",
  ],
  ["none.xml", invoiceXml("basic", { guideline: "" }), "none.xml has no guideline (BT-24)."],
])("400: %s is no invoice", async (name, xml, reason) => {
  expect(await error({ file_to_attach: xmlFile(xml, name) })).toEqual([400, `${NO_INVOICE} ${reason}`]);
});

test("400: another profile, another output_type, and a profile without a file", async () => {
  const file_to_attach = invoice("basic");
  expect(await error({ file_to_attach, invoice_profile: "extended" })).toEqual([
    400,
    "extended is not within the acceptable range for invoice_profile. R 17.xml has the profile basic.",
  ]);
  for (const output_type of ["PDF/A-1b", "PDF/A-2b", "PDF/A-2u"]) {
    expect(await error({ file_to_attach, output_type })).toEqual([
      400,
      `${output_type} is not within the acceptable range for output_type. Only PDF/A-3 allows such attachments.`,
    ]);
  }
  expect(await error({ invoice_profile: "basic" })).toEqual([400, "The 'file_to_attach' field is required."]);
  const text = upload(Buffer.from("text"), "notes.txt");
  expect((await error({ file_to_attach: text, invoice_profile: "basic" }))[0]).toBe(400);
});

test("guidelines of XRechnung's extension, of Peppol and of Chorus Pro have a profile", async () => {
  const extension = `${GUIDELINES.xrechnung}#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0`;
  const peppol = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0";
  const chorus = "urn:cen.eu:en16931:2017#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr";
  for (const [guideline, level] of [
    [extension, "XRECHNUNG"],
    [peppol, "EN 16931"],
    [chorus, "EXTENDED"],
  ] as const) {
    const made = await make({ file_to_attach: xmlFile(invoiceXml("basic", { guideline })) });
    expect(uncompressed(made)).toMatch(new RegExp(`<fx:ConformanceLevel[^>]*>${level}<`));
  }
});
