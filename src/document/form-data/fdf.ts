// Reads and writes the fields of FDF files (ISO 32000-1, 12.7.7).
import { readText } from "../forms/widget.ts";
import { Budget } from "../objects/budget.ts";
import { PdfFile } from "../objects/pdf-file.ts";
import { serialize } from "../objects/serialize.ts";
import { encodeTextString } from "../objects/text-strings.ts";
import { Dictionary, Name, type Value } from "../objects/values.ts";
import { FdfObjects } from "./fdf-objects.ts";
import { type FieldValue, joinNames, type NamedNode, treeOf } from "./field-value.ts";

/** Bytes of objects per byte of the file. */
const OBJECT_SHARE = 50;
const MAX_LEVELS = 50;
const MAX_FIELDS = 200_000;

/** @returns undefined if the file has no form data */
export function readFdf(bytes: Uint8Array): FieldValue[] | undefined {
  const file = PdfFile.of(new FdfObjects(bytes), new Budget(2 ** 20 + OBJECT_SHARE * bytes.length));
  const fdf = file.dictionary(file.dictionary(file.trailer.get("Root"))?.get("FDF"));
  if (!fdf) return undefined;
  const values: FieldValue[] = [];
  const read = (field: Value, parent: string, level: number) => {
    const dictionary = file.dictionary(field);
    if (!dictionary || level > MAX_LEVELS || values.length >= MAX_FIELDS) return;
    const name = joinNames(parent, readText(file, dictionary.get("T")) ?? "");
    const own = fieldValue(file, name, dictionary);
    if (name !== "" && own) values.push(own);
    for (const kid of file.array(dictionary.get("Kids")) ?? []) read(kid, name, level + 1);
  };
  for (const field of file.array(fdf.get("Fields")) ?? []) read(field, "", 0);
  return values;
}

function fieldValue(file: PdfFile, name: string, dictionary: Dictionary): FieldValue | undefined {
  const value = dictionary.get("V");
  const richText = readText(file, dictionary.get("RV"));
  const rich = richText === undefined ? {} : { richText };
  const state = file.name(value);
  if (state !== undefined) return { name, value: state, isState: true };
  const several = file.array(value)?.map((one) => readText(file, one) ?? file.name(one) ?? "");
  const text = several ?? readText(file, value);
  return text === undefined && richText === undefined ? undefined : { name, value: text, ...rich };
}

/** @param name file name of the PDF */
export function writeFdf(values: readonly FieldValue[], name: string): Uint8Array {
  const fields = [...treeOf(values).children.values()].map(fieldOf);
  const fdf = Dictionary.of({ F: encodeTextString(name), Fields: fields });
  const root = serialize(Dictionary.of({ Type: Name.of("Catalog"), FDF: fdf }), ({ number }) => number);
  const text = `%FDF-1.2\n%\xe2\xe3\xcf\xd3\n1 0 obj\n${root}\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n`;
  return Uint8Array.from(Buffer.from(text, "latin1"));
}

function fieldOf({ name, field, children }: NamedNode): Dictionary {
  const kids = [...children.values()].map(fieldOf);
  return Dictionary.of({
    T: encodeTextString(name),
    V: field && pdfValue(field),
    RV: field?.richText === undefined ? undefined : encodeTextString(field.richText),
    Kids: kids.length > 0 ? kids : undefined,
  });
}

function pdfValue({ value, isState }: FieldValue): Value | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") return value.map(encodeTextString);
  return isState ? Name.of(value) : encodeTextString(value);
}
