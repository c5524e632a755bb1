// Writes metadata of a document, so that its Info dictionary and its XMP metadata agree (ISO 32000-1, 14.3).
import { type Notice, namedNotices } from "../contract/notice.ts";
import type { DocumentFacts } from "../facts/document-facts.ts";
import { INFO_ENTRIES, type InfoEntry } from "../facts/info-entries.ts";
import { nameText } from "../facts/name-text.ts";
import { type Family, pdfaPart, readClaims } from "../formats/xmp/claims.ts";
import { packetText, propertiesIn, textsIn } from "../formats/xmp/properties.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { decodeTextString, encodeTextString } from "../objects/text-strings.ts";
import { Dictionary, latin1Of, PdfString } from "../objects/values.ts";
import { claimNotices, metadataOf, putMetadata } from "../pages/claims.ts";
import { readDate, stripInvalidXml } from "../pdfa/metadata/document-information.ts";
import { parseDate } from "./dates.ts";
import type { SchemaValues } from "./own-schema.ts";
import { Packet } from "./packet.ts";

/** The metadata to change. An empty text deletes an entry. */
export interface MetadataChanges {
  /** Dates in the format of ISO 8601. */
  readonly entries: ReadonlyMap<InfoEntry, string>;
  readonly custom: ReadonlyMap<string, string>;
  readonly language?: string | undefined;
  /** Properties of schemas that no standard of PDF defines. @default none */
  readonly schemas?: readonly SchemaValues[];
}

const ENTRIES = Object.keys(INFO_ENTRIES) as readonly InfoEntry[];
const DATES: ReadonlySet<InfoEntry> = new Set(["CreationDate", "ModDate"]);
/** Entries that standards require (ISO 14289-1, 7.1 and 7.2; ISO 15930-7, 6.4), the language only for texts. */
const REQUIRED: readonly (readonly [InfoEntry | "Lang", ReadonlySet<Family>])[] = [
  ["Title", new Set(["PDF/UA", "PDF/X", "PDF/VT"])],
  ["Lang", new Set(["PDF/UA"])],
  ["CreationDate", new Set(["PDF/X", "PDF/VT"])],
  ["ModDate", new Set(["PDF/X", "PDF/VT"])],
];
/** The part of PDF/A from which a file has no Info dictionary (ISO 19005-4, 6.1.3). */
const WITHOUT_INFORMATION = 4;

/**
 * @param facts the facts of the unchanged file
 * @returns notices of declarations of conformance that are no longer true, and of properties in a damaged packet
 */
export function writeMetadata(file: PdfFile, facts: DocumentFacts, changes: MetadataChanges): readonly Notice[] {
  const before = metadataOf({ file });
  const part = pdfaPart(before.claims);
  const information = file.dictionary(file.trailer.get("Info"))?.clone() ?? new Dictionary();
  const packet = new Packet(before.packet);
  const inPacket = before.packet ? textsIn(before.packet, new Set(Object.values(INFO_ENTRIES))) : new Map();
  for (const entry of ENTRIES) {
    const given = changes.entries.get(entry);
    const old: string = inPacket.get(INFO_ENTRIES[entry]) ?? "";
    const value = writtenValue(entry, given ?? currentValue(file, facts, entry, old));
    const own = file.string(information.get(entry));
    const stays = own && given === undefined && (DATES.has(entry) || decodeTextString(own) === value.inXmp);
    if (!stays) information.set(entry, value.inInformation);
    // PDF/A requires equal texts: without spaces around them, and with one author (ISO 19005-1, 6.7.3).
    const mustEqual = given !== undefined || (part > 0 && !stays);
    if (mustEqual || packet.isReplaced || !isSame(entry, value.inXmp, old)) packet.set(entry, value.inXmp);
  }
  const keywords = changes.entries.get("Keywords");
  if (keywords !== undefined) packet.setKeywords(keywords);
  packet.setTime(writtenValue("ModDate", changes.entries.get("ModDate") ?? "").inXmp);
  for (const [name, text] of changes.custom) {
    // Older files encode names in another way.
    for (const key of [...information.keys()]) if (nameText(key) === name) information.delete(key);
    if (text !== "") information.set(latin1Of(new TextEncoder().encode(name)), encodeTextString(text));
    // Parts 1 to 3 of PDF/A require descriptions of such properties.
    packet.setCustom(name, text, part === 0 || part >= WITHOUT_INFORMATION);
  }
  for (const schema of changes.schemas ?? []) packet.setSchema(schema, part > 0 && part < WITHOUT_INFORMATION);
  const catalog = file.catalog.clone();
  const { language } = changes;
  if (language !== undefined) {
    catalog.set("Lang", language === "" ? null : encodeTextString(language));
    packet.setLanguage(language);
  }
  if (part < WITHOUT_INFORMATION) file.trailer.set("Info", file.add(information));
  const bytes = packet.bytes();
  const isMissing = (entry: InfoEntry | "Lang") =>
    entry === "Lang"
      ? language === "" || (packet.hasNewTexts && !catalog.has("Lang"))
      : changes.entries.get(entry) === "";
  const kept = new Map(
    [...readClaims(bytes)].filter(([family]) => !REQUIRED.some(([entry, by]) => by.has(family) && isMissing(entry))),
  );
  putMetadata(file, catalog, bytes, kept);
  file.catalog = catalog;
  const lost = packet.isReplaced ? lostProperties(before.packet!, bytes) : [];
  return [...claimNotices([before.claims], kept), ...lost];
}

function lostProperties(before: Uint8Array, after: Uint8Array): readonly Notice[] {
  const left = namesIn(after);
  const names = [...namesIn(before)].filter((name) => !left.has(name));
  return namedNotices(
    "properties-removed",
    names.map((name) => ({ name })),
  );
}

/** Returns the names of the properties in a packet, such as `dc:title`. */
function namesIn(packet: Uint8Array): Set<string> {
  const properties = [...propertiesIn(packetText(packet))];
  return new Set(properties.filter(({ tag }) => !/^(?:rdf|xml|x):/.test(tag)).map(({ tag }) => tag));
}

/** Returns the text of an entry that stays, also if only XMP has one that is not empty; a date in the format of ISO 8601. */
function currentValue(file: PdfFile, facts: DocumentFacts, entry: InfoEntry, inXmp: string): string {
  if (!DATES.has(entry)) return facts.information(entry) || inXmp;
  const date = file.string(file.dictionary(file.trailer.get("Info"))?.get(entry));
  return (date && readDate(decodeTextString(date))?.xmp) ?? inXmp;
}

/** Returns a value for the Info dictionary, null for none, and for XMP, empty for none. */
function writtenValue(
  entry: InfoEntry,
  text: string,
): { readonly inInformation: PdfString | null; readonly inXmp: string } {
  if (DATES.has(entry)) {
    const date = parseDate(text);
    return { inInformation: date ? PdfString.ofLatin1(date.pdf) : null, inXmp: date?.xmp ?? "" };
  }
  const clean = cleanText(text);
  return { inInformation: clean === "" ? null : encodeTextString(clean), inXmp: clean };
}

/** Returns a text that both the Info dictionary and XMP can express. */
export const cleanText = (text: string): string => stripInvalidXml(text).trim();

function isSame(entry: InfoEntry, value: string, inXmp: string): boolean {
  if (DATES.has(entry)) return (parseDate(value)?.xmp ?? "") === (parseDate(inXmp)?.xmp ?? "");
  // Lists of XMP have no separators.
  const plain = (text: string) => text.replace(/\s*[,;]\s*/g, ";");
  return plain(value) === plain(inXmp);
}
