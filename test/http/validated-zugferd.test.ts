// Tests POST /validated-zugferd, with both validators.
// Contract: docs/api.md#validated-zugferd
import { beforeAll, expect, test } from "vitest";
import { PROFILES, type Profile } from "../../src/document/invoices/profiles.ts";
import type { InvoiceReport } from "../../src/operations/validate-invoice.ts";
import { invoiceXml } from "../fixtures/invoices.ts";
import { encrypted, textPdf } from "../fixtures/pdfs.ts";
import { privateClient, upload } from "../support/client.ts";

const client = privateClient();
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await textPdf(1);
});

const post = async (bytes: Uint8Array | string, name: string) => {
  const { status, body } = await client.post("/validated-zugferd", { file: upload(Buffer.from(bytes), name) });
  return { status, ...(body as unknown as InvoiceReport & { error?: string; inputId?: string }) };
};
async function archived(profile: Profile, xml = invoiceXml(profile)): Promise<Uint8Array> {
  const file_to_attach = upload(Buffer.from(xml), "invoice.xml");
  const fields = { file: upload(pdf), file_to_attach, output: "invoice", output_type: "PDF/A-3b" };
  const [made] = await client.make("/pdfa", fields);
  return made!.bytes;
}
const errorsOf = ({ findings }: InvoiceReport) => findings.filter(({ severity }) => severity === "error");

test.each(PROFILES)("a PDF of /pdfa with an invoice of the profile %s is valid by both validators", async (profile) => {
  const report = await post(await archived(profile), "invoice.pdf");
  expect(errorsOf(report)).toEqual([]);
  const { valid, pdf_valid, xml_valid, pdfa, syntax } = report;
  expect({ valid, pdf_valid, xml_valid, pdfa, syntax, profile: report.profile }).toEqual({
    ...{ valid: true, pdf_valid: true, xml_valid: true, pdfa: "PDF/A-3b", syntax: "CII", profile },
  });
  expect(report.inputId).toEqual(expect.any(String));
});

test("XML with a wrong total breaks a rule, and only the XML is wrong", async () => {
  const xml = invoiceXml("en16931").replace("<ram:GrandTotalAmount>238.00<", "<ram:GrandTotalAmount>239.00<");
  const alone = await post(xml, "invoice.xml");
  expect(alone).toMatchObject({
    valid: false,
    xml_valid: false,
    profile: "en16931",
    guideline: "urn:cen.eu:en16931:2017",
  });
  expect(alone).not.toHaveProperty("pdf_valid");
  const found = errorsOf(alone).find(({ rule }) => rule === "BR-CO-15");
  expect(found).toMatchObject({ validator: "Mustang", part: "xml", location: expect.stringContaining("Settlement") });
  const within = await post(await archived("en16931", xml), "invoice.pdf");
  expect(within).toMatchObject({ valid: false, pdf_valid: true, xml_valid: false });
  expect(errorsOf(within).map(({ rule }) => rule)).toContain("BR-CO-15");
});

test("a PDF that is neither PDF/A nor an invoice", async () => {
  const report = await post(pdf, "letter.pdf");
  expect(report).toMatchObject({ status: 200, valid: false, pdf_valid: false, xml_valid: false });
  expect(report).not.toHaveProperty("pdfa");
  const messages = errorsOf(report).map(({ message }) => message);
  expect(messages).toEqual(
    expect.arrayContaining(["The document contains no invoice.", "The PDF declares no level of PDF/A."]),
  );
  expect(errorsOf(report).filter(({ validator }) => validator === "veraPDF").length).toBeGreaterThan(1);
});

test("an invoice in UBL", async () => {
  const xml = '<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>';
  expect(await post(xml, "ubl.xml")).toMatchObject({ status: 200, valid: false, syntax: "UBL" });
});

test.each([
  ["not well-formed", invoiceXml("basic").slice(0, 900)],
  ["another document", '<?xml version="1.0"?><a/>'],
  ["empty", ""],
  ["deep", `${"<a>".repeat(50_000)}${"</a>".repeat(50_000)}`],
  ["entities", '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>'],
  [
    "many entities",
    `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b0 "b">${Array.from({ length: 30 }, (_, index) => `<!ENTITY b${index + 1} "&b${index};&b${index};">`).join("")}]><a>&b30;</a>`,
  ],
])("XML that is %s has an answer", async (_, xml) => {
  const { status, valid, error } = await post(xml, "a.xml");
  if (status === 200) expect(valid).toBe(false);
  else expect([status, error]).toEqual([422, expect.stringContaining("too complex")]);
});

test.each([
  ["UTF-16", (xml: string) => Buffer.from(`\ufeff${xml.replace("UTF-8", "UTF-16")}`, "utf16le"), true],
  ["ISO-8859-1", (xml: string) => Buffer.from(xml.replace("UTF-8", "ISO-8859-1"), "latin1"), true],
  ["bytes that are not UTF-8", (xml: string) => Buffer.from(xml, "latin1"), false],
])("an invoice in %s", async (_, encode, valid) => {
  const report = await post(encode(invoiceXml("en16931")), "invoice.xml");
  expect(report).toMatchObject({ status: 200, valid, xml_valid: valid });
});

test("an invoice that is nested deeply is too complex", async () => {
  const deep = `${"<a>".repeat(5000)}${"</a>".repeat(5000)}`;
  const xml = invoiceXml("en16931").replace("<ram:LineID>", `${deep}$&`);
  expect(await post(xml, "deep.xml")).toMatchObject({ status: 422, error: expect.stringContaining("too complex") });
});

test("a PDF that needs a password is an error, and so is a damaged one", async () => {
  expect(await post(encrypted(pdf, "open", "owner"), "locked.pdf")).toMatchObject({ status: 401 });
  expect(await post("%PDF-1.7\nnothing", "cut.pdf")).toMatchObject({ status: 400 });
  expect(await post(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), "a.png")).toMatchObject({ status: 400 });
});
