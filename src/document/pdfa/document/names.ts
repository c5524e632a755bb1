// Converts the names of fonts, colorants and structure types to UTF-8, as required (ISO 19005-2, 6.1.8). Other names
// can contain any bytes.
import { type Dictionary, Name, type Value } from "../../objects/values.ts";
import type { PdfaDocument } from "../pdfa-document.ts";
import { shortName } from "./limits.ts";

const FONT_ENTRIES = ["BaseFont", "FontName", "FontFamily"];
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

export function repairNames(document: PdfaDocument): void {
  if (document.level.part === 1) return;
  for (const { dictionary, key } of document.places) {
    for (const entry of FONT_ENTRIES) repairEntry(dictionary, entry);
    if (dictionary.has("P") && dictionary.has("S")) repairEntry(dictionary, "S");
    if (key === "RoleMap") for (const type of dictionary.keys()) repairEntry(dictionary, type);
    // The keys of these dictionaries are structure types or colorants.
    if (key === "RoleMap" || key === "Colorants") repairKeys(dictionary);
    for (const value of dictionary.values()) repairColorants(document, value);
  }
  for (const value of document.values) repairColorants(document, value);
}

function repairEntry(dictionary: Dictionary, key: string): void {
  const value = dictionary.get(key);
  if (value instanceof Name && !isUtf8(value.text)) dictionary.set(key, Name.of(asUtf8(value.text)));
}

function repairKeys(dictionary: Dictionary): void {
  for (const [key, value] of [...dictionary]) {
    if (isUtf8(key)) continue;
    dictionary.delete(key);
    dictionary.set(asUtf8(key), value);
  }
}

function repairColorants({ file }: PdfaDocument, value: Value): void {
  const space = file.array(value) as Value[] | undefined;
  const family = space && file.name(space[0]);
  if (!space || (family !== "Separation" && family !== "DeviceN")) return;
  const names = family === "DeviceN" ? (file.array(space[1]) as Value[] | undefined) : space;
  for (let index = family === "DeviceN" ? 0 : 1; names && index < (family === "DeviceN" ? names.length : 2); index++) {
    const name = names[index];
    if (name instanceof Name && !isUtf8(name.text)) names[index] = Name.of(asUtf8(name.text));
  }
}

/** Interprets the bytes as Latin-1, the most frequent encoding of such names. */
const asUtf8 = (text: string) => shortName(Buffer.from(text, "utf8").toString("latin1"));

function isUtf8(text: string): boolean {
  if (/^[\0-\x7f]*$/.test(text)) return true;
  try {
    UTF_8.decode(Buffer.from(text, "latin1"));
    return true;
  } catch {
    return false;
  }
}
