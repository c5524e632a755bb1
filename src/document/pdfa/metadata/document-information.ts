// Rewrites the Info dictionary (ISO 32000-1, 14.3.3): keeps the values that XMP can also express, and removes all
// others (ISO 19005-1, 6.7.3).
import { decodeTextString, encodeTextString } from "../../objects/text-strings.ts";
import { Dictionary, Name, PdfString } from "../../objects/values.ts";
import { isString, type PdfaDocument } from "../pdfa-document.ts";

const TEXTS = ["Title", "Author", "Subject", "Keywords", "Creator", "Producer"] as const;
const DATES = ["CreationDate", "ModDate"] as const;
/**
 * Maximum characters of a text, each of up to two bytes: longer texts would exceed the string limit of some levels (ISO
 * 19005-2, 6.1.13).
 */
const MAX_CHARACTERS = 16_000;

/** The contents of the Info dictionary. */
export type Information = Readonly<Partial<Record<(typeof TEXTS)[number], string>>> &
  /** Dates in the format of XMP. */
  Readonly<Partial<Record<(typeof DATES)[number], string>>>;

/** Replaces the Info dictionary with a new one, and returns its contents. */
export function replaceInformation({ file }: PdfaDocument): Information {
  const before = file.dictionary(file.trailer.get("Info"));
  if (!before) {
    file.trailer.delete("Info");
    return {};
  }
  const information: Record<string, string> = {};
  const dictionary = new Dictionary();
  for (const [key, value] of before) {
    const object = file.resolve(value);
    if (TEXTS.some((text) => text === key)) {
      const text = isString(object) ? stripInvalidXml(decodeTextString(object)).slice(0, MAX_CHARACTERS).trim() : "";
      if (text === "") continue;
      information[key] = text;
      dictionary.set(key, encodeTextString(text));
    } else if (DATES.some((date) => date === key)) {
      const date = isString(object) ? readDate(object.latin1) : undefined;
      if (!date) continue;
      information[key] = date.xmp;
      dictionary.set(key, PdfString.ofLatin1(date.pdf));
    } else if (isString(object) || object instanceof Name) {
      dictionary.set(key, object);
    }
  }
  if (dictionary.size === 0) file.trailer.delete("Info");
  else file.trailer.set("Info", file.add(dictionary));
  return information;
}

/** Removes control characters, which XML forbids, and replaces unpaired surrogates. */
export function stripInvalidXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
      // XML parsers convert carriage returns to line feeds.
      .replace(/\r\n?/g, "\n")
  );
}

const DATE = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([-+Zz])(?:(\d\d)'?(\d\d)?'?)?)?/;

/**
 * Parses a date (ISO 32000-1, 7.9.4).
 * @returns the date in the formats of XMP and of the Info dictionary; undefined for an invalid date
 */
export function readDate(text: string): { readonly xmp: string; readonly pdf: string } | undefined {
  const parts = DATE.exec(text.trim());
  if (!parts) return undefined;
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00", sign = "Z"] = parts;
  const [zoneHour = "00", zoneMinute = "00"] = parts.slice(8);
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  // Date.UTC would convert an invalid date, such as February 30, to another date.
  const isReal =
    year !== "0000" && new Date(time).toISOString().startsWith(`${year}-${month}-${day}T${hour}:${minute}`);
  if (!isReal || Number(second) > 59 || Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined;
  const isUniversal = sign.toUpperCase() === "Z" || (zoneHour === "00" && zoneMinute === "00");
  return {
    xmp: `${year}-${month}-${day}T${hour}:${minute}:${second}${isUniversal ? "Z" : `${sign}${zoneHour}:${zoneMinute}`}`,
    pdf: `D:${year}${month}${day}${hour}${minute}${second}${isUniversal ? "Z" : `${sign}${zoneHour}'${zoneMinute}'`}`,
  };
}
