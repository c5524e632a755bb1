// Reads the syntax of job options, the settings of Adobe Distiller: dictionaries in PostScript's notation (PLRM 3.2), with
// the operators that take them. Nothing is executed; any other operator is an error.

export type JobValue = boolean | number | JobName | JobText | JobDictionary | readonly JobValue[];
export type JobDictionary = ReadonlyMap<string, JobValue>;
export class JobName {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}
/** A string, whose content has no meaning for the settings. */
export class JobText {}

/** Not the syntax of job options. The message names the line. */
export class JobOptionsError extends Error {}

/** Operators that take a dictionary. */
const TAKERS = ["setdistillerparams", "setpagedevice"] as const;
type Taker = (typeof TAKERS)[number];

const MAX_DEPTH = 20;
const NUMBER = /^[+-]?(?:\d{1,10}(?:\.\d{0,10})?|\.\d{1,10})$/;
/** A comment, a bracket of a dictionary or an array, a string in hexadecimal digits, the start of a string, or a word. */
const TOKEN = /[\0\t\n\f\r ]+|%[^\r\n]*|<<|>>|[[\]]|<[\da-fA-F\s]*>|\(|\/?[^\0\t\n\f\r ()<>[\]{}/%]+/y;
const PART_OF_STRING = /\\.|[^\\()]+|[()]/suy;

/**
 * Returns the settings for each operator; later ones replace earlier ones.
 * @param text one character for each byte
 * @throws JobOptionsError
 */
export function parseJobOptions(text: string): Readonly<Record<Taker, JobDictionary>> {
  const reader = new Reader(text);
  const found: Record<Taker, Map<string, JobValue>> = { setdistillerparams: new Map(), setpagedevice: new Map() };
  let count = 0;
  for (let token = reader.next(); token !== undefined; token = reader.next(), count++) {
    if (token !== "<<") throw reader.error(`${token} instead of a dictionary`);
    const settings = reader.dictionary(1);
    const operator = reader.next() ?? "the end";
    const taker = TAKERS.find((one) => one === operator);
    if (!taker) throw reader.error(`${operator} instead of setdistillerparams`);
    for (const [key, value] of settings) found[taker].set(key, value);
  }
  if (count === 0) throw reader.error("no settings");
  return found;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  error(why: string): JobOptionsError {
    const line = this.#text.slice(0, this.#at).split(/\r\n?|\n/).length;
    return new JobOptionsError(`Line ${line}: ${why}.`);
  }

  /** Returns the next token, `(` for a string; undefined at the end. */
  next(): string | undefined {
    while (this.#at < this.#text.length) {
      TOKEN.lastIndex = this.#at;
      const token = TOKEN.exec(this.#text)?.[0];
      if (token === undefined) throw this.error(`unexpected ${this.#text[this.#at]}`);
      this.#at += token.length;
      if (token === "(") this.#skipString();
      if (!/^[\0\t\n\f\r %]/.test(token)) return token;
    }
    return undefined;
  }

  dictionary(depth: number): Map<string, JobValue> {
    const entries = new Map<string, JobValue>();
    for (let token = this.next(); token !== ">>"; token = this.next()) {
      if (!token?.startsWith("/")) throw this.error(`${token ?? "the end"} instead of a key`);
      entries.set(token.slice(1), this.#value(this.next(), depth));
    }
    return entries;
  }

  #value(token: string | undefined, depth: number): JobValue {
    if (depth > MAX_DEPTH) throw this.error("too many nested values");
    if (token === "true" || token === "false") return token === "true";
    if (token === "<<") return this.dictionary(depth + 1);
    if (token === "[") {
      const elements: JobValue[] = [];
      for (let one = this.next(); one !== "]"; one = this.next()) elements.push(this.#value(one, depth + 1));
      return elements;
    }
    if (token?.startsWith("/")) return new JobName(token.slice(1));
    if (token === "(" || (token?.startsWith("<") && token !== "<<")) return new JobText();
    if (token === undefined || !NUMBER.test(token)) throw this.error(`${token ?? "the end"} instead of a value`);
    return Number(token);
  }

  #skipString(): void {
    for (let depth = 1; depth > 0; ) {
      PART_OF_STRING.lastIndex = this.#at;
      const part = PART_OF_STRING.exec(this.#text)?.[0];
      if (part === undefined) throw this.error("a string without an end");
      this.#at += part.length;
      if (part === "(") depth++;
      if (part === ")") depth--;
    }
  }
}
