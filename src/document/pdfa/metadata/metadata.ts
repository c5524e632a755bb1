// Writes the document metadata (ISO 19005-1, 6.7; -2, 6.6) as a new packet that matches the Info dictionary.
import { namedNotices } from "../../contract/notice.ts";
import { Name } from "../../objects/values.ts";
import { newStream, type PdfaDocument } from "../pdfa-document.ts";
import { replaceInformation } from "./document-information.ts";
import { keptProperties } from "./kept-properties.ts";
import { escapeXml, packetOf } from "./xmp-syntax.ts";

const MAX_PACKET_BYTES = 8 * 2 ** 20;
/**
 * Clauses about the contents and syntax of a packet. If the previous attempt broke one of them, no property of the
 * original packet is kept.
 */
const PACKET_CLAUSES = ["6.7.8", "6.7.9", "6.6.2.1", "6.6.2.3.1", "6.6.2.3.2", "6.6.2.3.3"];

export function writeMetadata(document: PdfaDocument): void {
  const { file, level, places } = document;
  const information = replaceInformation(document);
  const { Title, Author, Subject, Keywords, Creator, Producer, CreationDate, ModDate } = information;
  const said: Record<string, string | undefined> = {
    "dc:title": Title && `<rdf:li xml:lang="x-default">${escapeXml(Title)}</rdf:li>`,
    "dc:creator": Author && `<rdf:Seq><rdf:li>${escapeXml(Author)}</rdf:li></rdf:Seq>`,
    "dc:description": Subject && `<rdf:li xml:lang="x-default">${escapeXml(Subject)}</rdf:li>`,
    "pdf:Keywords": Keywords && escapeXml(Keywords),
    "pdf:Producer": Producer && escapeXml(Producer),
    "xmp:CreatorTool": Creator && escapeXml(Creator),
    "xmp:CreateDate": CreationDate,
    "xmp:ModifyDate": ModDate,
  };
  const { catalog } = file;
  const before = file.stream(catalog.get("Metadata"));
  const packet = before ? bytesOf(before.body.decoded) : new Uint8Array(0);
  const kept = keptProperties(packet, level.part, (name) => Boolean(said[name]));
  const isRefused = PACKET_CLAUSES.some((clause) => document.failed(clause));
  const element = (name: string, value: string | undefined) => {
    if (!value) return "";
    const translations = isRefused ? "" : (kept.translations.get(name) ?? "");
    return `<${name}>${isAlternative(name) ? `<rdf:Alt>${value}${translations}</rdf:Alt>` : value}</${name}>`;
  };
  const properties = [
    `<pdfaid:part>${level.part}</pdfaid:part>`,
    `<pdfaid:conformance>${level.conformance.toUpperCase()}</pdfaid:conformance>`,
    ...Object.entries(said).map(([name, value]) => element(name, value)),
    isRefused ? "" : kept.elements,
  ];
  const lost = isRefused ? [...kept.names, ...kept.lost] : kept.lost;
  document.report(
    ...namedNotices(
      "properties-removed",
      lost.map((name) => ({ name })),
    ),
  );
  // Metadata of pages, images and fonts are removed: they are rarely up to date, and any error in them breaks a rule.
  for (const { dictionary } of places) if (file.stream(dictionary.get("Metadata"))) dictionary.delete("Metadata");
  const entries = { Type: Name.of("Metadata"), Subtype: Name.of("XML") };
  catalog.set("Metadata", file.add(newStream(packetOf(properties), entries)));
}

/** Reports whether a property can have text in several languages. */
const isAlternative = (name: string): boolean => name === "dc:title" || name === "dc:description";

function bytesOf(decoded: (limitBytes: number) => Uint8Array): Uint8Array {
  try {
    return decoded(MAX_PACKET_BYTES);
  } catch {
    return new Uint8Array(0);
  }
}
