// Changes properties of an XMP packet, and keeps all others (ISO 16684-1).
import { type Element, XMLSerializer } from "@xmldom/xmldom";
import { INFO_ENTRIES, type InfoEntry } from "../facts/info-entries.ts";
import { elementsOf, parseXml, WELL_FORMED } from "../formats/xml.ts";
import { CUSTOM, customEntryName, customPropertyName } from "../formats/xmp/custom-names.ts";
import { EXTENSION, type OwnSchema, SCHEMA } from "../pdfa/metadata/extension-schemas.ts";
import { descriptionsOf, parsePacket } from "../pdfa/metadata/parsed-packet.ts";
import { NAMESPACES, packetAround, packetOf } from "../pdfa/metadata/xmp-syntax.ts";
import { descriptionOf, type SchemaValues } from "./own-schema.ts";

const { rdf: RDF, dc: DC } = NAMESPACES;
const XML = "http://www.w3.org/XML/1998/namespace";
const XMLNS = "http://www.w3.org/2000/xmlns/";
/** Lists in which a property has its value; a property without one has plain text. */
const LISTS: Readonly<Partial<Record<InfoEntry, "Alt" | "Seq">>> = { Title: "Alt", Subject: "Alt", Author: "Seq" };
const DESCRIPTION_LIMITS = { characters: 100_000, nodes: 1000, depth: 20 };
const SEPARATORS = /\s*[,;]\s*/;

export class Packet {
  readonly #root: Element;
  /** True if the packet is not well-formed. A new packet then replaces it. */
  readonly isReplaced: boolean;
  /** True if a text in the language of the document was written. */
  hasNewTexts = false;

  /** @param packet undefined if the document has none */
  constructor(packet: Uint8Array | undefined) {
    const root = packet && parsePacket(packet);
    this.isReplaced = packet !== undefined && root === undefined;
    this.#root = root ?? parsePacket(packetOf([]))!;
  }

  /** @param text removes the property if it is empty */
  set(entry: InfoEntry, text: string): void {
    const [uri, name] = INFO_ENTRIES[entry].split(" ") as [string, string];
    this.#put(uri, name, text === "" ? [] : [text], LISTS[entry]);
  }

  /** Changes the list of keywords, which some programs write besides the text. */
  setKeywords(text: string): void {
    if (this.#has(DC, "subject")) this.#put(DC, "subject", text.split(SEPARATORS).filter(Boolean), "Bag");
  }

  setLanguage(language: string): void {
    if (this.#has(DC, "language")) this.#put(DC, "language", language === "" ? [] : [language], "Bag");
  }

  /** Changes the date of the metadata. */
  setTime(time: string): void {
    if (this.#has(NAMESPACES.xmp, "MetadataDate")) this.#put(NAMESPACES.xmp, "MetadataDate", [time]);
  }

  /**
   * @param entry name of the entry in the Info dictionary
   * @param mayAdd false to only change a property that the packet has
   * @param text removes the property if it is empty
   */
  setCustom(entry: string, text: string, mayAdd: boolean): void {
    const old = this.#customNames().filter((name) => customEntryName(name) === entry);
    for (const name of old) this.#put(CUSTOM.uri, name, []);
    if (text !== "" && (mayAdd || old.length > 0)) this.#put(CUSTOM.uri, customPropertyName(entry), [text]);
  }

  #customNames(): readonly string[] {
    return descriptionsOf(this.#root)
      .flatMap((description) => [...Array.from(description.attributes), ...elementsOf(description)])
      .flatMap(({ namespaceURI, localName }) => (namespaceURI === CUSTOM.uri && localName ? [localName] : []));
  }

  /** @param isDescribed true if the packet must describe the schema */
  setSchema({ schema, values }: SchemaValues, isDescribed: boolean): void {
    const { uri, prefix, properties } = schema;
    for (const name of Object.keys(properties)) {
      const value = values[name];
      this.#put(uri, name, value === undefined ? [] : [value], undefined, prefix);
    }
    if (isDescribed) this.#describe(schema);
  }

  /** Adds the description of a schema to the others, and replaces an earlier one. */
  #describe(schema: OwnSchema): void {
    const [schemas = this.#element(this.#description(), EXTENSION, "pdfaExtension:schemas")] = descriptionsOf(
      this.#root,
    ).flatMap((description) => this.#elements(description, EXTENSION, "schemas"));
    const [bag = this.#element(schemas, RDF, "rdf:Bag")] = elementsOf(schemas);
    for (const item of elementsOf(bag)) {
      const [uri] = Array.from(item.getElementsByTagNameNS(SCHEMA, "namespaceURI"));
      if (uri?.textContent?.trim() === schema.uri) bag.removeChild(item);
    }
    const [described] = elementsOf(parseXml(descriptionOf(schema), DESCRIPTION_LIMITS)!.documentElement!);
    bag.appendChild(bag.ownerDocument!.importNode(described!, true));
  }

  bytes(): Uint8Array {
    const { documentElement } = this.#root.ownerDocument!;
    return packetAround(new XMLSerializer().serializeToString(documentElement!, WELL_FORMED));
  }

  #has(uri: string, name: string): boolean {
    return descriptionsOf(this.#root).some(
      (description) => description.hasAttributeNS(uri, name) || this.#elements(description, uri, name).length > 0,
    );
  }

  #elements(description: Element, uri: string, name: string): readonly Element[] {
    return elementsOf(description).filter(({ namespaceURI, localName }) => namespaceURI === uri && localName === name);
  }

  /** Replaces a property. Other languages of the old value are removed, because they mean the old value. */
  #put(
    uri: string,
    name: string,
    values: readonly string[],
    list?: "Alt" | "Seq" | "Bag",
    prefix = prefixOf(uri),
  ): void {
    for (const description of descriptionsOf(this.#root)) {
      description.removeAttributeNS(uri, name);
      for (const element of this.#elements(description, uri, name)) description.removeChild(element);
    }
    if (values.length === 0) return;
    const property = this.#element(this.#description(), uri, `${prefix}:${name}`);
    if (list === undefined) {
      property.textContent = values[0]!;
      return;
    }
    const container = this.#element(property, RDF, `rdf:${list}`);
    for (const value of values) {
      const item = this.#element(container, RDF, "rdf:li");
      if (list === "Alt") {
        item.setAttributeNS(XML, "xml:lang", "x-default");
        this.hasNewTexts = true;
      }
      item.textContent = value;
    }
  }

  #description(): Element {
    const [first] = descriptionsOf(this.#root);
    if (first) return first;
    const made = this.#element(this.#root, RDF, "rdf:Description");
    made.setAttributeNS(RDF, "rdf:about", "");
    return made;
  }

  /** Adds an element, with the declaration of its prefix: a parent can use the prefix for another namespace. */
  #element(parent: Element, uri: string, name: string): Element {
    const element = parent.ownerDocument!.createElementNS(uri, name);
    element.setAttributeNS(XMLNS, `xmlns:${name.split(":")[0]}`, uri);
    parent.appendChild(element);
    return element;
  }
}

const prefixOf = (uri: string): string =>
  uri === CUSTOM.uri ? CUSTOM.prefix : Object.entries(NAMESPACES).find(([, known]) => known === uri)![0];
