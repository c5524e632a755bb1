// The information dictionary (ISO 32000-1, 14.3.3) with values that XMP can say too: what cannot be said there is left out
// (ISO 19005-1, 6.7.3). Knows no XMP.
import { textOf, textString } from "../../objects/text-strings.ts";
import { Dictionary, Name, PdfString } from "../../objects/values.ts";
import { type Archive, isString } from "../archive.ts";

const TEXTS = ["Title", "Author", "Subject", "Keywords", "Creator", "Producer"] as const;
const DATES = ["CreationDate", "ModDate"] as const;
/** A longer one could not be a string at every level (ISO 19005-2, 6.1.13), and each character takes up to two bytes. */
const MOST_CHARACTERS = 16_000;

/** What the information dictionary says. */
export type Information = Readonly<Partial<Record<(typeof TEXTS)[number], string>>> &
  /** As XMP writes them. */
  Readonly<Partial<Record<(typeof DATES)[number], string>>>;

/** Puts a dictionary of its own in its place. */
export function settleInformation({ file }: Archive): Information {
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
      const text = isString(object) ? legible(textOf(object)).slice(0, MOST_CHARACTERS).trim() : "";
      if (text === "") continue;
      information[key] = text;
      dictionary.set(key, textString(text));
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

/** Without what XML cannot have: control characters and halves of pairs. */
export function legible(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
      // A parser of XML makes line feeds of them.
      .replace(/\r\n?/g, "\n")
  );
}

const DATE = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([-+Zz])(?:(\d\d)'?(\d\d)?'?)?)?/;

/** ISO 32000-1, 7.9.4. @returns the same date for XMP, and with all its parts for the dictionary; undefined where it is none */
function readDate(text: string): { readonly xmp: string; readonly pdf: string } | undefined {
  const parts = DATE.exec(text.trim());
  if (!parts) return undefined;
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00", sign = "Z"] = parts;
  const [zoneHour = "00", zoneMinute = "00"] = parts.slice(8);
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  // A date that is not in the calendar would be another one.
  const isReal =
    year !== "0000" && new Date(time).toISOString().startsWith(`${year}-${month}-${day}T${hour}:${minute}`);
  if (!isReal || Number(second) > 59 || Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined;
  const isUniversal = sign.toUpperCase() === "Z" || (zoneHour === "00" && zoneMinute === "00");
  return {
    xmp: `${year}-${month}-${day}T${hour}:${minute}:${second}${isUniversal ? "Z" : `${sign}${zoneHour}:${zoneMinute}`}`,
    pdf: `D:${year}${month}${day}${hour}${minute}${second}${isUniversal ? "Z" : `${sign}${zoneHour}'${zoneMinute}'`}`,
  };
}
