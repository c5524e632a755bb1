// Finds dates that exist, in numbers and with names of months.
import { type Find, matching } from "./match.ts";

/** Names and abbreviations of the months: English, German, French, Spanish, Italian, Portuguese, Dutch. */
// cspell:disable
const MONTHS = [
  "january|jan|januar|j\u00e4nner|janvier|janv|enero|ene|gennaio|gen|janeiro|januari",
  "february|feb|februar|f\u00e9vrier|f\u00e9vr|febrero|febbraio|fevereiro|fev|februari",
  "march|mar|m\u00e4rz|mars|marzo|mar\u00e7o|maart|mrt",
  "april|apr|avril|avr|abril|abr|aprile",
  "may|mai|mayo|maggio|mag|maio|mei",
  "june|jun|juni|juin|junio|giugno|giu|junho",
  "july|jul|juli|juillet|juil|julio|luglio|lug|julho",
  "august|aug|ao\u00fbt|agosto|ago|augustus",
  "september|sep|sept|septembre|septiembre|settembre|set|setembro",
  "october|oct|oktober|okt|octobre|octubre|ottobre|ott|outubro|out",
  "november|nov|novembre|noviembre|novembro",
  "december|dec|dezember|dez|d\u00e9cembre|d\u00e9c|diciembre|dic|dicembre|dezembro",
];
// cspell:enable
const NUMBERS = new Map(MONTHS.flatMap((names, at) => names.split("|").map((name) => [name, at + 1] as const)));
const NAME = [...NUMBERS.keys()].sort((a, b) => b.length - a.length).join("|");
const BEFORE = "(?<![\\p{L}\\p{N}]|\\p{N}[.,/:-])";
/** A month's name can follow a range, as in 1–Dec. 31. */
const BEFORE_NAME = "(?<![\\p{L}\\p{N}])";
const AFTER = "(?![\\p{L}\\p{N}]|[.,/-]\\p{N})";
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th|er|\\.|\u00ba)?";
const YEAR = "(?<year>[12]\\d{3}|['\u2019]?\\d{2}(?!:))";
const LONG_YEAR = "(?<year>[12]\\d{3})";
const MONTH = `(?<name>${NAME})\\.?`;

const SHAPES: readonly Find[] = [
  `${LONG_YEAR}(?<gap>[-/.])(?<month>\\d{1,2})\\k<gap>(?<day>\\d{1,2})(?:T[\\d:.]{4,15}(?:Z|[+-]\\d\\d:?\\d\\d)?)?`,
  `(?<month>\\d{1,2})-(?<day>\\d{1,2})-${LONG_YEAR}`,
  "(?<month>\\d{1,2})(?<gap>[/])(?<day>\\d{1,2})\\k<gap>(?<year>\\d{2})",
  "(?<month>\\d{2})(?<gap>[-.])(?<day>\\d{2})\\k<gap>(?<year>\\d{2})",
  `${DAY} ?(?:of |de )?${MONTH},?(?: de | del | )?${YEAR}`,
  `${DAY} ?- ?${MONTH} ?- ?${YEAR}`,
  `${MONTH} ?${DAY},? (?:${LONG_YEAR}|['\u2019]\\d{2}(?!:))`,
  `${MONTH} ?${DAY}, (?<year>\\d{2}(?!:))`,
  // As computers write it: Sep 22 19:30:30 UTC 2011.
  `${MONTH} ?${DAY} \\d{1,2}:\\d{2}(?::\\d{2})?(?: [A-Z]{3,4}| [+-]\\d{4})? ${LONG_YEAR}`,
  `${MONTH},? (?:de )?${LONG_YEAR}`,
  `${LONG_YEAR}[ -]${MONTH}[ -]${DAY}`,
]
  .map((shape) => `${shape.startsWith(MONTH) ? BEFORE_NAME : BEFORE}${shape}${AFTER}`)
  // A hyphen between dates with other separators is a range.
  .concat(
    `(?<![\\p{L}\\p{N}]|\\p{N}[.,/:])(?<month>\\d{1,2})(?<gap>[/.])(?<day>\\d{1,2})\\k<gap>${LONG_YEAR}(?![\\p{L}\\p{N}]|[.,/]\\p{N})`,
  )
  .map((pattern) => matching(new RegExp(pattern, "giu"), ({ groups }) => isDate(groups ?? {})));

export const dates: Find = (text) => {
  const found = SHAPES.flatMap((find) => find(text)).sort((a, b) => a.start - b.start || b.end - a.end);
  let reached = 0;
  return found.filter(({ end }) => {
    const isNew = end > reached;
    reached = Math.max(reached, end);
    return isNew;
  });
};

function isDate({ day = "1", month = "0", name, year = "0" }: Readonly<Record<string, string | undefined>>): boolean {
  if (name !== undefined && /^\p{Ll}/u.test(name) && name.length < 4) return false;
  const [first, second] = [Number(day), NUMBERS.get((name ?? "").toLowerCase()) ?? Number(month)];
  const years = year.replace(/\D/g, "");
  const full = Number(years.length === 2 ? `20${years}` : years);
  // In figures, either the day or the month comes first.
  return exists(full, second, first) || (name === undefined && exists(full, first, second));
}

const exists = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
