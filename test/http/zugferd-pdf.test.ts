// Tests POST /zugferd-pdf. veraPDF and Mustang judge the results, poppler reads the drawn pages.
// Contract: docs/api.md#zugferd-pdf
// cspell:ignore SARL Söhne Umsatzsteuer
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { PROFILES } from "../../src/document/invoices/profiles.ts";
import { invoiceXml } from "../fixtures/invoices.ts";
import { textPdf } from "../fixtures/pdfs.ts";
import { type FormFields, privateClient, upload } from "../support/client.ts";
import { EXAMPLE_IMAGE } from "../support/examples.ts";
import { attachedTo } from "../support/pdf-json.ts";
import { pageTexts, uncompressed } from "../support/pdf-readers.ts";
import { whatTheyBreak } from "../support/verapdf.ts";

const client = privateClient();
const folder = mkdtempSync(join(tmpdir(), "zugferd-pdf-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const xmlFile = (xml: string, name = "invoice.xml") => upload(Buffer.from(xml), name);
const make = async (fields: FormFields) => (await client.make("/zugferd-pdf", fields))[0]!.bytes;
const error = async (fields: FormFields) => {
  const { status, body } = await client.post("/zugferd-pdf", fields);
  return [status, body.error];
};
let saved = 0;
function asked(bytes: Uint8Array) {
  const path = join(folder, `${saved++}.pdf`);
  writeFileSync(path, bytes);
  return { path, flavour: "3b" };
}
const options = (values: object) => JSON.stringify(values);

test("invoices of all profiles are drawn, embedded and valid", async () => {
  const questions = [];
  for (const profile of PROFILES) {
    const { body } = await client.post("/zugferd-pdf", { file: xmlFile(invoiceXml(profile)) });
    expect(body.notices).toBeUndefined();
    const made = new Uint8Array(await (await fetch(String(body.outputUrl))).arrayBuffer());
    expect([...attachedTo(made).values()].map((text) => Buffer.from(text, "latin1").toString("utf8"))).toEqual([
      invoiceXml(profile),
    ]);
    const [text] = pageTexts(made);
    for (const part of ["Invoice R-2026-17", "Muster & Söhne GmbH", "Client SARL", "238.00 EUR"]) {
      expect(text!.replaceAll("\u00a0", " ")).toContain(part);
    }
    expect(text!.includes("Schraube M8")).toBe(profile !== "minimum" && profile !== "basic-wl");
    questions.push(asked(made));
  }
  expect(await whatTheyBreak(questions)).toEqual(PROFILES.map(() => ""));
});

test("the drawn invoice is valid by Mustang, too", async () => {
  const made = await make({ file: xmlFile(invoiceXml("xrechnung")) });
  const { body } = await client.post("/validated-zugferd", { file: upload(made, "invoice.pdf") });
  expect(body).toMatchObject({ valid: true, profile: "xrechnung", pdfa: "PDF/A-3b" });
});

test("labels, numbers and dates are in the language and the locale", async () => {
  const file = () => xmlFile(invoiceXml("en16931", { product: "Schraube\u00a0M8 – 螺丝" }));
  const render_options = options({ label_language: "de", font: "Times New Roman", accent_color_rgb: "200,0,0" });
  const [text] = pageTexts(await make({ file: file(), render_options }));
  for (const part of ["Rechnung R-2026-17", "238,00", "31.01.2026", "Umsatzsteuer 19 %", "螺丝"]) {
    expect(text!.replaceAll("\u00a0", " ")).toContain(part);
  }
  const swiss = await make({ file: file(), render_options: options({ label_language: "fr", locale: "de-CH" }) });
  expect(pageTexts(swiss)[0]!.replaceAll("\u00a0", " ")).toMatch(/Facture R-2026-17[\s\S]*238\.00/);
});

test("the drawn amounts add up: rounding, prices of several units, all digits, and every account", async () => {
  const basis = '<ram:BasisQuantity unitCode="H87">1000</ram:BasisQuantity></ram:NetPriceProductTradePrice>';
  const xml = invoiceXml("en16931")
    .replace("<ram:ChargeAmount>100.00<", "<ram:ChargeAmount>100.0123456789<")
    .replace("</ram:NetPriceProductTradePrice>", basis)
    .replace(
      /(<ram:SpecifiedTradeSettlementPaymentMeans>.*?)DE02120300000000202051(.*)/,
      "$&$1DE75512108001245126199$2",
    )
    .replace("<ram:GrandTotalAmount>", "<ram:RoundingAmount>0.05</ram:RoundingAmount>$&")
    .replace("<ram:DuePayableAmount>238.00<", "<ram:DuePayableAmount>238.05<");
  const text = pageTexts(await make({ file: xmlFile(xml) }))
    .join(" ")
    .replaceAll("\u00a0", " ");
  expect(text).toMatch(/Rounding\s+0\.05 EUR/);
  expect(text).toContain("238.05 EUR");
  expect(text).toContain("100.0123456789");
  expect(text).toContain("/ 1,000");
  for (const iban of ["DE02120300000000202051", "DE75512108001245126199"]) expect(text).toContain(`IBAN ${iban}`);
});

test("delivery address, billing period and payee are drawn", async () => {
  const party = (name: string, more = "") => `<ram:Name>${name}</ram:Name>${more}`;
  const address =
    "<ram:PostalTradeAddress><ram:LineOne>Quai 9</ram:LineOne><ram:CityName>Lyon</ram:CityName><ram:CountryID>FR</ram:CountryID></ram:PostalTradeAddress>";
  const day = (element: string, value: string) =>
    `<ram:${element}><udt:DateTimeString format="102">${value}</udt:DateTimeString></ram:${element}>`;
  const period = `<ram:BillingSpecifiedPeriod>${day("StartDateTime", "20260101")}${day("EndDateTime", "20260131")}</ram:BillingSpecifiedPeriod>`;
  const xml = invoiceXml("en16931")
    .replace(
      "<ram:ActualDeliverySupplyChainEvent>",
      `<ram:ShipToTradeParty>${party("Depot Sud", address)}</ram:ShipToTradeParty>$&`,
    )
    .replace("</ram:InvoiceCurrencyCode>", `$&<ram:PayeeTradeParty>${party("Factor Bank")}</ram:PayeeTradeParty>`)
    .replace("<ram:SpecifiedTradePaymentTerms>", `${period}$&`);
  const made = await make({ file: xmlFile(xml) });
  const text = pageTexts(made)[0]!.replaceAll("\u00a0", " ").replace(/\s+/g, " ");
  for (const part of [
    "Delivery address",
    "Depot Sud",
    "Quai 9",
    "Lyon",
    "Billing period",
    "Jan 1, 2026 –",
    "Payee: Factor Bank",
  ]) {
    expect(text).toContain(part);
  }
  const { body } = await client.post("/validated-zugferd", { file: upload(made, "invoice.pdf") });
  expect(body).toMatchObject({ valid: true, profile: "en16931" });
});

test("references and line numbers are not broken", async () => {
  const xml = invoiceXml("xrechnung").replace("<ram:LineID>1<", "<ram:LineID>Transport<");
  const lines = pageTexts(await make({ file: xmlFile(xml) })).join("\n");
  for (const whole of ["04011000-12345-03", "Transport"]) expect(lines).toContain(whole);
});

test.each([
  ["381", "Credit note"],
  ["384", "Corrected invoice"],
  ["389", "Self-billing"],
])("the title of type %s is %s", async (type, title) => {
  const xml = invoiceXml("basic").replace("<ram:TypeCode>380<", `<ram:TypeCode>${type}<`);
  expect(pageTexts(await make({ file: xmlFile(xml) }))[0]).toContain(`${title} R-2026-17`);
});

test("a day that does not exist is shown as it is", async () => {
  const [text] = pageTexts(await make({ file: xmlFile(invoiceXml("basic").replace("20260131", "20260230")) }));
  expect(text).toContain("20260230");
  expect(text).not.toContain("Mar 2");
});

test("many lines and long texts continue on further pages, with the header of the table, and nothing is lost", async () => {
  const words = Array.from({ length: 2000 }, (_, index) => `w${index}`);
  const made = await make({ file: xmlFile(invoiceXml("basic", { product: words.join(" "), lines: 1 })) });
  expect(pageTexts(made).join(" ").match(/w\d+/g)).toEqual(words);
  const many = pageTexts(await make({ file: xmlFile(invoiceXml("basic", { lines: 120 })) }));
  expect(many.length).toBeGreaterThan(2);
  for (const [index, text] of many.entries()) {
    expect(text).toContain("Unit price");
    expect(text).toContain(`Page ${index + 1} / ${many.length}`);
  }
  expect(many.join("").match(/Schraube/g)).toHaveLength(120);
});

test("422: an invoice with too many lines or characters to draw", async () => {
  for (const [text, what] of [
    [{ lines: 5001 }, "5001 lines; 5000"],
    [{ product: "word ".repeat(200_001) }, "characters; 1000000"],
  ] as const) {
    const [status, message] = await error({ file: xmlFile(invoiceXml("basic", text)) });
    expect([status, message]).toEqual([422, expect.stringContaining(what)]);
  }
});

test("a logo is drawn", async () => {
  const logo_file = upload(Buffer.from(EXAMPLE_IMAGE.base64, "base64"), EXAMPLE_IMAGE.name);
  const made = await make({ file: xmlFile(invoiceXml("basic")), logo_file });
  expect(uncompressed(made)).toMatch(/\/Subtype \/Image/);
});

test("the pages of a PDF stay, unless regenerate_pdf is true", async () => {
  const pdf = await textPdf(2);
  const fields = () => ({ file: xmlFile(invoiceXml("basic")), pdf_file: upload(pdf) });
  const made = await make(fields());
  expect(pageTexts(made)).toEqual(pageTexts(pdf));
  expect([...attachedTo(made).keys()]).toEqual(["factur-x.xml"]);
  const drawn = await make({ ...fields(), regenerate_pdf: "true" });
  expect(pageTexts(drawn)[0]).toContain("Invoice R-2026-17");
  expect(await whatTheyBreak([asked(made), asked(drawn)])).toEqual(["", ""]);
});

test("400: no invoice, an unknown font, locale or language, and a logo that is no image", async () => {
  const file = () => xmlFile(invoiceXml("basic"));
  expect(await error({ file: upload(await textPdf(1), "a.pdf") })).toEqual([
    400,
    "Uploaded file is not valid input for this route. a.pdf is a PDF; this endpoint takes an invoice in XML.",
  ]);
  expect(await error({ file: xmlFile("<a/>", "a.xml") })).toEqual([
    400,
    "The XML file is not an invoice of a known profile. a.xml has the outermost element a.",
  ]);
  for (const [values, name] of [
    [{ font: "no such font" }, "render_options.font"],
    [{ locale: "x" }, "render_options.locale"],
    [{ locale: 5 }, "render_options.locale"],
    [{ label_language: "tlh" }, "render_options.label_language"],
    [{ accent_color_rgb: "256,0,0" }, "render_options.accent_color_rgb"],
  ] as const) {
    const [status, message] = await error({ file: file(), render_options: options(values) });
    expect([status, message]).toEqual([400, expect.stringContaining(`acceptable range for ${name}`)]);
  }
  expect((await error({ file: file(), logo_file: upload(Buffer.from("GIF89a"), "a.gif") }))[0]).toBe(400);
});
