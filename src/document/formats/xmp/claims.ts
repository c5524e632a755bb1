// Reads and rewrites the standards that an XMP packet declares conformance to. Edits the text, because packets are
// untrusted, and to keep everything else unchanged.

/** Names of declared standards, such as `PDF/A-2u`, by family. */
export type Claims = ReadonlyMap<Family, string>;
export type Family = "PDF/A" | "PDF/UA" | "PDF/X" | "PDF/VT" | "PDF/E";

/**
 * Properties that identify standards, by namespace (ISO 19005-1, 6.7.11; ISO 14289-1, 5; ISO 15930-7, 6.11). Programs
 * also copy entries of the Info dictionary to a namespace of Adobe.
 */
const IDENTIFIERS: readonly (readonly [family: Family, namespace: string, names: RegExp])[] = [
  ["PDF/A", "http://www.aiim.org/pdfa/ns/id/", /./],
  ["PDF/UA", "http://www.aiim.org/pdfua/ns/id/", /./],
  ["PDF/X", "http://www.npes.org/pdfx/ns/id/", /./],
  ["PDF/X", "http://ns.adobe.com/pdfx/1.3/", /^GTS_PDFX/],
  ["PDF/VT", "http://www.npes.org/pdfvt/ns/id/", /./],
  ["PDF/E", "http://www.aiim.org/pdfe/ns/id/", /./],
];
/** Properties whose value is a complete version; the others have a part and a conformance level. */
const VERSION = /^(?:GTS_PDFXVersion|GTS_PDFVTVersion|ISO_PDFEVersion)$/;

/** A property in a packet: an attribute, or an element with text. */
interface Property {
  readonly family: Family;
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly value: string;
}

export function readClaims(packet: Uint8Array): Claims {
  const text = textOf(packet);
  const claims = new Map<Family, string>();
  for (const [family, properties] of Map.groupBy(propertiesOf(text), (property) => property.family)) {
    const textOfProperty = (name: string) => properties.find((property) => property.name === name)?.value ?? "";
    const version = properties.find(({ name }) => VERSION.test(name))?.value;
    const name = version ?? `${family}-${textOfProperty("part")}${textOfProperty("conformance").toLowerCase()}`;
    claims.set(family, name);
  }
  return claims;
}

/** Returns the declared part of PDF/A; 0 for none. */
export const pdfaPart = (claims: Claims): number => Number(/^PDF\/A-(\d)/.exec(claims.get("PDF/A") ?? "")?.[1] ?? 0);

/**
 * Returns a packet that declares only the given standards. It must already declare each of them; only the conformance
 * level of PDF/A can change.
 * @returns undefined if the packet cannot be changed accordingly
 */
export function withClaims(packet: Uint8Array, claims: Claims): Uint8Array | undefined {
  let text = textOf(packet);
  for (const { family, start, end, name, value } of propertiesOf(text).toSorted((a, b) => b.start - a.start)) {
    const claim = claims.get(family);
    const own = text.slice(start, end);
    const isConformance = family === "PDF/A" && name === "conformance" && value !== "";
    const changed = isConformance ? own.replace(`${value}`, (claim ?? "").replace(/^\D*\d/, "").toUpperCase()) : own;
    text = text.slice(0, start) + (claim === undefined ? "" : changed) + text.slice(end);
  }
  const changed = new TextEncoder().encode(text);
  const found = readClaims(changed);
  return found.size === claims.size && [...claims].every(([family, name]) => found.get(family) === name)
    ? changed
    : undefined;
}

function textOf(packet: Uint8Array): string {
  const encoding = packet[0] === 0xfe && packet[1] === 0xff ? "utf-16be" : packet[0] === 0xff ? "utf-16le" : "utf-8";
  return new TextDecoder(encoding, { fatal: false, ignoreBOM: true }).decode(packet);
}

function propertiesOf(text: string): Property[] {
  const properties: Property[] = [];
  for (const [, prefix, , uri] of text.matchAll(/xmlns:([\w.-]+)\s*=\s*(["'])([^"']*)\2/g)) {
    for (const [family, namespace, names] of IDENTIFIERS) {
      if (uri !== namespace) continue;
      const name = `${prefix!.replaceAll(".", "\\.")}:([\\w.-]+)`;
      const attribute = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, "g");
      const element = new RegExp(`<${name}(?:\\s[^<>]*)?(?:/>|>([^<]*)</[^<>]*>)`, "g");
      for (const match of [...text.matchAll(attribute), ...text.matchAll(element)]) {
        const { 0: all, 1: local, 2: value = match[3] ?? "", index: start } = match;
        const isKnown = properties.some((property) => property.start === start);
        if (names.test(local!) && !isKnown)
          properties.push({ family, start, end: start + all.length, name: local!, value: value.trim() });
      }
    }
  }
  return properties;
}
