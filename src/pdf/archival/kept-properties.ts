// What of a document's own XMP can stay: Dublin Core, rights, and properties that the packet itself declares (ISO 19005-1, 6.7.8
// and 6.7.9; -2, 6.6.2.3). Knows no PDF. The packet is a stranger's: it is bounded, and has no entities.
import { DOMParser, type Element, type Node, XMLSerializer } from "@xmldom/xmldom";
import { legible } from "./document-information.ts";
import { escapeXml, NAMESPACES } from "./xmp-syntax.ts";

const RDF = NAMESPACES.rdf;
const XML = "http://www.w3.org/XML/1998/namespace";
const EXTENSION = "http://www.aiim.org/pdfa/ns/extension/";
const SCHEMA = "http://www.aiim.org/pdfa/ns/schema#";
const PROPERTY = "http://www.aiim.org/pdfa/ns/property#";
/** A packet with more is not metadata of a document. */
const MAX_CHARACTERS = 1_000_000;
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;
const ELEMENT_NODE = 1;

/** How a property's value is written (XMP specification, part 1, 7.5 to 7.7). */
type Shape = "text" | "date" | "Alt" | "Bag" | "Seq";

/** By prefix. The last two are said by the information dictionary too, and here only where it does not. */
const SHAPES: Readonly<Record<"dc" | "xmpRights" | "pdf" | "xmp", Readonly<Record<string, Shape>>>> = {
  dc: {
    contributor: "Bag",
    coverage: "text",
    creator: "Seq",
    date: "Seq",
    description: "Alt",
    identifier: "text",
    language: "Bag",
    publisher: "Bag",
    relation: "Bag",
    rights: "Alt",
    source: "text",
    subject: "Bag",
    title: "Alt",
    type: "Bag",
  },
  xmpRights: { Certificate: "text", Marked: "text", Owner: "Bag", UsageTerms: "Alt", WebStatement: "text" },
  pdf: { Keywords: "text", Producer: "text" },
  xmp: { CreateDate: "date", CreatorTool: "text", ModifyDate: "date" },
};
/** By namespace and name: what a property is called here, and its shape. */
const KNOWN = new Map<string, { readonly name: string; readonly shape: Shape }>();
for (const prefix of ["dc", "xmpRights", "pdf", "xmp"] as const) {
  for (const [name, shape] of Object.entries(SHAPES[prefix])) {
    KNOWN.set(`${NAMESPACES[prefix]} ${name}`, { name: `${prefix}:${name}`, shape });
  }
}
const W3C_DATE = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d:\d\d))?)?)?$/;

/**
 * @param packet of the document
 * @param isSaid whether a property is written anyway, by its prefix and name
 * @returns elements for an rdf:Description; empty where nothing stays, or the packet is no XMP
 */
export function keptProperties(packet: Uint8Array, isSaid: (name: string) => boolean): string {
  const text = textOfPacket(packet);
  if (text === undefined) return "";
  try {
    const root = parse(text);
    return root ? new Keeper(root).properties(isSaid) : "";
  } catch {
    // What is not well formed says nothing.
    return "";
  }
}

function textOfPacket(packet: Uint8Array): string | undefined {
  if (packet.length > MAX_CHARACTERS * 2) return undefined;
  const encoding = packet[0] === 0xfe && packet[1] === 0xff ? "utf-16be" : packet[0] === 0xff ? "utf-16le" : "utf-8";
  const text = legible(new TextDecoder(encoding).decode(packet));
  const start = text.search(/<(?:x:xmpmeta|rdf:RDF)\b/);
  if (start < 0 || text.length > MAX_CHARACTERS || /<!(?:DOCTYPE|ENTITY)/i.test(text)) return undefined;
  return text.slice(start).replace(/<\?xpacket end[\s\S]*$/, "");
}

function parse(text: string): Element | undefined {
  // Nesting is counted before anything recurses over it.
  let depth = 0;
  let nodes = 0;
  for (const [tag] of text.matchAll(/<[^>]*>/g)) {
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

class Keeper {
  readonly #root: Element;
  /** Namespaces and names that the packet declares. */
  readonly #declared = new Set<string>();
  readonly #schemas: Element | undefined;

  constructor(root: Element) {
    this.#root = root;
    this.#schemas = descriptionsOf(root)
      .flatMap(elementsOf)
      .find((element) => element.namespaceURI === EXTENSION && element.localName === "schemas");
    if (this.#schemas?.prefix === "pdfaExtension") this.#declare(this.#schemas);
    else this.#schemas = undefined;
  }

  properties(isSaid: (name: string) => boolean): string {
    let kept = "";
    const serializer = new XMLSerializer();
    const written = new Set<string>();
    const once = (name: string, make: () => string) => {
      if (written.has(name)) return;
      const text = make();
      if (text !== "") written.add(name);
      kept += text;
    };
    if (this.#schemas && this.#declared.size > 0) kept += serializer.serializeToString(this.#schemas);
    for (const description of descriptionsOf(this.#root)) {
      for (const attribute of Array.from(description.attributes)) {
        const { namespaceURI, localName, value, prefix } = attribute;
        if (!namespaceURI || !localName) continue;
        const known = KNOWN.get(`${namespaceURI} ${localName}`);
        const name = known?.name ?? `${prefix}:${localName}`;
        if (known && !isSaid(name)) once(name, () => simple(name, known.shape, value));
        else if (this.#isDeclared(namespaceURI, localName) && prefix) {
          once(name, () => `<${name} xmlns:${prefix}="${escapeXml(namespaceURI)}">${escapeXml(value)}</${name}>`);
        }
      }
      for (const element of elementsOf(description)) {
        const { namespaceURI, localName } = element;
        if (!namespaceURI || !localName) continue;
        const known = KNOWN.get(`${namespaceURI} ${localName}`);
        const name = known?.name ?? `${element.prefix}:${localName}`;
        if (known) {
          if (!isSaid(name)) once(name, () => rewritten(element, name, known.shape));
        } else if (this.#isDeclared(namespaceURI, localName)) {
          once(name, () => serializer.serializeToString(element));
        }
      }
    }
    return kept;
  }

  #isDeclared(namespace: string, name: string): boolean {
    return namespace !== NAMESPACES.pdfaid && this.#declared.has(`${namespace} ${name}`);
  }

  #declare(schemas: Element): void {
    for (const uri of Array.from(schemas.getElementsByTagNameNS(SCHEMA, "namespaceURI"))) {
      const schema = uri.parentNode as Element | null;
      if (!schema) continue;
      for (const list of elementsOf(schema).filter(({ localName }) => localName === "property")) {
        for (const name of Array.from(list.getElementsByTagNameNS(PROPERTY, "name"))) {
          this.#declared.add(`${(uri.textContent ?? "").trim()} ${(name.textContent ?? "").trim()}`);
        }
      }
    }
  }
}

/** The value written anew, where it has the shape it must have. */
function rewritten(element: Element, name: string, shape: Shape): string {
  if (shape === "text" || shape === "date")
    return elementsOf(element).length > 0 ? "" : simple(name, shape, element.textContent ?? "");
  const container = elementsOf(element)[0];
  if (container?.namespaceURI !== RDF || container.localName !== shape) return "";
  let items = "";
  const languages = new Set<string>();
  for (const item of elementsOf(container)) {
    const text = (item.textContent ?? "").trim();
    if (item.localName !== "li" || elementsOf(item).length > 0 || text === "") continue;
    if (name === "dc:date" && !W3C_DATE.test(text)) continue;
    const language = item.getAttributeNS(XML, "lang") || "x-default";
    if (shape === "Alt" && (languages.has(language) || !/^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/.test(language))) continue;
    languages.add(language);
    items +=
      shape === "Alt"
        ? `<rdf:li xml:lang="${language}">${escapeXml(text)}</rdf:li>`
        : `<rdf:li>${escapeXml(text)}</rdf:li>`;
  }
  return items === "" ? "" : `<${name}><rdf:${shape}>${items}</rdf:${shape}></${name}>`;
}

function simple(name: string, shape: Shape, value: string): string {
  const text = value.trim();
  const isSound = shape === "date" ? W3C_DATE.test(text) : shape === "text" && text !== "";
  if (!isSound || (name === "xmpRights:Marked" && !/^(True|False)$/.test(text))) return "";
  return `<${name}>${escapeXml(text)}</${name}>`;
}

const descriptionsOf = (root: Element) =>
  elementsOf(root).filter(({ namespaceURI, localName }) => namespaceURI === RDF && localName === "Description");

const elementsOf = (node: Node): Element[] =>
  Array.from(node.childNodes).filter((child): child is Element => child.nodeType === ELEMENT_NODE);
