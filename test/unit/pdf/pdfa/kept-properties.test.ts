// Tests the document's metadata that PDF/A preserves.
import { expect, test } from "vitest";
import { keptProperties } from "../../../../src/pdf/pdfa/metadata/kept-properties.ts";

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
