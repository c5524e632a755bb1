// Removes or weakens declarations of conformance that a copy of a document no longer satisfies: PDF/A, PDF/UA, PDF/X,
// PDF/VT and PDF/E. Operations that write copies of PDFs use this module.
import { type Notice, namedNotices } from "../contract/notice.ts";
import { type Claims, type Family, pdfaPart, readClaims, withClaims } from "../formats/xmp/claims.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, plainBody } from "../objects/values.ts";

const MAX_METADATA_BYTES = 16 * 2 ** 20;
/** The last version without object streams. */
const CLASSIC_VERSION = "1.4";
/** Key of the Info dictionary that declares PDF/X (ISO 15930-1, 6.13), and a key that accompanies it. */
const PDFX_VERSION = "GTS_PDFXVersion";
const PDFX_CONFORMANCE = "GTS_PDFXConformance";

/** The XMP metadata of a document, and its declarations of conformance. */
export interface DocumentMetadata {
  /** Undefined if the metadata are missing or unreadable. */
  readonly packet: Uint8Array | undefined;
  readonly claims: Claims;
}

/** Reads the metadata of a document. */
export function metadataOf({ file }: { readonly file: PdfFile }): DocumentMetadata {
  const packet = packetIn(file);
  return { packet, claims: claimsOf(file, packet) };
}

function packetIn(file: PdfFile): Uint8Array | undefined {
  try {
    return file.stream(file.catalog.get("Metadata"))?.body.decoded(MAX_METADATA_BYTES).slice();
  } catch {
    return undefined;
  }
}

function claimsOf(file: PdfFile, packet = packetIn(file)): Claims {
  const version = file.string(informationOf(file)?.get(PDFX_VERSION))?.latin1;
  return new Map([...(version ? [["PDF/X", version] as const] : []), ...(packet ? readClaims(packet) : [])]);
}

/**
 * Reports whether a copy must be without object streams and cross-reference streams: PDF/A-1 forbids them (ISO 19005-1,
 * 6.1.4), and versions before 1.5 lack them.
 */
export const isClassic = (file: PdfFile): boolean => file.version <= CLASSIC_VERSION || pdfaPart(claimsOf(file)) === 1;

/** Returns the declarations that a document with pages of all these documents can make. */
export function commonClaims([first = new Map(), ...others]: readonly Claims[]): Claims {
  const common = new Map<Family, string>();
  for (const [family, name] of first) {
    const names = [name, ...others.map((claims) => claims.get(family) ?? "")];
    const parts = new Set(names.map(partOf));
    if (family === "PDF/A" ? parts.size === 1 : new Set(names).size === 1) common.set(family, weakest(names));
  }
  return common;
}

/** Returns a declaration without its PDF/A conformance level. */
const partOf = (name: string): string => name.replace(/[abu]$/, "");

/** Returns the declaration with the fewest requirements: b before u before a. */
const weakest = (names: readonly string[]): string =>
  ["b", "u", "a"].map((letter) => partOf(names[0]!) + letter).find((name) => names.includes(name)) ?? names[0]!;

/**
 * Removes declarations that a copy of the file would violate.
 * @returns notices of the removed declarations
 */
export function withdrawClaims(file: PdfFile, isFalse: (family: Family, name: string) => boolean): readonly Notice[] {
  const { packet, claims: before } = metadataOf({ file });
  const kept = new Map([...before].filter(([family, name]) => !isFalse(family, name)));
  if (kept.size === before.size) return [];
  const catalog = file.catalog.clone();
  putMetadata(file, catalog, packet, kept);
  file.catalog = catalog;
  return claimNotices([before], kept);
}

/** Writes metadata and changes the Info dictionary, so that both contain only the kept declarations. */
export function putMetadata(file: PdfFile, catalog: Dictionary, packet: Uint8Array | undefined, kept: Claims): void {
  const changed = packet && withClaims(packet, kept);
  const entries = Dictionary.of({ Type: Name.of("Metadata"), Subtype: Name.of("XML") });
  if (changed) catalog.set("Metadata", file.add(new PdfStream(entries, plainBody(changed))));
  else catalog.delete("Metadata");
  const information = informationOf(file);
  if (kept.has("PDF/X") || !information?.has(PDFX_VERSION)) return;
  const withoutClaim = information.clone();
  for (const key of [PDFX_VERSION, PDFX_CONFORMANCE]) withoutClaim.delete(key);
  file.trailer.set("Info", file.add(withoutClaim));
}

/** Returns notices of declarations that a copy omits or weakens. */
export function claimNotices(before: readonly Claims[], kept: Claims): readonly Notice[] {
  const lost = before.flatMap((claims) => [...claims].filter(([family, name]) => kept.get(family) !== name));
  return namedNotices(
    "claims-removed",
    lost.map(([family, name]) => ({ name, ...(kept.has(family) ? { replacedBy: kept.get(family)! } : {}) })),
  );
}

const informationOf = (file: PdfFile) => file.dictionary(file.trailer.get("Info"));
