// Tests the document's metadata that PDF/A preserves.
import { expect, test } from "vitest";
import { keptProperties } from "../../../../src/document/pdfa/metadata/kept-properties.ts";

const kept = (text: string) => keptProperties(new TextEncoder().encode(text), 2, () => false).elements;
const packet = (properties: string) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">${properties}</rdf:Description></rdf:RDF></x:xmpmeta>`;

test("a property that PDF/A knows stays", () => {
  expect(kept(packet("<dc:source>a book</dc:source>"))).toContain("a book");
});

test("characters that XML cannot hold are left out, also as references", () => {
  const declared = "declared";
  const schema = `<pdfaExtension:schemas xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#"><rdf:Bag><rdf:li rdf:parseType="Resource"><pdfaSchema:namespaceURI>urn:a</pdfaSchema:namespaceURI><pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource"><pdfaProperty:name>${declared}</pdfaProperty:name><pdfaProperty:description>&#2;of it</pdfaProperty:description></rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas>`;
  const hostile = "&#1;&#x0B;&#xFFFE;&#xd800;&#0;&#x110000;&#99999999999;\u0008\ufffe\ud800&amp;&#13;&#60;&#x1F600;";
  const properties = [
    schema,
    `<dc:source>a${hostile}</dc:source>`,
    `<a:${declared} xmlns:a="urn:a" a:b="b${hostile}"><a:c>c${hostile}</a:c></a:${declared}>`,
    `<p:plain xmlns:p="http://ns.adobe.com/photoshop/1.0/">d${hostile}</p:plain>`,
  ];
  const elements = kept(packet(properties.join("")));
  for (const start of ["a", "b", "c"]) expect(elements).toMatch(new RegExp(`[>"]${start}\ufffd?&(?:amp|#38);`));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(elements.toWellFormed()).not.toMatch(/[\u0000-\u0008\u000b\ufffe]/);
  expect(elements).toContain("\u{1F600}");
  expect(elements).toContain(">of it<");
});

// These cases are about time: each takes milliseconds if the text is read only once.
test.each([
  ["tags that never end", `<x:xmpmeta>${"<".repeat(400_000)}`],
  ["tags that end at the end", `<x:xmpmeta>${"<".repeat(400_000)}>`],
])("%s say nothing", { timeout: 20_000 }, (_, text) => {
  expect(kept(text)).toBe("");
});

const OF_XMP = "<xmp:Rating>4</xmp:Rating><xmp:Label>red</xmp:Label><xmp:Nickname>Nick</xmp:Nickname>";
const described = (properties: string) =>
  packet(`${properties}</rdf:Description><rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/">`);

test.each([1, 2, 3])("part %i: properties of XMP's own schemas stay", (part) => {
  const text = described(`</rdf:Description><rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/">${OF_XMP}`);
  const { elements, lost } = keptProperties(new TextEncoder().encode(text), part, () => false);
  for (const value of [">4<", ">red<", ">Nick<"]) expect(elements).toContain(value);
  expect(elements.includes("pdfaProperty:name>Rating<")).toBe(part === 1);
  expect(lost).toEqual([]);
});

test("translations of a title stay beside one that is written anyway", () => {
  const item = (language: string, text: string) => `<rdf:li xml:lang="${language}">${text}</rdf:li>`;
  const title = `<dc:title><rdf:Alt>${item("x-default", "Old")}${item("de", "Neu")}${item("fr-CA", "Titre")}</rdf:Alt></dc:title>`;
  const { translations, elements, lost } = keptProperties(new TextEncoder().encode(packet(title)), 2, () => true);
  expect(translations.get("dc:title")).toBe(item("de", "Neu") + item("fr-CA", "Titre"));
  expect([elements, lost]).toEqual(["", []]);
});

test.each([
  ["structures of unknown kinds", '<a:b xmlns:a="urn:a"><rdf:Bag><rdf:li>1</rdf:li></rdf:Bag></a:b>', "a:b"],
  ["values of another kind", '<x:Rating xmlns:x="http://ns.adobe.com/xap/1.0/">five</x:Rating>', "xmp:Rating"],
  ["properties that a standard does not define", '<x:No xmlns:x="http://ns.adobe.com/xap/1.0/">1</x:No>', "x:No"],
])("%s are reported as lost", (_, property, name) => {
  expect(keptProperties(new TextEncoder().encode(packet(property)), 2, () => false).lost).toEqual([name]);
});
