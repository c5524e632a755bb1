// Tests reading properties of XMP packets, in each form in which programs write them.
import { describe, expect, test } from "vitest";
import { readClaims } from "../../../../../src/document/formats/xmp/claims.ts";
import { packetText, textsIn } from "../../../../../src/document/formats/xmp/properties.ts";

const DC = "http://purl.org/dc/elements/1.1/";
const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const packet = (content: string, declarations = `xmlns:dc="${DC}"`) =>
  `<rdf:RDF xmlns:rdf="${RDF}"><rdf:Description ${declarations}>${content}</rdf:Description></rdf:RDF>`;
const read = (text: string, name = "title") => textsIn(new TextEncoder().encode(text), new Set([`${DC} ${name}`]));
const titleIn = (text: string) => read(text).get(`${DC} title`);

test.each([
  ["an element", packet("<dc:title>A &amp; B &#x3c9;&#955;</dc:title>"), "A & B ωλ"],
  ["an attribute", packet("", `xmlns:dc='${DC}' dc:title='A "b"'`), 'A "b"'],
  ["another prefix", packet("<a.b:title> A\n</a.b:title>", `xmlns:a.b="${DC}"`), "A"],
  [
    "languages",
    packet(
      '<dc:title><rdf:Alt><rdf:li xml:lang="de">B</rdf:li><rdf:li xml:lang="x-default">A</rdf:li></rdf:Alt></dc:title>',
    ),
    "A",
  ],
  ["a list", packet("<dc:title>\n<rdf:Seq><rdf:li>A</rdf:li> <rdf:li>B</rdf:li></rdf:Seq></dc:title>"), "A; B"],
  ["an empty one before", packet("<dc:title/><dc:title> </dc:title><dc:title>A</dc:title>"), "A"],
  ["nothing", packet("<dc:subject>A</dc:subject>"), undefined],
  ["another namespace", packet("<x:title>A</x:title>", 'xmlns:x="urn:x"'), undefined],
  ["what is no character", packet("<dc:title>A&#x110000;&#xd800;</dc:title>"), "A\ufffd\ufffd"],
  ["an element that never ends", packet("<dc:title><rdf:Alt>"), undefined],
])("%s", (_, text, title) => {
  expect(titleIn(text)).toBe(title);
});

test("packets are UTF-8, UTF-16 or UTF-32", () => {
  const text = packet("<dc:title>Ω 😀</dc:title>");
  const wide = (isLittleEndian: boolean) => {
    const view = new DataView(new ArrayBuffer(4 * (text.length + 1)));
    for (const [index, character] of [..."\ufeff", ...text].entries())
      view.setUint32(4 * index, character.codePointAt(0)!, isLittleEndian);
    return new Uint8Array(view.buffer);
  };
  const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
  const marked = [utf16, Buffer.from(utf16).swap16(), wide(true), wide(false)];
  // The byte order mark has two or four bytes.
  for (const [index, bytes] of marked.entries())
    for (const one of [bytes, bytes.subarray(index < 2 ? 2 : 4)])
      expect(packetText(one)).toContain("<dc:title>Ω 😀</dc:title>");
});

describe("a hostile packet is read in linear time", () => {
  const A = "http://www.aiim.org/pdfa/ns/id/";
  test.each([
    ["prefixes", packet("", Array.from({ length: 100_000 }, (_, index) => `xmlns:p${index}="${A}"`).join(" "))],
    ["claims", packet("<p:part>1</p:part>".repeat(300_000), `xmlns:p="${A}"`)],
    ["elements that never end", packet("<dc:title><rdf:Alt>".repeat(300_000))],
    ["spaces", packet(" ".repeat(8_000_000))],
  ])("%s", (_, text) => {
    expect(titleIn(text)).toBeUndefined();
    expect(readClaims(new TextEncoder().encode(text)).size).toBeLessThan(2);
  });
});
