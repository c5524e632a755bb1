// Reads dates as the numbers that workbooks have for them.
import type { NumberMarks } from "./number-marks.ts";
import type { TypedValue } from "./typed-value.ts";

/** Languages whose names of months are known, with their identifiers in number formats. */
const LANGUAGES: readonly (readonly [language: string, identifier: string])[] = [
  ...([["en", "409"] as const, ["de", "407"] as const, ["fr", "40C"] as const, ["es", "40A"] as const] as const),
  ...([["it", "410"] as const, ["pt", "816"] as const, ["nl", "413"] as const, ["sv", "41D"] as const] as const),
];

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})$/;
const DAY_MONTH_YEAR = /^(\d{1,2})(\.?) (?:de )?(\p{L}{3,})(\.?),? (?:de )?(\d{4})$/u;
const MONTH_DAY_YEAR = /^(\p{L}{3,})(\.?) (\d{1,2})(,?) (\d{4})$/u;
/** Two digits below this are a year after 2000. */
const CENTURY = 50;
const DAY_MS = 86_400_000;
/** Day 0 of workbooks, for days after February 1900. */
const ORIGIN = Date.UTC(1899, 11, 30);
const FIRST_DAY = 61;

/** @returns undefined if a text is no date, or could be two */
export function dateOf(text: string, { isDayFirst }: Pick<NumberMarks, "isDayFirst">): TypedValue | undefined {
  const [, year, mark, month, day] = YEAR_FIRST.exec(text) ?? [];
  if (year) return dated(Number(year), Number(month), Number(day), ["yyyy", "mm", "dd"].join(quoted(mark!)));
  return yearLast(text, isDayFirst) ?? namedMonth(text);
}

function yearLast(text: string, isDayFirst: boolean | undefined): TypedValue | undefined {
  const [, first, mark, second, last] = YEAR_LAST.exec(text) ?? [];
  if (!last) return undefined;
  // Digits with hyphens and two-digit years are more often numbers of things.
  if (mark === "-" && last.length === 2) return undefined;
  const startsWithDay = mark === "." || Number(first) > 12 ? true : Number(second) > 12 ? false : isDayFirst;
  if (startsWithDay === undefined) return undefined;
  const [day, month] = startsWithDay ? [first, second] : [second, first];
  const year = last.length === 4 ? Number(last) : Number(last) + (Number(last) < CENTURY ? 2000 : 1900);
  const part = (digits: string, letter: string) => (digits.startsWith("0") ? letter.repeat(2) : letter);
  const parts = startsWithDay ? [part(first!, "d"), part(second!, "m")] : [part(first!, "m"), part(second!, "d")];
  return dated(year, Number(month), Number(day), [...parts, "y".repeat(last.length)].join(quoted(mark!)));
}

/** Writes a mark as it is: programs replace a bare slash. */
const quoted = (mark: string): string => (mark === "/" ? "\\/" : mark);

function namedMonth(text: string): TypedValue | undefined {
  const [, day, point, name, dot, year] = DAY_MONTH_YEAR.exec(text) ?? [];
  const month = name ? monthsByName().get(name.toLowerCase()) : undefined;
  if (month)
    return dated(Number(year), month.number, Number(day), `${month.language}d${point}\\ ${month.letters}${dot}\\ yyyy`);
  const [, other, stop, date, comma, last] = MONTH_DAY_YEAR.exec(text) ?? [];
  const named = other ? monthsByName().get(other.toLowerCase()) : undefined;
  if (!named) return undefined;
  return dated(Number(last), named.number, Number(date), `${named.language}${named.letters}${stop}\\ d${comma}\\ yyyy`);
}

interface Month {
  readonly number: number;
  readonly letters: "mmmm" | "mmm";
  readonly language: string;
}

let months: ReadonlyMap<string, Month> | undefined;

function monthsByName(): ReadonlyMap<string, Month> {
  if (months) return months;
  const known = new Map<string, Month>();
  for (const [language, identifier] of LANGUAGES) {
    for (const [style, letters] of [["long", "mmmm"] as const, ["short", "mmm"] as const]) {
      const format = new Intl.DateTimeFormat(language, { day: "numeric", month: style, timeZone: "UTC" });
      for (let number = 1; number <= 12; number++) {
        const parts = format.formatToParts(Date.UTC(2000, number - 1, 1));
        const name = parts
          .find(({ type }) => type === "month")!
          .value.replace(/\.$/, "")
          .toLowerCase();
        if (!known.has(name)) known.set(name, { number, letters, language: `[$-${identifier}]` });
      }
    }
  }
  months = known;
  return known;
}

function dated(year: number, month: number, day: number, format: string): TypedValue | undefined {
  const time = Date.UTC(year, month - 1, day);
  const date = new Date(time);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const value = (time - ORIGIN) / DAY_MS;
  return value < FIRST_DAY ? undefined : { value, format };
}
