// Parses XMP packets as XML. A packet is untrusted, so its size and depth are limited, and entities are rejected.
import { DOMParser, type Element, type Node } from "@xmldom/xmldom";
import { packetText } from "../../formats/xmp/properties.ts";
import { stripInvalidXml } from "./document-information.ts";
import { NAMESPACES } from "./xmp-syntax.ts";

const RDF = NAMESPACES.rdf;
/** Maximum size of a packet. Metadata of a real document are smaller. */
const MAX_CHARACTERS = 1_000_000;
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;
const ELEMENT_NODE = 1;
/** Makes the serializer throw instead of writing XML that is not well-formed. */
export const WELL_FORMED = { requireWellFormed: true };
/** XML 1.0, 2.2, production Char. */
const XML_CHARACTER = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]$/u;

/** @returns the element rdf:RDF; undefined if the packet is not well-formed XMP */
export function parsePacket(packet: Uint8Array): Element | undefined {
  const text = textOfPacket(packet);
  if (text === undefined) return undefined;
  for (const attempt of [text, withDeclarations(text)]) {
    try {
      return parse(attempt);
    } catch {
      // The next attempt can be well-formed.
    }
  }
  return undefined;
}

/** Declares prefixes of {@link NAMESPACES} in the outermost element. Some programs add properties without declarations. */
function withDeclarations(text: string): string {
  const [tag = ""] = /^[^>]*/.exec(text) ?? [];
  const missing = Object.entries(NAMESPACES).filter(([prefix]) => !tag.includes(`xmlns:${prefix}=`));
  const declarations = missing.map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`).join("");
  return text.replace(/^<[^\s/>]+/, (start) => start + declarations);
}

function textOfPacket(packet: Uint8Array): string | undefined {
  if (packet.length > MAX_CHARACTERS * 4) return undefined;
  const text = stripInvalidXml(packetText(packet));
  // The outermost element is rdf:RDF, or contains it: x:xmpmeta, or x:xapmeta in old files.
  const start = text.search(/<[A-Za-z_]/);
  if (start < 0 || text.length > MAX_CHARACTERS || /<!(?:DOCTYPE|ENTITY)/i.test(text)) return undefined;
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

function parse(text: string): Element | undefined {
  // The depth is checked first, because the code that follows is recursive.
  let depth = 0;
  let nodes = 0;
  for (const tag of tagsOf(text)) {
    if (tag.startsWith("</")) depth--;
    else if (!tag.endsWith("/>") && !/^<[!?]/.test(tag)) depth++;
    if (depth > MAX_DEPTH || ++nodes > MAX_NODES) return undefined;
  }
  const refuse = (level: string, message: string) => {
    if (level !== "warning") throw new SyntaxError(message);
  };
  const document = new DOMParser({ onError: refuse }).parseFromString(text, "text/xml");
  return document.getElementsByTagNameNS(RDF, "RDF")[0] ?? undefined;
}

function* tagsOf(text: string): Generator<string> {
  for (let start = text.indexOf("<"); start >= 0; ) {
    const end = text.indexOf(">", start);
    if (end < 0) return;
    yield text.slice(start, end + 1);
    start = text.indexOf("<", end);
  }
}

export const descriptionsOf = (root: Element) =>
  elementsOf(root).filter(({ namespaceURI, localName }) => namespaceURI === RDF && localName === "Description");

export const elementsOf = (node: Node): Element[] =>
  Array.from(node.childNodes).filter((child): child is Element => child.nodeType === ELEMENT_NODE);
