// Formats amounts and dates of an invoice for readers of a locale.

/** Names of units, by code of UN/ECE Recommendation 20. Other codes are shown as they are. */
const UNITS: Readonly<Record<string, string>> = {
  ...{ C62: "", H87: "", HUR: "h", DAY: "d", MIN: "min", KGM: "kg", GRM: "g", TNE: "t" },
  ...{ MTR: "m", KMT: "km", MTK: "m²", MTQ: "m³", LTR: "l", KWH: "kWh", P1: "%" },
};
const DECIMAL = /^[+-]?\d{1,15}(?:\.\d+)?$/;
const DAY = /^(\d{4})-?(\d\d)-?(\d\d)/;
const MAX_DIGITS = 10;

export class Formats {
  readonly #locale: string;
  readonly #currency: string;
  /** Formats by their digits, because making one takes as long as formatting a hundred numbers. */
  readonly #numbers = new Map<string, Intl.NumberFormat>();

  /** @param currency code of ISO 4217 */
  constructor(locale: string, currency: string) {
    this.#locale = locale;
    this.#currency = currency;
  }

  /** Returns an amount with the currency. */
  money(amount: string): string {
    const text = this.#number(amount, 2, 2);
    return text === "" || this.#currency === "" ? text : `${text}\u00a0${this.#currency}`;
  }

  /** Returns a price, which can have more digits than an amount. */
  price(amount: string): string {
    return this.#number(amount, 2, MAX_DIGITS);
  }

  amount(amount: string): string {
    return this.#number(amount, 2, 2);
  }

  quantity(quantity: string, unit: string): string {
    return `${this.#number(quantity, 0, MAX_DIGITS)}\u00a0${UNITS[unit] ?? unit}`.trim();
  }

  percent(rate: string): string {
    return this.#number(rate, 0, 2);
  }

  /** @param day `YYYYMMDD`; another text, or a day that no calendar has, is shown as it is */
  date(day: string): string {
    const [, year, month, date] = DAY.exec(day) ?? [];
    if (date === undefined) return day;
    const time = Date.UTC(Number(year), Number(month) - 1, Number(date));
    if (new Date(time).getUTCDate() !== Number(date) || new Date(time).getUTCMonth() !== Number(month) - 1) return day;
    return plain(new Intl.DateTimeFormat(this.#locale, { dateStyle: "medium", timeZone: "UTC" }).format(time));
  }

  /** Text that is no number is shown as it is. */
  #number(text: string, minimumFractionDigits: number, maximumFractionDigits: number): string {
    if (!DECIMAL.test(text)) return text;
    const digits = `${minimumFractionDigits} ${maximumFractionDigits}`;
    const known = this.#numbers.get(digits);
    const format = known ?? new Intl.NumberFormat(this.#locale, { minimumFractionDigits, maximumFractionDigits });
    this.#numbers.set(digits, format);
    return plain(format.format(Number(text)));
  }
}

/** Few fonts have the narrow space of French numbers. */
const plain = (text: string): string => text.replaceAll("\u202f", "\u00a0");
