// Reads and rewrites the standards to which an XMP packet declares conformance. Edits the text instead of parsed XML,
// because packets are untrusted, and so that the other properties stay unchanged.
import { packetText, propertiesIn, type XmpProperty } from "./properties.ts";

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
/** Properties whose value is a complete version. Other standards are declared by a part and a conformance level. */
const VERSION = /^(?:GTS_PDFXVersion|GTS_PDFVTVersion|ISO_PDFEVersion)$/;

/** A property that declares a standard. */
interface Claim extends XmpProperty {
  readonly family: Family;
  readonly value: string;
}

export function readClaims(packet: Uint8Array): Claims {
  const found = new Map<Family, Map<string, string>>();
  for (const { family, name, value } of claimsIn(packetText(packet))) {
    const values = found.get(family) ?? new Map<string, string>();
    if (!values.has(name)) found.set(family, values.set(name, value.trim()));
  }
  const claims = new Map<Family, string>();
  for (const [family, values] of found) {
    const version = [...values.keys()].find((name) => VERSION.test(name));
    const level = `${values.get("part") ?? ""}${values.get("conformance")?.toLowerCase() ?? ""}`;
    claims.set(family, version === undefined ? `${family}-${level}` : values.get(version)!);
  }
  return claims;
}

/** Returns the declared part of PDF/A; 0 for none. */
export const pdfaPart = (claims: Claims): number => Number(/^PDF\/A-(\d)/.exec(claims.get("PDF/A") ?? "")?.[1] ?? 0);

/**
 * Returns a packet that declares only the given standards. The original packet must already declare each of them; only
 * the conformance level of PDF/A can change.
 * @returns undefined if the packet cannot be changed in this way
 */
export function withClaims(packet: Uint8Array, claims: Claims): Uint8Array | undefined {
  const text = packetText(packet);
  let written = "";
  let at = 0;
  for (const { family, start, end, name, value } of [...claimsIn(text)].toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    const claim = claims.get(family);
    const own = text.slice(start, end);
    const isConformance = family === "PDF/A" && name === "conformance" && value.trim() !== "";
    const changed = isConformance ? own.replace(value, (claim ?? "").replace(/^\D*\d/, "").toUpperCase()) : own;
    written += text.slice(at, start) + (claim === undefined ? "" : changed);
    at = end;
  }
  const changed = new TextEncoder().encode(written + text.slice(at));
  const found = readClaims(changed);
  return found.size === claims.size && [...claims].every(([family, name]) => found.get(family) === name)
    ? changed
    : undefined;
}

/** Returns a packet that declares PDF/A-4 instead of another part with a conformance level (ISO 19005-4, 6.7.3). */
export function withPart4(packet: Uint8Array): Uint8Array {
  let text = packetText(packet);
  for (const { family, start, end, name, value } of [...claimsIn(text)].toSorted((a, b) => b.start - a.start)) {
    const own = text.slice(start, end);
    if (family !== "PDF/A" || !["part", "conformance"].includes(name)) continue;
    const changed = name === "part" ? own.replace(value, "4") : own.replace(value, "2020").replaceAll(name, "rev");
    text = text.slice(0, start) + changed + text.slice(end);
  }
  return new TextEncoder().encode(text);
}

function* claimsIn(text: string): Generator<Claim> {
  for (const property of propertiesIn(text)) {
    const { namespaces, name, value } = property;
    if (value === undefined) continue;
    const [family] = IDENTIFIERS.find(([, uri, names]) => namespaces.has(uri) && names.test(name)) ?? [];
    if (family) yield { ...property, family, value };
  }
}
