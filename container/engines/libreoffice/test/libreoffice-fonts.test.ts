// Tests that fonts embedded in a document are used in all styles, and not for other documents.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Notice } from "../../../../src/document/contract/notice.ts";
import { docx, flatOpenDocument } from "../../../../test/fixtures/office.ts";
import { renamedFont, sentFont } from "../../../../test/fixtures/renamed-fonts.ts";
import { documents, openOffices, save, scratch, soffice, zygote } from "../../../../test/support/libreoffice.ts";
import type { LibreOffice } from "../libreoffice.ts";

openOffices();

const key = "{1DF903D1-6A4C-4E0B-8A3F-2B7C5D6E7F80}";

/** Obfuscates or restores a font (ISO/IEC 29500-1, 17.8.1): the first 32 bytes are XORed with the key. */
function obfuscated(font: Buffer): Buffer {
  const bytes = Buffer.from(key.replaceAll(/[^0-9A-F]/g, ""), "hex").reverse();
  for (let at = 0; at < 32; at++) font[at] = (font[at] as number) ^ (bytes[at % 16] as number);
  return font;
}

const STYLES = { Regular: "", Bold: "<w:b/>", Italic: "<w:i/>", BoldItalic: "<w:b/><w:i/>" };

/**
 * Returns a document with a line in each style of a font.
 * @param media names and bytes of embedded fonts
 * @param kind element with the font's family (ISO/IEC 29500-1, 17.8.3.9)
 */
function document(family: string, media: Readonly<Record<string, Buffer>> = {}, kind = ""): Buffer {
  const line = (properties: string) =>
    `<w:p><w:r><w:rPr><w:rFonts w:ascii="${family}" w:hAnsi="${family}"/>${properties}</w:rPr><w:t>Line</w:t></w:r></w:p>`;
  const embedded = Object.keys(media).map((name) => {
    const style = name.replace(".odttf", "");
    return `<w:embed${style} r:id="${name}" w:fontKey="${key}"/>`;
  });
  return docx({
    body: Object.values(STYLES).map(line).join(""),
    fonts: `<w:font w:name="${family}"><w:charset w:val="00"/>${kind}${embedded.join("")}</w:font>`,
    media,
  });
}

async function fontsOf(office: LibreOffice, path: string, sent: readonly Buffer[] = []): Promise<string[]> {
  const output = join(documents, "fonts.pdf");
  const fonts = sent.map(sentFont);
  await using pdf = await office.convertToPdf(path, { tagged: false, lossless: false, fonts });
  await copyFile(pdf.path, output);
  const list = execFileSync("pdffonts", [output], { encoding: "utf8" });
  return [...list.matchAll(/^[A-Z]{6}\+(\S+)/gm)].map(([, name]) => name as string).sort();
}

describe.each(["zygote", "soffice"])("by %s", (mode) => {
  test("embedded fonts, and those of a request, are used in all styles, and not for the next document", async () => {
    const office = mode === "zygote" ? zygote : soffice;
    const fonts = await Promise.all(Object.keys(STYLES).map((style) => renamedFont(style, "Giraffe")));
    const sent = fonts.map((font) => Buffer.from(font));
    const styles = Object.keys(STYLES).map((style, index) => [`${style}.odttf`, obfuscated(fonts[index]!)]);
    const path = await save(document("Giraffe", Object.fromEntries(styles)), "docx");
    const all = ["Giraffe", "Giraffe-Bold", "Giraffe-BoldItalic", "Giraffe-Italic"];
    expect(await fontsOf(office, path)).toEqual(all);
    expect(await fontsOf(office, await save(document("Giraffe"), "docx"), sent)).toEqual(all);
    const next = await fontsOf(office, await save(document("Giraffe"), "docx"));
    expect(next.join()).not.toContain("Giraffe");
    expect(readdirSync(scratch.memoryPath!)).toEqual([]);
  });
});

test("an embedded font is used under the name of a font that is replaced", async () => {
  const media = { "Regular.odttf": obfuscated(await renamedFont("Regular", "Cambria")) };
  expect(await fontsOf(zygote, await save(document("Cambria", media), "docx"))).toContain("Cambria");
  expect((await fontsOf(zygote, await save(document("Cambria"), "docx"))).join()).toContain("Caladea");
});

test.each(["Wingdings", "Symbol"])("an embedded font named %s is used", async (family) => {
  const media = { "Regular.odttf": obfuscated(await renamedFont("Regular", "Giraffe")) };
  expect(await fontsOf(zygote, await save(document(family, media), "docx"))).toEqual(["Giraffe"]);
});

test("as many replaced fonts are reported as the contract says", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `Font of a long name, number ${index}`);
  const body = names
    .map((name) => `<w:r><w:rPr><w:rFonts w:ascii="${name}" w:hAnsi="${name}"/></w:rPr><w:t>Text</w:t></w:r>`)
    .join("");
  const path = await save(docx({ body: `<w:p>${body}</w:p>` }), "docx");
  await using pdf = await zygote.convertToPdf(path, { tagged: false, lossless: false });
  const [{ count, subjects }] = pdf.notices as [Notice];
  expect(count).toBe(60);
  expect(subjects).toHaveLength(50);
});

test("replaced fonts are reported, embedded ones are not", async () => {
  const reported = async (content: Buffer) => {
    await using pdf = await zygote.convertToPdf(await save(content, "docx"), { tagged: false, lossless: false });
    return pdf.notices;
  };
  // Caladea's bold italic font has two names for its style, of which LibreOffice reports "Italic".
  const cambria = ["", "-Bold", "-Italic"].map((style) => ({ name: "Cambria", replacedBy: `Caladea${style}` }));
  expect(await reported(document("Cambria"))).toEqual([{ code: "fonts-substituted", count: 3, subjects: cambria }]);
  const [{ subjects }] = (await reported(document("Giraffe"))) as [Notice];
  expect(subjects).toContainEqual({ name: "Giraffe", replacedBy: expect.stringMatching(/^\w+-Bold$/) });
  const media = Object.keys(STYLES).map(
    async (style) => [`${style}.odttf`, obfuscated(await renamedFont(style, "Giraffe"))] as const,
  );
  expect(await reported(document("Giraffe", Object.fromEntries(await Promise.all(media))))).toEqual([]);
  expect(await reported(document("Liberation Sans"))).toEqual([]);
  expect(await reported(document("Symbol"))).toEqual([]);
});

test.each([
  ["Zebra Grotesk", "NotoSans-Regular"],
  ["Zebra Sans", "NotoSans-Regular"],
  ["Zebra Sans Mono", "DejaVuSansMono"],
  ["Zebra Code", "DejaVuSansMono"],
  ["Zebra Antiqua", "NotoSerif-Regular"],
])("the unknown font %s is replaced by one of its kind", async (family, replacement) => {
  const body = `<w:p><w:r><w:rPr><w:rFonts w:ascii="${family}" w:hAnsi="${family}"/></w:rPr><w:t>Line</w:t></w:r></w:p>`;
  expect(await fontsOf(zygote, await save(docx({ body }), "docx"))).toEqual([replacement]);
  const rtf = `{\\rtf1\\ansi{\\fonttbl{\\f0\\fswiss ${family};}}\\f0 Line\\par}`;
  expect(await fontsOf(zygote, await save(rtf, "rtf"))).toEqual([replacement]);
});

test("an unknown font that the document calls sans-serif is replaced by such a font", async () => {
  const path = await save(document("Zebra", {}, '<w:family w:val="swiss"/>'), "docx");
  expect((await fontsOf(zygote, path)).filter((name) => !name.startsWith("NotoSans"))).toEqual([]);
});

test("one embedded style is used beside installed fonts", async () => {
  const media = { "Regular.odttf": obfuscated(await renamedFont("Regular", "Caracal")) };
  expect(await fontsOf(zygote, await save(document("Caracal", media), "docx"))).toContain("Caracal");
});

test("a font whose name is a path stays in the folder of its job", async () => {
  const media = { "Regular.odttf": obfuscated(await renamedFont("Regular", "Giraffe")) };
  await fontsOf(zygote, await save(document("../../../../../../../tmp/Giraffe", media), "docx"));
  expect(readdirSync("/tmp").filter((name) => name.startsWith("Giraffe"))).toEqual([]);
});

test("a font that is embedded in an OpenDocument text is used", async () => {
  const font = (await renamedFont("Regular", "Gazelle")).toString("base64");
  const face = `<office:font-face-decls><style:font-face style:name="G" svg:font-family="Gazelle"><svg:font-face-src><svg:font-face-uri><office:binary-data>${font}</office:binary-data><svg:font-face-format svg:string="truetype"/></svg:font-face-uri></svg:font-face-src></style:font-face></office:font-face-decls>`;
  const style =
    '<office:automatic-styles><style:style style:name="p" style:family="paragraph"><style:text-properties style:font-name="G"/></style:style></office:automatic-styles>';
  const content = `${face}${style}<office:body><office:text><text:p text:style-name="p">Line</text:p></office:text></office:body>`;
  expect(await fontsOf(zygote, await save(flatOpenDocument("text", content), "fodt"))).toEqual(["Gazelle"]);
});
