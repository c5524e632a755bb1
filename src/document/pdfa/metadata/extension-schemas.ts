// Describes XMP properties that no standard defines, and that a packet uses without describing them (ISO 19005-1,
// 6.7.8; -2, 6.6.2.3.3). Describes only text values, because the meaning of structured values is unknown.
import { escapeXml, NAMESPACES } from "./xmp-syntax.ts";

export const EXTENSION = "http://www.aiim.org/pdfa/ns/extension/";
export const SCHEMA = "http://www.aiim.org/pdfa/ns/schema#";
export const PROPERTY = "http://www.aiim.org/pdfa/ns/property#";

/** Maximum number of described properties, because the size of a packet is limited. */
const MOST = 500;
const PREFIX = /^[A-Za-z][\w.-]{0,63}$/;
/** Namespaces of standards, to which properties must not be added. */
const STANDARD =
  /^http:\/\/(ns\.adobe\.com\/(xap|pdf|photoshop|tiff|exif|camera-raw-settings|xmp|iX)\/|purl\.org\/dc\/|www\.w3\.org\/|www\.aiim\.org\/)/;
/** The PDF/UA identifier (ISO 14289-1, 5). No specification that PDF/A refers to defines it. */
const UNIVERSAL_ACCESS = "http://www.aiim.org/pdfua/ns/id/ part";
/** Properties from later editions of the specifications, to which PDF/A does not refer. They can be described. */
export const LATER = new Set([
  "http://ns.adobe.com/pdf/1.3/ Trapped",
  "http://ns.adobe.com/photoshop/1.0/ SupplementalCategories",
  "http://ns.adobe.com/xap/1.0/ Label",
  "http://ns.adobe.com/xap/1.0/ Rating",
  UNIVERSAL_ACCESS,
  "http://ns.adobe.com/xap/1.0/mm/ InstanceID",
  "http://ns.adobe.com/xap/1.0/mm/ OriginalDocumentID",
]);

export class ExtensionSchemas {
  /** Prefix and property names by namespace. */
  readonly #schemas = new Map<string, { readonly prefix: string; readonly names: Set<string> }>();
  #count = 0;

  /** Reports whether a property can be kept. If it can, adds its description. */
  admit(namespace: string, prefix: string | null, name: string): boolean {
    // A reader that checks only prefixes must not confuse the property with a standard one.
    if (prefix && Object.hasOwn(NAMESPACES, prefix) && !STANDARD.test(namespace)) return false;
    const isOther = STANDARD.test(namespace) && !LATER.has(`${namespace} ${name}`);
    if (isOther || !prefix || !PREFIX.test(prefix) || this.#count >= MOST) return false;
    const schema = this.#schemas.get(namespace) ?? { prefix, names: new Set() };
    // A schema has one prefix for all its properties.
    if (schema.prefix !== prefix) return false;
    this.#schemas.set(namespace, schema);
    if (!schema.names.has(name)) this.#count++;
    schema.names.add(name);
    return true;
  }

  /** Returns the schemas as items of an rdf:Bag; empty if there are none. */
  items(): string {
    return [...this.#schemas]
      .map(([uri, { prefix, names }]) => {
        const properties = [...names].map((name) => [name, { type: "Text", description: name }]);
        return schemaItem({ uri, prefix, title: prefix, properties: Object.fromEntries(properties) });
      })
      .join("");
  }
}

/** A schema that no standard to which PDF/A refers defines. */
export interface OwnSchema {
  readonly uri: string;
  readonly prefix: string;
  readonly title: string;
  /** The properties by name. `type` is a type of XMP values, such as `Text`. */
  readonly properties: Readonly<Record<string, { readonly type: string; readonly description: string }>>;
}

/** Returns the description of a schema, as an item of an rdf:Bag. */
export function schemaItem({ uri, prefix, title, properties }: OwnSchema): string {
  const items = Object.entries(properties).map(
    ([name, { type, description }]) =>
      `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${escapeXml(name)}</pdfaProperty:name>` +
      `<pdfaProperty:valueType>${escapeXml(type)}</pdfaProperty:valueType>` +
      `<pdfaProperty:category>external</pdfaProperty:category>` +
      `<pdfaProperty:description>${escapeXml(description)}</pdfaProperty:description></rdf:li>`,
  );
  return (
    `<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>${escapeXml(title)}</pdfaSchema:schema>` +
    `<pdfaSchema:namespaceURI>${escapeXml(uri)}</pdfaSchema:namespaceURI>` +
    `<pdfaSchema:prefix>${escapeXml(prefix)}</pdfaSchema:prefix>` +
    `<pdfaSchema:property><rdf:Seq>${items.join("")}</rdf:Seq></pdfaSchema:property></rdf:li>`
  );
}
