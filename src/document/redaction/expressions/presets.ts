// The presets of /pdf-with-redacted-text-preview. Every pattern has bounded repetitions that match a text in
// one way only, so its time is linear.
import { bic, cardPin, creditCard, iban, routingNumber } from "./bank-presets.ts";
import { dates } from "./dates.ts";
import { amongGroups, type Find, follows, isAmongDigits, matching } from "./match.ts";

const email = matching(
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{1,62}(?![\p{L}\p{N}@])/gu,
);

/** Endings of addresses that are written without `www.` or a scheme. Other endings are more often names of files. */
const ENDINGS =
  "com|org|net|edu|gov|mil|int|io|co|uk|de|fr|es|it|nl|eu|us|ca|au|ch|at|be|jp|cn|br|ru|info|biz|dev|app|ai|xyz|photography";
const url: Find = (text) =>
  matching(
    new RegExp(
      "(?<![\\p{L}\\p{N}@._-])(?:(?:https?|ftps?|sftp|wss?|file)://|www\\d?\\.|" +
        `(?:[\\p{L}\\p{N}-]{1,63}\\.){1,8}(?:${ENDINGS})(?![\\p{L}\\p{N}@_-]|\\.\\p{L}))[^\\s<>"{}|\\\\^\`]{0,2048}`,
      "giu",
    ),
    ([found]) => /[\p{L}\p{N}]/u.test(found.replace(/^(?:\w+:\/\/|www\d?\.)/i, "")),
  )(text).map(({ start, end }) => ({ start, end: start + withoutClosing(text.slice(start, end)).length }));

/** Removes the punctuation of the sentence, and a closing bracket that the address does not open. */
function withoutClosing(address: string): string {
  let end = address.length;
  for (; end > 0; end--) {
    const last = address[end - 1]!;
    const isExcess = last === ")" && !address.slice(0, end).includes("(");
    if (!isExcess && !/[.,;:!?'"\]\u2019\u201d]/.test(last)) break;
  }
  return address.slice(0, end);
}

const SOCIAL = /\bSSN\b|\b(?:social security|soc\.? ?sec\.)/i;
const ssn = matching(
  /(?<![\p{L}\p{N}]|\p{N}[.,-])(\d{3})([ .-]?)(\d{2})\2(\d{4})(?![\p{L}\p{N}]|[.,-]\p{N})/gu,
  ({ index, 1: area, 2: separator, 3: group, 4: serial }, text) =>
    !/^(000|666|9)/.test(area!) &&
    group !== "00" &&
    serial !== "0000" &&
    (separator !== "" || follows(SOCIAL, text, index)),
);

const CALLED =
  /(?:tel|telephone|phone|mobile|cell|fax|call|telefon|mobil|handy|t\u00e9l)\b\.?(?: ?(?:number|no|nr|num)\b\.?)?[^\p{L}\p{N}]*$/iu;
const phone = amongGroups(
  [
    /(?<![\p{L}\p{N}]|\p{N}[.,/:-]|\+)(?:\+ ?|00 ?)?(?:\(\+?\d{1,5}\)|\d{1,15})/gu,
    /[ ./-]{0,2}\(\d{1,5}\)|(?:[ ./-]{1,2}| [/-] |(?<=\)))\d{1,12}/uy,
    /(?![\p{L}\p{N}]|[.,/:-]\p{N})/uy,
  ],
  8,
  (found, start, text) => {
    const isNamed = follows(CALLED, text, start);
    const isListed = !isNamed && /^[\d ]+$/.test(found) && isAmongDigits(text, start, start + found.length);
    return isPhone(found, isNamed) && (!isListed || LISTED.test(found));
  },
);
/** Numbers with spaces alone that are found in lists of numbers: with an area code, or a trunk prefix. */
const LISTED = /^(?:[2-9]\d\d [2-9]\d\d \d{4}|0[1-9]\d{1,3} \d{5,8})$/;

/** Groups of one digit, and ranges of small numbers: columns of tables, not numbers of phones. */
const SHORT_GROUPS = /(?<!^00) \d (?=\d)| \d{1,2} \d{1,2}-\d| \d{1,2}-\d+ /;

/** Positions in a record, as in descriptions of forms. */
const POSITIONS = /^(?:\d{1,2} )+\d{1,2}-\d{1,2}$/;

/**
 * @param isNamed true if a word such as `phone` precedes the number. Without it, a number without separators can be
 *   anything.
 */
function isPhone(found: string, isNamed: boolean): boolean {
  const digits = found.replace(/\D/g, "");
  if (digits.length < 7 || digits.length > 15 || dates(found).length > 0 || POSITIONS.test(found)) return false;
  if (isNamed || found.startsWith("+")) return isNamed || digits.length >= 8;
  if (/^(?:1[ .-]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}$/.test(found)) return true;
  if (/^[2-9]\d{2}-\d{4}$/.test(found)) return true;
  if (SHORT_GROUPS.test(found)) return false;
  if (/^00 ?[1-9]/.test(found)) return digits.length >= 8;
  // A number with the trunk prefix 0, such as 030 1234567 or (0171) 123 45 67.
  return /^(?:\(0[1-9]\d{0,3}\)|0[1-9]\d{0,3})[ /-]/.test(found) && digits.length >= 9 && !/\.\d/.test(found);
}

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
/** Small numbers count sections and versions, but for these addresses, and after these words. */
const RESOLVERS = new Set(["1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9"]);
const ADDRESSED =
  /\b(?:IP|IPv4|address|host|server|gateway|DNS|ping|from|to|at)(?: (?:is|was|at|address|server))?[^\p{L}\p{N}]*$/iu;
const ipv4 = matching(
  new RegExp(`(?<![\\p{L}\\p{N}.])(?:${OCTET}\\.){3}${OCTET}(?:/\\d{1,2}(?!\\d))?(?![\\p{L}\\p{N}]|\\.\\p{N})`, "gu"),
  ({ index, 0: found }, text) =>
    (!/^\d\.(?:\d{1,2}\.){2}\d{1,2}$/.test(found) || RESOLVERS.has(found) || follows(ADDRESSED, text, index)) &&
    !follows(/(?:\bv|ver\.?|version|release|section|clause) ?$/i, text, index),
);

const ipv6 = matching(
  /(?<![\p{L}\p{N}:.])(?:[\da-fA-F]{0,4}:){2,8}(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-fA-F]{0,4})(?:%\w{1,16})?(?:\/\d{1,3})?(?![\p{L}\p{N}:])/gu,
  ([found]) => /\d/.test(found) && URL.canParse(`http://[${found.replace(/[%/].*$/, "")}]`),
);

export const PRESETS = {
  email,
  phone_number: phone,
  date: dates,
  us_ssn: ssn,
  url,
  credit_card: creditCard,
  credit_debit_pin: cardPin,
  bank_routing_number: routingNumber,
  international_bank_account_number: iban,
  swift_bic_number: bic,
  ipv4,
  ipv6,
} as const satisfies Readonly<Record<string, Find>>;
export type PresetName = keyof typeof PRESETS;
