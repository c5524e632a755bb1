// Reads the written metadata with poppler (Info dictionary) and exiftool (both).
// Contract: docs/api.md#pdf-with-metadata
import { describe, expect, test } from "vitest";
import { readPdfInfo } from "../../../src/operations/read-pdf-info.ts";
import { type SetMetadataParams, setMetadata } from "../../../src/operations/set-metadata.ts";
import { MANAGED_PACKET, metadataPdf } from "../../fixtures/archival-pdfs.ts";
import { PdfBuilder, plainPdf } from "../../fixtures/pdf-builder.ts";
import { pdfaClaim, pdfuaClaim } from "../../fixtures/pdfa-claim.ts";
import { textPdf } from "../../fixtures/pdfs.ts";
import { signedPdf } from "../../fixtures/signed-pdfs.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, outputsOf, reasonOf } from "../../support/operations.ts";
import { said } from "../../support/pdf-json.ts";
import { infoOf, pageTexts, qpdfComplaints, uncompressed } from "../../support/pdf-readers.ts";

type Metadata = SetMetadataParams["metadata"];

const RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';

async function changed(pdf: Uint8Array, metadata: Metadata) {
  const [made] = await outputsOf(setMetadata, [pdf], { metadata });
  expect(qpdfComplaints(made!)).toBe("");
  return made!;
}

/** Returns what exiftool reads, by group and name, such as `XMP-dc:Title`. */
function tagsOf(pdf: Uint8Array): Readonly<Record<string, unknown>> {
  return JSON.parse(said(pdf, "exiftool", "-json", "-G1", "-struct"))[0];
}

const packetOf = (pdf: Uint8Array): string => Buffer.from(uncompressed(pdf), "latin1").toString();

async function askedOf(pdf: Uint8Array) {
  const [answer] = await outputsOf(readPdfInfo, [pdf], { queries: ["title", "author", "subject", "custom_metadata"] });
  return JSON.parse(new TextDecoder().decode(answer));
}

const ALL = {
  ...{ title: "Bericht <1> & „2“", author: "Jörg 山田", subject: 'A "subject"', keywords: ["one", "two"] },
  ...{ creator: "Writer", producer: "Maker", language: "de-CH" },
  ...{ creation_date: "2024-02-29T10:11:12+02:30", modified_date: "2025-01-01T00:00:00Z" },
  custom: { Project: "Apollo", "Größe ü": "12" },
} as const;
const AS_TAGS = {
  ...{ "PDF:Title": ALL.title, "PDF:Author": ALL.author, "PDF:Subject": ALL.subject, "PDF:Creator": "Writer" },
  ...{ "PDF:Producer": "Maker", "PDF:CreateDate": "2024:02:29 10:11:12+02:30", "PDF:Project": "Apollo" },
  ...{ "XMP-dc:Title": ALL.title, "XMP-dc:Creator": [ALL.author], "XMP-dc:Description": ALL.subject },
  ...{ "XMP-pdf:Keywords": "one, two", "XMP-pdf:Producer": "Maker", "XMP-xmp:CreatorTool": "Writer" },
  ...{ "XMP-xmp:CreateDate": "2024:02:29 10:11:12+02:30", "XMP-xmp:ModifyDate": "2025:01:01 00:00:00Z" },
  ...{ "PDF:ModifyDate": "2025:01:01 00:00:00Z", "PDF:Language": "de-CH", "XMP-pdfx:Project": "Apollo" },
};

describe("all entries", () => {
  test.each([
    ["without metadata", () => plainPdf("Text")],
    ["with metadata", () => metadataPdf()],
    ["with an unreadable packet", () => metadataPdf("<x:xmpmeta><rdf:RDF>&bad;")],
    ["with an entity", () => metadataPdf(`<!DOCTYPE a [<!ENTITY b "c">]>${MANAGED_PACKET}`)],
    [
      "with attributes",
      () =>
        metadataPdf(MANAGED_PACKET.replace("my:Own", 'xmlns:p="http://ns.adobe.com/pdf/1.3/" p:Producer="Old" my:Own')),
    ],
  ])("are set in a document %s", async (_, make) => {
    const pdf = make();
    const made = await changed(pdf, ALL);
    expect(tagsOf(made)).toMatchObject(AS_TAGS);
    const info = infoOf(made);
    expect(info).toMatchObject({ Title: ALL.title, Author: ALL.author, Subject: ALL.subject, Keywords: "one, two" });
    expect((await askedOf(made)).custom_metadata).toMatchObject(ALL.custom);
    expect(pageTexts(made)).toEqual(pageTexts(pdf));
    expect(uncompressed(made)).not.toContain("Old");
  });

  test("are deleted everywhere", async () => {
    const full = await changed(metadataPdf(), ALL);
    const nothing = Object.fromEntries(Object.keys(ALL).map((member) => [member, null]));
    const made = await changed(full, { ...nothing, title: "", custom: { Project: null, "Größe ü": "", Custom: null } });
    const tags = Object.keys(tagsOf(made)).filter((name) => /^(PDF|XMP)/.test(name));
    expect(tags.filter((name) => Object.keys(AS_TAGS).includes(name))).toEqual([]);
    expect((await askedOf(made)).custom_metadata).toBeNull();
    for (const text of ["Apollo", "Bericht", "one", "Writer"]) expect(uncompressed(made)).not.toContain(text);
  });
});

describe("entries that are not sent", () => {
  test("stay, as do other properties", async () => {
    const made = await changed(metadataPdf(MANAGED_PACKET), { title: "New" });
    const tags = tagsOf(made);
    expect(tags).toMatchObject({
      "PDF:Title": "New",
      "XMP-dc:Title": "New",
      "XMP-dc:Creator": ["É\ufffd"],
    });
    expect(tags).toMatchObject({ "XMP-xmpMM:DocumentID": "xmp.did:1", "PDF:Custom": "kept", "PDF:Trapped": false });
    expect(uncompressed(made)).toContain("stEvt:parameters");
  });

  test("come from XMP if the Info dictionary lacks them, and from the Info dictionary if both have them", async () => {
    const builder = new PdfBuilder();
    builder.page("a");
    const spaces =
      'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';
    const title =
      "<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>In XMP</rdf:li><rdf:li xml:lang='de'>Auf Deutsch</rdf:li></rdf:Alt></dc:title>";
    const creator = "<dc:creator><rdf:Seq><rdf:li>Old</rdf:li></rdf:Seq></dc:creator>";
    const packet = `<rdf:RDF ${spaces}><rdf:Description rdf:about="">${title}${creator}</rdf:Description></rdf:RDF>`;
    builder.catalog = `/Metadata ${builder.stream(packet, "/Type/Metadata/Subtype/XML")}`;
    const made = await changed(builder.bytes(`/Info ${builder.add("<</Author(New)>>")}`), { subject: "S" });
    expect(tagsOf(made)).toMatchObject({ "PDF:Title": "In XMP", "PDF:Author": "New", "XMP-dc:Creator": ["New"] });
    expect(uncompressed(made)).toContain("Auf Deutsch");
  });

  test("include the date of modification, which is the time of the request", async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const tags = tagsOf(await changed(await textPdf(1), { title: "a" }));
    expect(tags["PDF:ModifyDate"]).toBe(tags["XMP-xmp:ModifyDate"]);
    const [, ...parts] = /(\d+):(\d+):(\d+) (\d+):(\d+):(\d+)Z/.exec(String(tags["PDF:ModifyDate"]))!.map(Number);
    const [year, month, ...rest] = parts as [number, number, number];
    expect(Date.UTC(year, month - 1, ...rest)).toBeGreaterThanOrEqual(before);
  });
});

test("control characters are removed, and unpaired surrogates replaced", async () => {
  const keywords = ["", "\u0002", "one", " ", "two"];
  const made = await changed(await textPdf(1), { title: "\u0001a\ud800b\u0000", author: "\u0002", keywords });
  expect(infoOf(made)).toMatchObject({ Keywords: "one, two" });
  expect(tagsOf(made)).toMatchObject({ "PDF:Title": "a\ufffdb", "XMP-dc:Title": "a\ufffdb" });
  expect(tagsOf(made)).not.toHaveProperty("PDF:Author");
});

async function noticesOf(pdf: Uint8Array, metadata: Metadata) {
  for await (const output of setMetadata.run([inputOf(pdf)], { metadata }, CONTEXT)) {
    return [uncompressed(await bytesOf(output)), output.notices?.()] as const;
  }
  throw new Error("There is no output.");
}

test("a claim that requires a missing entry is withdrawn", async () => {
  const run = async (metadata: Metadata) => {
    const [text, notices] = await noticesOf(metadataPdf(pdfuaClaim("1")), metadata);
    return [text.includes("pdfuaid:part"), notices];
  };
  expect(await run({ title: "New", author: null, language: "en" })).toEqual([true, []]);
  expect(await run({ title: "New" })).toEqual([false, [expect.objectContaining({ code: "claims-removed" })]]);
  expect(await run({ title: null })).toEqual([false, [expect.objectContaining({ code: "claims-removed" })]]);
  expect(await run({ language: null })).toEqual([false, [expect.objectContaining({ code: "claims-removed" })]]);
});

test("a PDF/A-4 has its metadata in XMP only", async () => {
  const custom = { Project: "Apollo", "2 ä山😀": "12" };
  const made = await changed(metadataPdf(pdfaClaim("4")), { title: "New", custom });
  const tags = tagsOf(made);
  expect(tags).toMatchObject({ "XMP-dc:Title": "New", "XMP-pdfx:Project": "Apollo", "XMP-pdfaid:Part": 4 });
  expect(tags["PDF:Title"]).not.toBe("New");
  expect(packetOf(made)).toContain("<pdfx:ↂ0032ↂ0020äↂ5C71ↂD83DↂDE00");
  expect((await askedOf(made)).custom_metadata).toEqual({ ...custom, Custom: "kept" });
  const deleted = await changed(made, { custom: { "2 ä山😀": null } });
  expect((await askedOf(deleted)).custom_metadata).toEqual({ Project: "Apollo", Custom: "kept" });
});

test("custom entries are found in each encoding of their names", async () => {
  const builder = new PdfBuilder();
  builder.page("a");
  const space = 'xmlns:pdfx="http://ns.adobe.com/pdfx/1.3/"';
  const packet = `<rdf:RDF ${RDF}><rdf:Description rdf:about="" ${space} pdfx:Größe="old"/></rdf:RDF>`;
  builder.catalog = `/Metadata ${builder.stream(Buffer.from(packet), "/Type/Metadata/Subtype/XML")}`;
  const pdf = builder.bytes(`/Info ${builder.add("<</Gr#f6#dfe(old)>>")}`);
  const made = await changed(pdf, { custom: { Größe: "new" } });
  expect((await askedOf(made)).custom_metadata).toEqual({ Größe: "new" });
  expect(packetOf(made)).toContain(">new</pdfx:Größe>");
  expect(uncompressed(await changed(pdf, { custom: { Größe: "" } }))).not.toContain("old");
});

test.each([
  ["UTF-16", (text: string) => Buffer.from(text, "utf16le")],
  ["big-endian UTF-16", (text: string) => Buffer.from(text, "utf16le").swap16()],
])("a packet in %s without a byte order mark stays", async (_, encode) => {
  const builder = new PdfBuilder();
  builder.page("a");
  const bytes = encode(MANAGED_PACKET).toString("hex");
  builder.catalog = `/Metadata ${builder.stream(bytes, "/Type/Metadata/Subtype/XML/Filter/ASCIIHexDecode")}`;
  const tags = tagsOf(await changed(builder.bytes(), { title: "New" }));
  expect(tags).toMatchObject({ "XMP-dc:Title": "New", "XMP-xmpMM:DocumentID": "xmp.did:1" });
});

test.each([
  ["another outermost element", MANAGED_PACKET.replaceAll("x:xmpmeta", "x:xapmeta")],
  [
    "an undeclared prefix",
    MANAGED_PACKET.replace("<my:List>", "<dc:format>a</dc:format><xmp:Label>b</xmp:Label><my:List>"),
  ],
])("a packet with %s stays", async (_, packet) => {
  expect(tagsOf(await changed(metadataPdf(packet), { title: "New" }))).toMatchObject({
    ...{ "XMP-dc:Title": "New", "XMP-xmpMM:DocumentID": "xmp.did:1" },
  });
});

test("a damaged packet is replaced, and a notice lists the lost properties", async () => {
  const damaged = MANAGED_PACKET.replace("</xmpMM:History>", "").replace(
    "<my:List>",
    "<dc:title>Old</dc:title><my:List>",
  );
  const [text, notices] = await noticesOf(metadataPdf(damaged), { author: "A" });
  expect(text).toContain("A (title) &amp; &lt;more&gt;");
  expect(notices).toMatchObject([{ code: "properties-removed" }]);
  const names = notices?.[0]?.subjects?.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["xmpMM:DocumentID", "my:Own"]));
  expect(names).not.toContain("dc:creator");
});

test("signatures are removed with a notice", async () => {
  for await (const output of setMetadata.run([inputOf(signedPdf())], { metadata: { title: "a" } }, CONTEXT)) {
    await bytesOf(output);
    expect(output.notices?.()).toMatchObject([{ code: "signatures-removed", count: 1 }]);
  }
});

describe("hostile documents", () => {
  test.each(HOSTILE_PDFS.map((one) => [one.name, one] as const))("%s", async (_, { bytes }) => {
    const reason = await reasonOf(async () => outputsOf(setMetadata, [await bytes()], { metadata: { title: "a" } }));
    expect(["none", "damaged", "too-large", "too-complex"]).toContain(reason);
  });

  test("a packet of a hundred levels is replaced", async () => {
    const packet = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${"<a>".repeat(1e5)}`;
    expect(tagsOf(await changed(metadataPdf(packet), { title: "a" }))).toMatchObject({ "XMP-dc:Title": "a" });
  });
});
