// Parses XMP packets as XML. A packet is untrusted, so its size and depth are limited, and entities are rejected.
import type { Element } from "@xmldom/xmldom";
import { elementsOf, parseXml } from "../../formats/xml.ts";
import { packetText } from "../../formats/xmp/properties.ts";
import { stripInvalidXml } from "./document-information.ts";
import { NAMESPACES } from "./xmp-syntax.ts";

const RDF = NAMESPACES.rdf;
/** Metadata of real documents are smaller. */
const LIMITS = { characters: 1_000_000, nodes: 20_000, depth: 64 };
/** XML 1.0, 2.2, production Char. */
const XML_CHARACTER = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]$/u;

/** @returns the element rdf:RDF; undefined if the packet is not well-formed XMP */
export function parsePacket(packet: Uint8Array): Element | undefined {
  const text = textOfPacket(packet);
  if (text === undefined) return undefined;
  const document = parseXml(text, LIMITS) ?? parseXml(withDeclarations(text), LIMITS);
  return document?.getElementsByTagNameNS(RDF, "RDF")[0];
}

/** Declares prefixes of {@link NAMESPACES} in the outermost element. Some programs add properties without declarations. */
function withDeclarations(text: string): string {
  const [tag = ""] = /^[^>]*/.exec(text) ?? [];
  const missing = Object.entries(NAMESPACES).filter(([prefix]) => !tag.includes(`xmlns:${prefix}=`));
  const declarations = missing.map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`).join("");
  return text.replace(/^<[^\s/>]+/, (start) => start + declarations);
}

function textOfPacket(packet: Uint8Array): string | undefined {
  if (packet.length > LIMITS.characters * 4) return undefined;
  const text = stripInvalidXml(packetText(packet));
  // The outermost element is rdf:RDF, or contains it: x:xmpmeta, or x:xapmeta in old files.
  const start = text.search(/<[A-Za-z_]/);
  if (start < 0) return undefined;
  const [content = ""] = text.slice(start).split("<?xpacket end", 1);
  return withoutInvalidReferences(content.slice(0, content.lastIndexOf(">") + 1));
}

/** Removes references to characters that XML forbids. The characters themselves have already been removed. */
function withoutInvalidReferences(text: string): string {
  return text.replace(/&#(?:x([\da-f]+)|(\d+));/gi, (reference, hexadecimal, decimal) => {
    const code = hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    return code <= 0x10ffff && XML_CHARACTER.test(String.fromCodePoint(code)) ? reference : "";
  });
}

export const descriptionsOf = (root: Element) =>
  elementsOf(root).filter(({ namespaceURI, localName }) => namespaceURI === RDF && localName === "Description");
