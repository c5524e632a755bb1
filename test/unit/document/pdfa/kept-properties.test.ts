// Tests the document's metadata that PDF/A preserves.
import { expect, test } from "vitest";
import { keptProperties } from "../../../../src/document/pdfa/metadata/kept-properties.ts";

const kept = (text: string) => keptProperties(new TextEncoder().encode(text), 2, () => false).elements;
const packet = (properties: string) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">${properties}</rdf:Description></rdf:RDF></x:xmpmeta>`;

test("a property that PDF/A knows stays", () => {
  expect(kept(packet("<dc:source>a book</dc:source>"))).toContain("a book");
});

// The limit of time is what these are about: each takes milliseconds where the text is read once.
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
