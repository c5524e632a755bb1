// XMP schemas that no standard to which PDF/A refers defines. Parts 1 to 3 of PDF/A require that a packet describes them
// (ISO 19005-1, 6.7.8; -2, 6.6.2.3.3).
import { EXTENSION, PROPERTY, SCHEMA } from "../pdfa/metadata/extension-schemas.ts";
import { escapeXml, NAMESPACES } from "../pdfa/metadata/xmp-syntax.ts";

export interface OwnSchema {
  readonly uri: string;
  readonly prefix: string;
  readonly title: string;
  /** The properties by name. `type` is a type of XMP values, such as `Text`. */
  readonly properties: Readonly<Record<string, { readonly type: string; readonly description: string }>>;
}

export interface SchemaValues {
  readonly schema: OwnSchema;
  /** The values by property. Properties without one are removed. */
  readonly values: Readonly<Record<string, string>>;
}

/** Returns the description of a schema, as an element of RDF with its namespaces. */
export function descriptionOf({ uri, prefix, title, properties }: OwnSchema): string {
  const items = Object.entries(properties).map(
    ([name, { type, description }]) =>
      `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${escapeXml(name)}</pdfaProperty:name>` +
      `<pdfaProperty:valueType>${escapeXml(type)}</pdfaProperty:valueType>` +
      `<pdfaProperty:category>external</pdfaProperty:category>` +
      `<pdfaProperty:description>${escapeXml(description)}</pdfaProperty:description></rdf:li>`,
  );
  const namespaces =
    `xmlns:rdf="${NAMESPACES.rdf}" xmlns:pdfaExtension="${EXTENSION}" ` +
    `xmlns:pdfaSchema="${SCHEMA}" xmlns:pdfaProperty="${PROPERTY}"`;
  return (
    `<rdf:li ${namespaces} rdf:parseType="Resource"><pdfaSchema:schema>${escapeXml(title)}</pdfaSchema:schema>` +
    `<pdfaSchema:namespaceURI>${escapeXml(uri)}</pdfaSchema:namespaceURI>` +
    `<pdfaSchema:prefix>${escapeXml(prefix)}</pdfaSchema:prefix>` +
    `<pdfaSchema:property><rdf:Seq>${items.join("")}</rdf:Seq></pdfaSchema:property></rdf:li>`
  );
}
