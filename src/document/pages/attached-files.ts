// Attaches files to a document, and removes attached files (ISO 32000-1, 7.11.4).
import { createHash } from "node:crypto";
import type { PdfFile } from "../objects/pdf-file.ts";
import { decodeTextString, encodeTextString } from "../objects/text-strings.ts";
import { readNameTree, writeNameTree } from "../objects/trees.ts";
import { UniqueNames } from "../objects/unique-names.ts";
import { Dictionary, Name, PdfStream, PdfString, plainBody, type Value } from "../objects/values.ts";

/** Catalog entries that contain or present attached files. */
const CATALOG_ENTRIES = ["AF", "Collection"];

/** @returns the names of the files that the document lists */
export function removeAttachments(file: PdfFile): { readonly name: string }[] {
  const catalog = file.catalog.clone();
  const names = file.dictionary(catalog.get("Names"))?.clone() ?? new Dictionary();
  const attached = [...readNameTree(file, names.get("EmbeddedFiles")).keys()];
  names.delete("EmbeddedFiles");
  catalog.set("Names", names.size > 0 ? names : null);
  for (const key of CATALOG_ENTRIES) catalog.delete(key);
  file.catalog = catalog;
  return attached.map((name) => ({ name: decodeTextString(PdfString.ofLatin1(name)) }));
}

/** Returns the file name of a file specification, which can be a string (7.11.2); empty if there is none. */
export function specifiedName(file: PdfFile, value: Value | undefined): string {
  const specification = file.dictionary(value);
  const names = [specification?.get("UF"), specification?.get("F"), value].map((one) => file.string(one));
  return names.map((one) => (one ? decodeTextString(one) : "")).find((name) => name !== "") ?? "";
}

/**
 * Removes the attached files with certain names.
 * @returns the names of the removed files
 */
export function detachFiles(file: PdfFile, isRemoved: (name: string) => boolean): { readonly name: string }[] {
  const catalog = file.catalog.clone();
  const names = file.dictionary(catalog.get("Names"))?.clone() ?? new Dictionary();
  const attached = readNameTree(file, names.get("EmbeddedFiles"));
  const removed = new Set<string>();
  const isOther = (specification: Value, key?: PdfString) => {
    const entries = file.dictionary(specification);
    const found = [key, file.string(entries?.get("UF")), file.string(entries?.get("F"))]
      .map((name) => name && decodeTextString(name))
      .find((name) => name !== undefined && isRemoved(name));
    if (found !== undefined) removed.add(found);
    return found === undefined;
  };
  const left = [...attached].filter(([key, specification]) => isOther(specification, PdfString.ofLatin1(key)));
  const associated = (file.array(catalog.get("AF")) ?? []).filter((specification) => isOther(specification));
  if (removed.size === 0) return [];
  names.set("EmbeddedFiles", writeNameTree(file, new Map(left)));
  file.catalog = catalog.set("Names", names).set("AF", associated);
  return [...removed].map((name) => ({ name }));
}

export interface NewAttachment {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly modified: Date;
  /** The relationship to the document, for example `Data` (ISO 19005-3, annex E). */
  readonly relationship: string;
  /** @default none */
  readonly description?: string | undefined;
}

/** Attaches a file to the document. If its name is already used, it gets another, such as `name (2).txt`. */
export function attachFile(file: PdfFile, attachment: NewAttachment): void {
  const { bytes, description, relationship } = attachment;
  const catalog = file.catalog.clone();
  const names = file.dictionary(catalog.get("Names"))?.clone() ?? new Dictionary();
  const attached = readNameTree(file, names.get("EmbeddedFiles"));
  const taken = uniqueFileNames();
  for (const key of attached.keys()) taken.take(decodeTextString(PdfString.ofLatin1(key)));
  const name = encodeTextString(taken.take(attachment.name));
  const data = file.add(embeddedFile(attachment));
  const specification = file.add(
    Dictionary.of({
      ...{ Type: Name.of("Filespec"), F: name, UF: name, EF: Dictionary.of({ F: data, UF: data }) },
      Desc: description === undefined ? undefined : encodeTextString(description),
      AFRelationship: Name.of(relationship),
    }),
  );
  names.set("EmbeddedFiles", writeNameTree(file, attached.set(name.latin1, specification)));
  catalog.set("Names", names).set("AF", [...(file.array(catalog.get("AF")) ?? []), specification]);
  file.catalog = catalog;
  // Charged twice: for the data, and for the compressed data.
  file.budget.charge(2 * bytes.length);
}

/** Creates the names of attached files. Names are compared as text, because a name can have several encodings. */
export const uniqueFileNames = (): UniqueNames =>
  new UniqueNames((name, count) => {
    const dot = name.lastIndexOf(".");
    return dot > 0 ? `${name.slice(0, dot)} (${count})${name.slice(dot)}` : `${name} (${count})`;
  });

function embeddedFile({ bytes, type, modified }: NewAttachment): PdfStream {
  const checksum = new PdfString(new Uint8Array(createHash("md5").update(bytes).digest()));
  const date = `D:${modified.toISOString().replace(/\.\d+|[-:T]/g, "")}`;
  return new PdfStream(
    Dictionary.of({
      ...{ Type: Name.of("EmbeddedFile"), Subtype: Name.of(type) },
      Params: Dictionary.of({ Size: bytes.length, ModDate: PdfString.ofLatin1(date), CheckSum: checksum }),
    }),
    plainBody(bytes),
  );
}
