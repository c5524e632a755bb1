// Reads the text of cells as numbers with the formats that show them as they are in the document.
import { dateOf } from "./dates.ts";
import type { NumberMarks } from "./number-marks.ts";
import type { TypedValue } from "./typed-value.ts";

/** Signs and codes of currencies, before or behind a number. */
const SIGNS = "[$€£¥₹₩₽₺₫₪₴฿₦₱]|(?:US|CA|AU|A|C|R|NZ|HK|S)\\$";
const CODES =
  "EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|AUD|CAD|NZD|BRL|MXN|ZAR|SGD|HKD|KRW|TRY|kr\\.?|zł|Kč|Ft|Fr\\.|Rs\\.?";
const CURRENCY = `(?:${SIGNS}|${CODES})`;
const AMOUNT = "[\\d.,'’ ]*\\d";
const SIGNED = new RegExp(
  `^(?<outer>[-+])?(?:(?<before>${CURRENCY})(?<gap> ?))?(?<open>\\()?(?<inner>[-+])?(?:(?<within>${CURRENCY})(?<space> ?))?` +
    `(?<amount>${AMOUNT})(?:(?<apart> ?)(?<behind>%|${CURRENCY}))?(?<trailing> ?-)?(?<close>\\))?(?:(?<far> ?)(?<last>%|${CURRENCY}))?$`,
);
/** More digits without marks are a number of a thing. */
const MAX_PLAIN_DIGITS = 9;
const MAX_DIGITS = 15;
/** Digits after a plus sign that are a number of a telephone. */
const DIALED_DIGITS = 7;

/** @returns undefined for text: also for zeros at the start, and for long rows of digits */
export function typedValue(text: string, marks: Pick<NumberMarks, "decimal" | "isDayFirst">): TypedValue | undefined {
  if (!/\d/.test(text) || text.length > 40) return undefined;
  const plain = text.replace(/[\u00a0\u2007\u2009\u202f\s]+/g, " ").replace(/[\u2212\u2013](?=[ \d]|$|\p{Sc})/gu, "-");
  return dateOf(plain, marks) ?? numberOf(plain.trim(), marks.decimal);
}

function numberOf(text: string, decimal: "." | ","): TypedValue | undefined {
  const parts = SIGNED.exec(text)?.groups;
  if (!parts || (parts.open === undefined) !== (parts.close === undefined)) return undefined;
  const { outer, inner, open, trailing, amount } = parts;
  const signs = [outer, inner, open, trailing].filter((one) => one !== undefined);
  const prefix = parts.before ?? parts.within;
  const units = [parts.before, parts.within, parts.behind, parts.last].filter((one) => one !== undefined);
  if (signs.length > 1 || units.length > 1) return undefined;
  const read = amountOf(amount!, decimal, units.length > 0);
  if (!read) return undefined;
  const isDialed = (outer ?? inner) === "+" && read.format === undefined && read.digits >= DIALED_DIGITS;
  if (isDialed) return undefined;
  const isPercent = units[0] === "%";
  const isNegative = signs.length > 0 && signs[0] !== "+";
  const isUnsure = units.length === 0 && (read.isSpaced || (open !== undefined && read.format === undefined));
  const value = Number((isPercent ? read.value / 100 : read.value).toPrecision(MAX_DIGITS));
  const format = formatOf(read.format, {
    before: prefix === undefined ? "" : currency(prefix) + (parts.gap || parts.space ? "\\ " : ""),
    behind: unitBehind(parts),
    isOpen: open !== undefined,
    isTrailing: trailing !== undefined,
    isPlus: signs[0] === "+",
  });
  return {
    value: isNegative ? -value : value,
    ...(format === undefined ? {} : { format }),
    ...(isUnsure ? { isUnsure } : {}),
  };
}

function unitBehind({ apart, behind, far, last }: Readonly<Record<string, string | undefined>>): string {
  const unit = behind ?? last;
  if (unit === undefined) return "";
  return (apart || far ? "\\ " : "") + (unit === "%" ? unit : currency(unit));
}

const currency = (sign: string): string => `[$${sign}]`;

interface Look {
  readonly before: string;
  readonly behind: string;
  readonly isOpen: boolean;
  readonly isTrailing: boolean;
  readonly isPlus: boolean;
}

function formatOf(
  amount: string | undefined,
  { before, behind, isOpen, isTrailing, isPlus }: Look,
): string | undefined {
  const positive = `${before}${amount ?? "0"}${behind}`;
  if (isOpen) return `${positive}_);(${positive})`;
  if (isTrailing) return `${positive};${positive}-`;
  if (isPlus) return `+${positive};-${positive}`;
  return amount === undefined && before + behind === "" ? undefined : positive;
}

interface Amount {
  readonly value: number;
  readonly digits: number;
  /** True for a whole number with spaces between its thousands. */
  readonly isSpaced: boolean;
  /** @default none, for digits only */
  readonly format?: string;
}

const DIGITS = /^(?:0|[1-9]\d*)$/;
const DECIMALS = /^(\d*)([.,])(\d+)$/;
const GROUPS = /^(\d{1,3})(?:([.,'’ ])\d{3})(?:\2\d{3})*(?:([.,])(\d+))?$/;
const INDIAN_GROUPS = /^\d{1,2}(?:,\d{2})+,\d{3}(?:\.(\d+))?$/;

/** Reads an amount without sign and currency. */
function amountOf(text: string, decimal: "." | ",", hasUnit: boolean): Amount | undefined {
  const digits = text.replace(/\D/g, "").length;
  if (digits > MAX_DIGITS) return undefined;
  if (DIGITS.test(text)) {
    const isAmount = hasUnit || digits <= MAX_PLAIN_DIGITS;
    return isAmount ? { value: Number(text), digits, isSpaced: false } : undefined;
  }
  const [, whole = "", mark, decimals] = DECIMALS.exec(text) ?? [];
  const isDecimal = decimals && (mark === decimal || (hasUnit && decimals.length < 3));
  if (isDecimal && /^(?:0?|[1-9]\d*)$/.test(whole)) {
    const format = `0.${"0".repeat(decimals.length)}`;
    return { value: Number(`${whole || 0}.${decimals}`), digits, isSpaced: false, format };
  }
  return groupedAmount(text, decimal, digits);
}

function groupedAmount(text: string, decimal: "." | ",", digits: number): Amount | undefined {
  const [, first, separator, mark, decimals = ""] = GROUPS.exec(text) ?? [];
  const indian = INDIAN_GROUPS.exec(text);
  if ((!first && !indian) || text.startsWith("0")) return undefined;
  const places = indian ? (indian[1] ?? "") : decimals;
  // A single mark that the document writes before decimals divides no thousands, unless another follows.
  if (!indian && separator === decimal && mark === undefined) return undefined;
  if (mark !== undefined && mark === separator) return undefined;
  const whole = (indian ? text.split(".")[0]! : text.slice(0, text.length - (mark ? decimals.length + 1 : 0))).replace(
    /\D/g,
    "",
  );
  const format = `#,##0${places === "" ? "" : `.${"0".repeat(places.length)}`}`;
  return { value: Number(`${whole}.${places || 0}`), digits, isSpaced: separator === " " && places === "", format };
}
