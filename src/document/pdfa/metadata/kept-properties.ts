// Selects the XMP properties of the document that stay: Dublin Core, rights, origin, properties that the packet
// describes, and simple properties for which a description can be added (ISO 19005-1, 6.7.8 and 6.7.9; -2, 6.6.2.3).
// The packet is untrusted, so its size is limited and entities are rejected.

import { type Attr, type Element, XMLSerializer } from "@xmldom/xmldom";
import { elementsOf, WELL_FORMED } from "../../formats/xml.ts";
import { EXTENSION, ExtensionSchemas, PROPERTY, SCHEMA } from "./extension-schemas.ts";
import { knownProperty, PARTS, type Shape } from "./known-properties.ts";
import { descriptionsOf, parsePacket } from "./parsed-packet.ts";
import { escapeXml, NAMESPACES } from "./xmp-syntax.ts";

const RDF = NAMESPACES.rdf;
const XML = "http://www.w3.org/XML/1998/namespace";
/** Syntax of simple values. */
const SYNTAX = {
  text: /./s,
  rating: /^(?:-1|[0-5])$/,
  date: /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d:\d\d))?)?)?$/,
};

/** The properties to keep from a document's packet. */
export interface KeptProperties {
  /** Elements for an rdf:Description; empty if no property is kept. */
  readonly elements: string;
  /** Items in other languages for properties that the caller writes itself, by prefix and name. */
  readonly translations: ReadonlyMap<string, string>;
  /** Kept properties, by prefix and name. `lost`: removed properties. */
  readonly names: readonly string[];
  readonly lost: readonly string[];
}

const NOTHING: KeptProperties = { elements: "", translations: new Map(), names: [], lost: [] };

/**
 * @param packet the document's packet; nothing is kept if it is not XMP
 * @param part part of ISO 19005
 * @param isSaid reports whether the caller writes a property itself, by prefix and name
 */
export function keptProperties(packet: Uint8Array, part: number, isSaid: (name: string) => boolean): KeptProperties {
  try {
    const root = parsePacket(packet);
    return root ? new Keeper(root, part).properties(isSaid) : NOTHING;
  } catch {
    // A value cannot be written as well-formed XML.
    return NOTHING;
  }
}

class Keeper {
  readonly #root: Element;
  /** Properties that the packet describes, as namespace and name. */
  readonly #declared = new Set<string>();
  readonly #namespaces = new Set<string>();
  readonly #schemas: Element | undefined;
  /** Added descriptions of properties. */
  readonly #added = new ExtensionSchemas();

  readonly #part: number;

  constructor(root: Element, part: number) {
    this.#root = root;
    this.#part = part;
    this.#schemas = descriptionsOf(root)
      .flatMap(elementsOf)
      .find((element) => element.namespaceURI === EXTENSION && element.localName === "schemas");
    if (this.#schemas?.prefix === "pdfaExtension") this.#declare(this.#schemas);
    else this.#schemas = undefined;
  }

  properties(isSaid: (name: string) => boolean): KeptProperties {
    let kept = "";
    const found = new Set<string>();
    const translations = new Map<string, string>();
    const serializer = new XMLSerializer();
    const written = new Set<string>();
    const once = (name: string, make: () => string) => {
      if (written.has(name)) return;
      const text = make();
      if (text !== "") written.add(name);
      kept += text;
    };
    for (const description of descriptionsOf(this.#root)) {
      for (const attribute of Array.from(description.attributes)) {
        const { namespaceURI, localName, value, prefix } = attribute;
        if (!namespaceURI || !localName) continue;
        const known = this.#known(`${namespaceURI} ${localName}`);
        const name = known?.name ?? `${prefix}:${localName}`;
        if (!OF_SYNTAX.has(namespaceURI)) found.add(name);
        if (known && !isSaid(name)) once(name, () => simple(name, known.shape, value));
        else if (!known && this.#mayStay(attribute) && value.trim() !== "") {
          once(name, () => `<${name} xmlns:${prefix}="${escapeXml(namespaceURI)}">${escapeXml(value)}</${name}>`);
        }
      }
      for (const element of elementsOf(description)) {
        const { namespaceURI, localName } = element;
        if (!namespaceURI || !localName) continue;
        const known = this.#known(`${namespaceURI} ${localName}`);
        const name = known?.name ?? `${element.prefix}:${localName}`;
        if (!OF_SYNTAX.has(namespaceURI)) found.add(name);
        if (known) {
          if (!isSaid(name)) once(name, () => rewriteProperty(element, name, known.shape));
          else if (known.shape === "Alt") translations.set(name, itemsOf(element, name, "Alt", OTHER_LANGUAGES));
        } else if (this.#isDeclared(namespaceURI, localName)) {
          once(name, () => serializer.serializeToString(element, WELL_FORMED));
        } else if (isPlain(element) && this.#mayStay(element)) {
          once(name, () => serializer.serializeToString(element, WELL_FORMED));
        }
      }
    }
    const lost = [...found].filter((name) => !written.has(name) && !isSaid(name));
    return { elements: this.#described(serializer) + kept, translations, names: [...written], lost };
  }

  /** Returns the schemas of the packet, and the added schemas. */
  #described(serializer: XMLSerializer): string {
    const own = this.#schemas && this.#declared.size > 0 ? elementsOf(this.#schemas).flatMap(elementsOf) : [];
    const items = own.map((item) => serializer.serializeToString(item, WELL_FORMED)).join("") + this.#added.items();
    if (items === "") return "";
    const prefixes = `xmlns:pdfaExtension="${EXTENSION}" xmlns:pdfaSchema="${SCHEMA}" xmlns:pdfaProperty="${PROPERTY}"`;
    return `<pdfaExtension:schemas ${prefixes}><rdf:Bag>${items}</rdf:Bag></pdfaExtension:schemas>`;
  }

  #mayStay({ namespaceURI, prefix, localName }: Attr | Element): boolean {
    if (!namespaceURI || !localName) return false;
    if (this.#isDeclared(namespaceURI, localName)) return Boolean(prefix);
    // In a schema that the packet describes, only the described properties are allowed.
    return !this.#namespaces.has(namespaceURI) && this.#added.admit(namespaceURI, prefix, localName);
  }

  #known(property: string) {
    return knownProperty(property, this.#part);
  }

  #isDeclared(namespace: string, name: string): boolean {
    return namespace !== NAMESPACES.pdfaid && this.#declared.has(`${namespace} ${name}`);
  }

  #declare(schemas: Element): void {
    for (const uri of Array.from(schemas.getElementsByTagNameNS(SCHEMA, "namespaceURI"))) {
      const schema = uri.parentNode as Element | null;
      if (!schema) continue;
      this.#namespaces.add((uri.textContent ?? "").trim());
      for (const list of elementsOf(schema).filter(({ localName }) => localName === "property")) {
        for (const name of Array.from(list.getElementsByTagNameNS(PROPERTY, "name"))) {
          this.#declared.add(`${(uri.textContent ?? "").trim()} ${(name.textContent ?? "").trim()}`);
        }
      }
    }
  }
}

/** Returns the rewritten property; empty if its value has invalid syntax. */
function rewriteProperty(element: Element, name: string, shape: Shape): string {
  if (shape === "text" || shape === "date" || shape === "rating")
    return elementsOf(element).length > 0 ? "" : simple(name, shape, element.textContent ?? "");
  if (shape === "reference") return structure(element, name, shape);
  const container = elementsOf(element)[0];
  if (shape === "events") {
    const items = container ? elementsOf(container).filter(({ localName }) => localName === "li") : [];
    const events = items.map((item) => structure(item, "rdf:li", shape)).join("");
    return events === "" ? "" : `<${name}><rdf:Seq>${events}</rdf:Seq></${name}>`;
  }
  const items = itemsOf(element, name, shape);
  return items === "" ? "" : `<${name}><rdf:${shape}>${items}</rdf:${shape}></${name}>`;
}

const DEFAULT_LANGUAGE = "x-default";
const OTHER_LANGUAGES: ReadonlySet<string> = new Set([DEFAULT_LANGUAGE]);

/**
 * Returns the items of a property's list; empty if there are none, or the list is of another kind.
 * @param left languages to omit
 */
function itemsOf(element: Element, name: string, shape: Shape, left: ReadonlySet<string> = new Set()): string {
  const container = elementsOf(element)[0];
  if (container?.namespaceURI !== RDF || container.localName !== shape) return "";
  let items = "";
  const languages = new Set(left);
  for (const item of elementsOf(container)) {
    const text = (item.textContent ?? "").trim();
    if (item.localName !== "li" || elementsOf(item).length > 0 || text === "") continue;
    if (name === "dc:date" && !SYNTAX.date.test(text)) continue;
    const language = item.getAttributeNS(XML, "lang") || DEFAULT_LANGUAGE;
    if (shape === "Alt" && (languages.has(language) || !/^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/.test(language))) continue;
    languages.add(language);
    items +=
      shape === "Alt"
        ? `<rdf:li xml:lang="${language}">${escapeXml(text)}</rdf:li>`
        : `<rdf:li>${escapeXml(text)}</rdf:li>`;
  }
  return items;
}

/** Namespaces without properties of the document: XML syntax, the PDF/A identifier, and descriptions of properties. */
const OF_SYNTAX = new Set<string>([RDF, XML, "http://www.w3.org/2000/xmlns/", NAMESPACES.pdfaid, EXTENSION]);

/**
 * Rewrites a structured value. Its fields are attributes or elements, of the element itself or of a nested
 * rdf:Description (XMP specification, part 1, 7.6 and 7.9.2).
 */
function structure(element: Element, name: string, shape: keyof typeof PARTS): string {
  const { prefix, names } = PARTS[shape];
  const [first, ...others] = elementsOf(element);
  const holder = first?.localName === "Description" && others.length === 0 ? first : element;
  const parts = names.split(" ").map((part) => {
    const inside = elementsOf(holder).find((child) => isNamed(child, prefix, part) && elementsOf(child).length === 0);
    const text = inside?.textContent ?? holder.getAttributeNS(NAMESPACES[prefix], part) ?? "";
    return simple(`${prefix}:${part}`, part === "when" ? "date" : "text", text);
  });
  return parts.every((part) => part === "") ? "" : `<${name} rdf:parseType="Resource">${parts.join("")}</${name}>`;
}

const isNamed = ({ namespaceURI, localName }: Element, prefix: keyof typeof NAMESPACES, name: string) =>
  namespaceURI === NAMESPACES[prefix] && localName === name;

/** Reports whether an element contains only text. */
const isPlain = (element: Element): boolean =>
  elementsOf(element).length === 0 &&
  (element.textContent ?? "").trim() !== "" &&
  Array.from(element.attributes).every(({ name }) => name === "xmlns" || name.startsWith("xmlns:"));

function simple(name: string, shape: Shape, value: string): string {
  const text = value.trim();
  const isSound = shape in SYNTAX && SYNTAX[shape as keyof typeof SYNTAX].test(text);
  if (!isSound || (name === "xmpRights:Marked" && !/^(True|False)$/.test(text))) return "";
  return `<${name}>${escapeXml(text)}</${name}>`;
}
