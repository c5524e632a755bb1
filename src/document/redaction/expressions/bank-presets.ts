// Presets for numbers of banks and cards. Check digits decide, and the words before a number if it has none.
import { amongGroups, type Find, follows, isAmongDigits, type Match, matching } from "./match.ts";

const digitsOf = (text: string): string => text.replace(/\D/g, "");

/** Reports whether digits satisfy the Luhn formula (ISO/IEC 7812-1, annex B). */
function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Issuer prefixes and their lengths: Visa, Mastercard, American Express, Diners, Discover, UnionPay, JCB, Maestro. */
const ISSUERS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(5[1-5]|2(2[2-9]|[3-6]\d|7[01]|720))/, [16]],
  [/^3[47]/, [15]],
  [/^3(0[0-5]|[689])/, [14, 16, 19]],
  [/^(6011|64[4-9]|65)/, [16, 19]],
  [/^62/, [16, 17, 18, 19]],
  [/^35(2[89]|[3-8])/, [16, 17, 18, 19]],
  [/^(5018|5020|5038|5893|6304|6759|676[1-3])/, [13, 14, 15, 16, 17, 18, 19]],
];

/** Groups as on cards: beside other numbers, others are by chance. */
const AS_ON_CARDS = /^(?:\d{13,19}|\d{4}([ .-])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?|\d{4}([ .-])\d{6}\2\d{4,5})$/;

export const creditCard: Find = amongGroups(
  [/(?<![\p{L}\p{N}]|\p{N}[.,-])\d{1,19}/gu, /[ .-]?\d{1,19}/uy, /(?![\p{L}\p{N}]|[.,-]\p{N})/uy],
  19,
  (found, start, text) => {
    const digits = digitsOf(found);
    const isIssued = ISSUERS.some(([prefix, sizes]) => prefix.test(digits) && sizes.includes(digits.length));
    if (!isIssued || !isLuhn(digits)) return false;
    return AS_ON_CARDS.test(found) || !(found.includes(".") || isAmongDigits(text, start, start + found.length));
  },
);

/** A PIN is known only by the word before it, which stays. */
export const cardPin: Find = matching(
  /(?<=(?<![\p{L}\p{N}])(?:[Pp][Ii][Nn](?:[ -]?(?:[Cc][Oo][Dd][Ee]|[Nn]umber|[Nn]o\.?|[Nn]r\.?))?|Geheimzahl|Geheimnummer)(?: ?\([^()]{1,20}\))?(?: (?:is|ist|was))?(?: ?[:=#-])? ?)\d{4,6}(?![\p{L}\p{N}]|[.,-]\p{N})/gu,
);

/** Routing numbers of the American Bankers Association: ranges of the Federal Reserve, weights 3, 7 and 1. */
export const routingNumber: Find = matching(
  /(?<![\p{L}\p{N}]|\p{N}[.,/-])(?:\d{9}|\d{4}-\d{4}-\d)(?![\p{L}\p{N}]|[.,/-]\p{N})/gu,
  ([text]) => {
    const digits = digitsOf(text);
    const range = Number(digits.slice(0, 2));
    const isIssued = range <= 12 || (range >= 21 && range <= 32) || (range >= 61 && range <= 72) || range === 80;
    const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * [3, 7, 1][at % 3]!, 0);
    return isIssued && sum > 0 && sum % 10 === 0;
  },
);

/** Lengths by country (SWIFT IBAN registry). */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    15: "NO",
    16: "BE",
    18: "DK FI FO GL NL SD FK",
    19: "MK SI",
    20: "AT BA EE KZ LT LU XK MN",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM TL SO",
    24: "AD CZ ES MD PK RO SA SE SK TN VG DZ",
    25: "AO CV LY MZ PT ST",
    26: "IS TR IR",
    27: "BF BI BJ CF CG CM DJ FR GA GR IT MC MG ML MR NE SM",
    28: "AL AZ BY CI CY DO GT HN HU LB NI PL SN SV TD TG",
    29: "BR EG PS QA UA",
    30: "JO KW MU YE",
    31: "MT SC",
    32: "LC",
    33: "RU",
  }).flatMap(([length, countries]) => countries.split(" ").map((country) => [country, Number(length)] as const)),
);

export const iban: Find = (text) =>
  [...text.matchAll(/(?:(?<![\p{L}\p{N}])|(?<=IBAN))[A-Za-z]{2}[ -]?\d{2}/gu)].flatMap(({ index, 0: head }) => {
    const size = IBAN_LENGTHS.get(head.slice(0, 2).toUpperCase());
    const found = size && alphanumerics(text, index, size);
    return found && isIban(text.slice(found.start, found.end)) ? [found] : [];
  });

/** Returns the next `size` letters and digits, between which single separators can stand. */
function alphanumerics(text: string, start: number, size: number): Match | undefined {
  let count = 0;
  let at = start;
  for (; count < size; at++) {
    if (/[A-Za-z0-9]/.test(text[at] ?? "")) count++;
    else if (!/[ -]/.test(text[at] ?? "") || /[ -]/.test(text[at - 1]!)) return undefined;
  }
  return /[\p{L}\p{N}]/u.test(text[at] ?? "") ? undefined : { start, end: at };
}

/** Computes the number modulo 97 (ISO 13616-1). */
function isIban(text: string): boolean {
  const compact = text.replace(/[ -]/g, "").toUpperCase();
  let rest = 0;
  for (const character of compact.slice(4) + compact.slice(0, 4)) {
    for (const digit of String(Number.parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97;
  }
  return rest === 1;
}

const COUNTRIES = new Set(
  (
    "AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW BY BZ CA CD CF " +
    "CG CH CI CK CL CM CN CO CR CU CV CW CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FK FM FO FR GA GB GD GE GF " +
    "GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM KN " +
    "KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX " +
    "MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PR PS PT PW PY QA RE RO RS RU RW SA SB SC " +
    "SD SE SG SH SI SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA " +
    "VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW"
  ).split(" "),
);
const NAMED = /(?:SWIFT|BIC)(?![\p{Ll}])/iu;

/** A BIC without digits looks like a word in capitals, so the words before it decide (ISO 9362). */
export const bic: Find = matching(
  /(?<![\p{L}\p{N}])[A-Z]{4}([A-Z]{2})[A-Z2-9][A-NP-Z0-9](?:[A-Z0-9]{3})?(?![\p{L}\p{N}])/gu,
  ({ index, 0: code, 1: country }, text) =>
    COUNTRIES.has(country!) && (/\d|XXX$/.test(code) || follows(NAMED, text, index)),
);
