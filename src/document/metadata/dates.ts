// Parses dates of ISO 8601, as XMP has them.
import { readDate } from "../pdfa/metadata/document-information.ts";

const ISO_8601 = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?)?)?$/;

/** Returns a date in the formats of XMP and of the Info dictionary; undefined for an invalid date. */
export function parseDate(text: string): ReturnType<typeof readDate> {
  const given = text.trim();
  if (!ISO_8601.test(given)) return undefined;
  const [day = "", time = ""] = given.split("T");
  const [, clock = "", zone = ""] = /^([\d:]*)(?:\.\d+)?(.*)$/.exec(time) ?? [];
  return readDate(`${day.replaceAll("-", "")}${clock.replaceAll(":", "")}${zone.replace(":", "")}`);
}
