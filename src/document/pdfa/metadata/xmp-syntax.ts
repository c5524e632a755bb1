// Writes XMP packets (XMP specification, part 1).

export const NAMESPACES = {
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  dc: "http://purl.org/dc/elements/1.1/",
  xmp: "http://ns.adobe.com/xap/1.0/",
  xmpRights: "http://ns.adobe.com/xap/1.0/rights/",
  xmpMM: "http://ns.adobe.com/xap/1.0/mm/",
  stRef: "http://ns.adobe.com/xap/1.0/sType/ResourceRef#",
  stEvt: "http://ns.adobe.com/xap/1.0/sType/ResourceEvent#",
  pdf: "http://ns.adobe.com/pdf/1.3/",
  photoshop: "http://ns.adobe.com/photoshop/1.0/",
  pdfaid: "http://www.aiim.org/pdfa/ns/id/",
} as const;

/** White space for editing the packet in place (7.3.2). */
const PADDING = `${" ".repeat(99)}\n`.repeat(5);

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** @param properties elements with prefixes of {@link NAMESPACES}, or with their own declarations */
export function packetOf(properties: readonly string[]): Uint8Array {
  const declarations = Object.entries(NAMESPACES).map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`);
  return packetAround(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF${declarations.join("")}>\n` +
      `<rdf:Description rdf:about="">\n${properties.filter((property) => property !== "").join("\n")}\n</rdf:Description>\n` +
      `</rdf:RDF></x:xmpmeta>`,
  );
}

/** @param element the outermost element: x:xmpmeta or rdf:RDF */
export const packetAround = (element: string): Uint8Array =>
  // The header must contain neither `bytes` nor `encoding` (ISO 19005-1, 6.7.5).
  new TextEncoder().encode(
    `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n${element}\n${PADDING}<?xpacket end="w"?>`,
  );
