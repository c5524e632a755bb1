// Names entries of the Info dictionary that no standard defines, as properties of XMP. Adobe's programs repeat such
// entries in a namespace of their own. They write a character that a name in XML cannot have as U+2182 and four
// hexadecimal digits, for example a space as `ↂ0020`.
import { packetText, propertiesIn, unescaped } from "./properties.ts";

export const CUSTOM = { uri: "http://ns.adobe.com/pdfx/1.3/", prefix: "pdfx" } as const;
const ESCAPE = "\u2182";
const ESCAPED = /\u2182([\da-f]{4})/gi;
/** Characters that need an escape: all but letters of Latin-1, digits and some signs; digits and signs come first in no name. */
const UNSAFE = /^[\d.-]|[^A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff\d_.-]/g;

/** Returns the name of the property for an entry of the Info dictionary. */
export const customPropertyName = (entry: string): string =>
  entry.replace(UNSAFE, (unit) => `${ESCAPE}${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`);

/** Returns the entry of the Info dictionary for a property. */
export const customEntryName = (property: string): string =>
  property.replace(ESCAPED, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));

/** Returns the entries that a packet repeats, by name. */
export function customEntriesIn(packet: Uint8Array): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const { namespaces, name, value } of propertiesIn(packetText(packet))) {
    const text = value === undefined || !namespaces.has(CUSTOM.uri) ? "" : unescaped(value).trim().toWellFormed();
    const entry = customEntryName(name).toWellFormed();
    if (text !== "" && !entries.has(entry)) entries.set(entry, text);
  }
  return entries;
}
