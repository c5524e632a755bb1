// Repairs embedded files (ISO 19005-1, 6.1.11; -2, 6.8; -3, 6.8). Part 1 forbids them, part 2 requires them to be
// PDF/A, and part 3 requires only a description.
import { namedNotices } from "../../contract/notice.ts";
import { decodeTextString, encodeTextString } from "../../objects/text-strings.ts";
import { readNameTree, writeNameTree } from "../../objects/trees.ts";
import { Dictionary, Name, PdfStream, plainBody, Reference, type Value } from "../../objects/values.ts";
import type { PdfaDocument } from "../pdfa-document.ts";

const MEDIA_TYPE = /^[-\w+.]+\/[-\w+.]+$/;
const TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  gif: "image/gif",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  odt: "application/vnd.oasis.opendocument.text",
  pdf: "application/pdf",
  png: "image/png",
  txt: "text/plain",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "text/xml",
  zip: "application/zip",
};
const UNKNOWN_TYPE = "application/octet-stream";
/** Maximum size of an attachment to examine for part 2. Larger attachments are removed. */
const MAX_ATTACHED_BYTES = 64 * 2 ** 20;

export async function repairAttachments(document: PdfaDocument): Promise<void> {
  const { file, level } = document;
  const own = shareSpecifications(document);
  const specifications = document.places.filter(
    ({ dictionary, isStream }) => !isStream && file.dictionary(dictionary.get("EF")),
  );
  const removed = new Set<Dictionary>();
  const kept: Value[] = [];
  for (const { dictionary, reference } of specifications) {
    if (!(await stays(document, dictionary))) {
      dictionary.delete("EF");
      dictionary.delete("RF");
      removed.add(dictionary);
      continue;
    }
    describe(document, dictionary);
    const at = reference ?? own.get(dictionary);
    if (at) kept.push(at);
  }
  document.report(
    ...namedNotices(
      "attachments-removed",
      [...removed].map((one) => ({ name: nameOf(document, one) })),
    ),
  );
  if (removed.size > 0) removeMentions(document, removed);
  if (level.part === 3) associate(document, kept);
  else for (const { dictionary } of document.places) dictionary.delete("AF");
  const names = file.dictionary(file.catalog.get("Names"));
  if (level.part === 1) names?.delete("EmbeddedFiles");
}

/**
 * Makes direct file specifications of annotations indirect, because the document's AF array needs references. @returns
 * the references
 */
function shareSpecifications({ file, places }: PdfaDocument): ReadonlyMap<Dictionary, Reference> {
  const references = new Map<Dictionary, Reference>();
  for (const { dictionary } of places) {
    const specification = dictionary.get("FS");
    if (!(specification instanceof Dictionary) || !specification.has("EF")) continue;
    const reference = file.add(specification);
    references.set(specification, reference);
    dictionary.set("FS", reference);
  }
  return references;
}

async function stays(document: PdfaDocument, specification: Dictionary): Promise<boolean> {
  const { part } = document.level;
  if (part !== 2) return part === 3;
  // An attachment that stayed in the previous attempt did not conform.
  if (document.failed("6.8", 5)) return false;
  const { file } = document;
  const embedded = file.dictionary(specification.get("EF"));
  const value = embedded?.get("UF") ?? embedded?.get("F");
  const stream = file.stream(value);
  if (!embedded || !stream || !(value instanceof Reference)) return false;
  const bytes = beginsAsPdf(stream.body.decoded);
  if (!bytes) return false;
  if (!isArchival(bytes)) {
    const converted = await document.convert?.(bytes);
    if (!converted) return false;
    const { dictionary } = stream;
    for (const key of ["Filter", "DecodeParms", "DL", "Params"]) dictionary.delete(key);
    file.put(value, new PdfStream(dictionary, plainBody(converted)));
  }
  // Both entries refer to the same file.
  specification.set("EF", Dictionary.of({ F: value, UF: value }));
  return true;
}

function beginsAsPdf(decoded: (limitBytes: number) => Uint8Array): Uint8Array | undefined {
  try {
    const bytes = decoded(MAX_ATTACHED_BYTES).slice();
    return textOfBytes(bytes.subarray(0, 1024)).includes("%PDF-") ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Reports whether a file declares PDF/A-1 or PDF/A-2. A validator verifies the declaration. */
const isArchival = (bytes: Uint8Array) => CLAIM.test(textOfBytes(bytes));

const textOfBytes = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");

const CLAIM = /pdfaid:part(?:>|\s*=\s*["'])\s*[12]\b/;

/** Adds the entries required by 6.8: both file names (F and UF), a media type, a date and a relationship. */
function describe(document: PdfaDocument, specification: Dictionary): void {
  const { file, level } = document;
  const information = file.dictionary(file.trailer.get("Info"));
  // A file without a date gets the date of the document, because the file is not newer.
  const dates = [information?.get("ModDate"), information?.get("CreationDate")];
  const name = nameOf(document, specification);
  specification.set("Type", Name.of("Filespec"));
  if (!file.string(specification.get("UF"))) specification.set("UF", encodeTextString(name));
  if (!file.string(specification.get("F"))) specification.set("F", encodeTextString(name));
  if (level.part === 3 && file.name(specification.get("AFRelationship")) === undefined)
    specification.set("AFRelationship", Name.of("Unspecified"));
  for (const value of file.dictionary(specification.get("EF"))?.values() ?? []) {
    const stream = file.stream(value);
    if (!stream) continue;
    const { dictionary } = stream;
    dictionary.set("Type", Name.of("EmbeddedFile"));
    if (!MEDIA_TYPE.test(file.name(dictionary.get("Subtype")) ?? "")) {
      const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
      dictionary.set("Subtype", Name.of(TYPES[extension] ?? UNKNOWN_TYPE));
    }
    const parameters = file.dictionary(dictionary.get("Params"))?.clone() ?? new Dictionary();
    const date = [parameters.get("ModDate"), parameters.get("CreationDate"), ...dates].find((value) =>
      file.string(value),
    );
    dictionary.set("Params", parameters.set("ModDate", date ?? null));
  }
}

function nameOf({ file }: PdfaDocument, specification: Dictionary): string {
  const declaredName = file.string(specification.get("UF")) ?? file.string(specification.get("F"));
  return (declaredName && decodeTextString(declaredName)) || "attachment";
}

/**
 * Associates all remaining files with the document, because each file must be associated with an object (ISO 19005-3,
 * 6.8).
 */
function associate({ file, places }: PdfaDocument, specifications: readonly Value[]): void {
  const associated = new Set<number>();
  for (const { dictionary } of places) {
    const list = dictionary.get("AF");
    if (list === undefined) continue;
    for (const value of file.array(list) ?? [list]) if (value instanceof Reference) associated.add(value.number);
  }
  const missing = specifications.filter((value) => value instanceof Reference && !associated.has(value.number));
  const { catalog } = file;
  if (missing.length > 0) catalog.set("AF", [...(file.array(catalog.get("AF")) ?? []), ...missing]);
}

/** Removes the entries of name trees and annotations that refer to removed files. */
function removeMentions(document: PdfaDocument, removed: ReadonlySet<Dictionary>): void {
  const { file } = document;
  const isGone = (value: Value | undefined) => {
    const dictionary = file.dictionary(value);
    return dictionary !== undefined && removed.has(dictionary);
  };
  const names = file.dictionary(file.catalog.get("Names"));
  const attached = readNameTree(file, names?.get("EmbeddedFiles"));
  const kept = new Map([...attached].filter(([, value]) => !isGone(value)));
  if (kept.size === 0) names?.delete("EmbeddedFiles");
  else if (kept.size < attached.size) names?.set("EmbeddedFiles", writeNameTree(file, kept));
  for (const { dictionary } of document.places) {
    if (file.name(dictionary.get("Subtype")) === "FileAttachment" && isGone(dictionary.get("FS")))
      dictionary.delete("FS");
  }
}
