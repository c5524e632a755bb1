// Descriptions of properties that no standard knows (ISO 19005-1, 6.7.8; -2, 6.6.2.3.3): what a packet says of itself without
// having described it. Only of plain text: what a value with parts means nobody can say.
import { escapeXml, NAMESPACES } from "./xmp-syntax.ts";

export const EXTENSION = "http://www.aiim.org/pdfa/ns/extension/";
export const SCHEMA = "http://www.aiim.org/pdfa/ns/schema#";
export const PROPERTY = "http://www.aiim.org/pdfa/ns/property#";

/** Properties that are described; a packet has its limits. */
const MOST = 500;
const PREFIX = /^[A-Za-z][\w.-]{0,63}$/;
/** Of standards: what these define is known, and what they do not define must not be put in. */
const STANDARD =
  /^http:\/\/(ns\.adobe\.com\/(xap|pdf|photoshop|tiff|exif|camera-raw-settings|xmp|iX)\/|purl\.org\/dc\/|www\.w3\.org\/|www\.aiim\.org\/)/;
/** Defined by later editions than PDF/A refers to; their description is in order. */
const LATER = new Set([
  "http://ns.adobe.com/xap/1.0/mm/ InstanceID",
  "http://ns.adobe.com/xap/1.0/mm/ OriginalDocumentID",
]);

export class ExtensionSchemas {
  /** Names by namespace, with the prefix. */
  readonly #schemas = new Map<string, { readonly prefix: string; readonly names: Set<string> }>();
  #count = 0;

  /** Whether a property may be there, since it will be described. */
  admit(namespace: string, prefix: string | null, name: string): boolean {
    // A reader that looks at prefixes only must not take it for what it is not.
    if (prefix && Object.hasOwn(NAMESPACES, prefix) && !STANDARD.test(namespace)) return false;
    const isOther = STANDARD.test(namespace) && !LATER.has(`${namespace} ${name}`);
    if (isOther || !prefix || !PREFIX.test(prefix) || this.#count >= MOST) return false;
    const schema = this.#schemas.get(namespace) ?? { prefix, names: new Set() };
    // Its properties have one prefix.
    if (schema.prefix !== prefix) return false;
    this.#schemas.set(namespace, schema);
    if (!schema.names.has(name)) this.#count++;
    schema.names.add(name);
    return true;
  }

  /** Items of a bag of schemas; empty where nothing was admitted. */
  items(): string {
    return [...this.#schemas]
      .map(
        ([namespace, { prefix, names }]) =>
          `<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>${escapeXml(prefix)}</pdfaSchema:schema>` +
          `<pdfaSchema:namespaceURI>${escapeXml(namespace)}</pdfaSchema:namespaceURI>` +
          `<pdfaSchema:prefix>${escapeXml(prefix)}</pdfaSchema:prefix>` +
          `<pdfaSchema:property><rdf:Seq>${[...names].map(property).join("")}</rdf:Seq></pdfaSchema:property></rdf:li>`,
      )
      .join("");
  }
}

const property = (name: string) =>
  `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${escapeXml(name)}</pdfaProperty:name>` +
  `<pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category>` +
  `<pdfaProperty:description>${escapeXml(name)}</pdfaProperty:description></rdf:li>`;
