// XMP schemas that no standard to which PDF/A refers defines. Parts 1 to 3 of PDF/A require that a packet describes them
// (ISO 19005-1, 6.7.8; -2, 6.6.2.3.3).
import { EXTENSION, type OwnSchema, PROPERTY, SCHEMA, schemaItem } from "../pdfa/metadata/extension-schemas.ts";
import { NAMESPACES } from "../pdfa/metadata/xmp-syntax.ts";

export interface SchemaValues {
  readonly schema: OwnSchema;
  /** The values by property. Properties without one are removed. */
  readonly values: Readonly<Record<string, string>>;
}

/** Returns the description of a schema in an rdf:Bag that declares the namespaces. */
export function descriptionOf(schema: OwnSchema): string {
  const namespaces =
    `xmlns:rdf="${NAMESPACES.rdf}" xmlns:pdfaExtension="${EXTENSION}" ` +
    `xmlns:pdfaSchema="${SCHEMA}" xmlns:pdfaProperty="${PROPERTY}"`;
  return `<rdf:Bag ${namespaces}>${schemaItem(schema)}</rdf:Bag>`;
}
