// Tests reading and changing the conformance claims in XMP packets, in every notation.
import { expect, test } from "vitest";
import { pdfaPart, readClaims, withClaims } from "../../../../../src/document/formats/xmp/claims.ts";

const packet = (content: string) =>
  `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">` +
  `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${content}</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;
const bytes = (text: string) => new TextEncoder().encode(text);
const A = 'xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"';

const ELEMENTS = packet(
  `<rdf:Description ${A}><pdfaid:part>2</pdfaid:part><pdfaid:conformance>U</pdfaid:conformance></rdf:Description>` +
    `<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:source>pdfaid:part="1"</dc:source></rdf:Description>`,
);
const ATTRIBUTES = packet(`<rdf:Description ${A} pdfaid:part='3' pdfaid:conformance="B" rdf:about=""/>`);
const OTHER_PREFIX = packet(
  `<rdf:Description xmlns:id="http://www.aiim.org/pdfa/ns/id/" xmlns:u="http://www.aiim.org/pdfua/ns/id/"` +
    ` xmlns:x4="http://www.npes.org/pdfx/ns/id/" x4:GTS_PDFXVersion="PDF/X-4">` +
    `<id:part>1</id:part>\n<id:conformance rdf:datatype="x">A</id:conformance ><u:part>1</u:part></rdf:Description>`,
);

test.each([
  ["elements", ELEMENTS, ["PDF/A-2u"]],
  ["attributes", ATTRIBUTES, ["PDF/A-3b"]],
  ["other prefixes", OTHER_PREFIX, ["PDF/A-1a", "PDF/UA-1", "PDF/X-4"]],
  ["nothing", packet("<rdf:Description/>"), []],
])("%s", (_, text, names) => {
  expect([...readClaims(bytes(text)).values()].toSorted()).toEqual(names);
  expect([...readClaims(Buffer.from(`\ufeff${text}`, "utf16le").swap16()).values()].toSorted()).toEqual(names);
  expect(pdfaPart(readClaims(bytes(text)))).toBe(Number(/PDF\/A-(\d)/.exec(names.join())?.[1] ?? 0));
  expect(readClaims(withClaims(bytes(text), new Map())!).size).toBe(0);
});

test("everything else stays", () => {
  const text = new TextDecoder().decode(withClaims(bytes(ELEMENTS), new Map()));
  expect(text).toBe(ELEMENTS.replace("<pdfaid:part>2</pdfaid:part><pdfaid:conformance>U</pdfaid:conformance>", ""));
});

test("a claim can become weaker, but not another one", () => {
  expect(readClaims(withClaims(bytes(ELEMENTS), new Map([["PDF/A", "PDF/A-2b"]]))!).get("PDF/A")).toBe("PDF/A-2b");
  expect(withClaims(bytes(ELEMENTS), new Map([["PDF/A", "PDF/A-3b"]]))).toBeUndefined();
  const kept = withClaims(bytes(OTHER_PREFIX), new Map([["PDF/UA", "PDF/UA-1"]]))!;
  expect([...readClaims(kept)]).toEqual([["PDF/UA", "PDF/UA-1"]]);
});
