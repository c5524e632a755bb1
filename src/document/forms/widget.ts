// Reads the properties of a form field that affect its appearance: type, value, options and colors (ISO 32000-1,
// 12.5.6.19 and 12.7).
import { readBox } from "../content/boxes.ts";
import { EngineFailure } from "../contract/failure.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { decodeTextString } from "../objects/text-strings.ts";
import { Dictionary, PdfStream, PdfString, type Value } from "../objects/values.ts";

export const FIELD_FLAGS = {
  multiline: 1 << 12,
  password: 1 << 13,
  radio: 1 << 15,
  push: 1 << 16,
  combo: 1 << 17,
  edit: 1 << 18,
  severalChoices: 1 << 21,
  richText: 1 << 25,
  comb: 1 << 24,
} as const;

const MAX_LEVELS = 64;
/** Maximum number of characters of a value. No page shows more. */
const MAX_CHARACTERS = 20_000;
const MAX_VALUE_BYTES = 2 ** 20;
const MAX_OPTIONS = 10_000;

export interface Option {
  readonly exported: string;
  readonly shown: string;
}

/** A widget and its field. */
export class Widget {
  readonly file: PdfFile;
  readonly dictionary: Dictionary;
  /** The appearance characteristics (MK): colors, caption and icon. */
  readonly look: Dictionary;
  readonly type: string | undefined;
  readonly flags: number;
  /** Left, bottom, right, top. */
  readonly rectangle: readonly [number, number, number, number];
  readonly #form: Dictionary | undefined;

  /** @param form the AcroForm dictionary */
  constructor(file: PdfFile, form: Dictionary | undefined, dictionary: Dictionary) {
    this.file = file;
    this.#form = form;
    this.dictionary = dictionary;
    this.look = file.dictionary(dictionary.get("MK")) ?? new Dictionary();
    this.type = file.name(this.inherited("FT"));
    this.flags = file.number(this.inherited("Ff")) ?? 0;
    this.rectangle = readBox(file, dictionary.get("Rect")) ?? [0, 0, 0, 0];
  }

  /** Returns an entry of the widget or of its ancestor fields (12.7.3.1). */
  inherited(key: string): Value | undefined {
    let at: Dictionary | undefined = this.dictionary;
    for (let level = 0; at && level < MAX_LEVELS; level++) {
      const value: Value | undefined = at.get(key);
      if (value !== undefined) return value;
      at = this.file.dictionary(at.get("Parent"));
    }
    return undefined;
  }

  /** Returns an entry for variable text (12.7.3.3): from the field, or otherwise the form's default. */
  ofText(key: "DA" | "Q"): Value | undefined {
    return this.inherited(key) ?? this.#form?.get(key);
  }

  has(flag: keyof typeof FIELD_FLAGS): boolean {
    return (this.flags & FIELD_FLAGS[flag]) !== 0;
  }

  /** Returns the beginning of a text that can be shown; undefined for objects that are no text. */
  text(value: Value | undefined): string | undefined {
    return readText(this.file, value)?.slice(0, MAX_CHARACTERS);
  }

  /** Returns the value of a text field. If it has only a rich text value, returns that without markup. */
  value(): string {
    const plain = this.text(this.inherited("V"));
    if (plain !== undefined) return plain;
    return withoutMarkup(this.text(this.inherited("RV")) ?? "");
  }

  /** Returns the values of a choice field. Accepts a name as a value: it is invalid, but some writers use it. */
  values(): string[] {
    const value = this.file.resolve(this.inherited("V"));
    const values = Array.isArray(value) ? value : [this.inherited("V") ?? null];
    return values.flatMap((one) => this.text(one) ?? this.file.name(one) ?? []);
  }

  /** Returns the options of a choice field (table 231). */
  options(): Option[] {
    return (this.file.array(this.inherited("Opt")) ?? []).slice(0, MAX_OPTIONS).map((option) => {
      const [exported, shown] = this.file.array(option) ?? [option, option];
      const text = this.text(exported) ?? "";
      return { exported: text, shown: this.text(shown) ?? text };
    });
  }

  /** Returns the operands of a color operator: 1, 3 or 4 numbers; undefined for a transparent color. */
  color(key: "BG" | "BC"): number[] | undefined {
    const numbers = (this.file.array(this.look.get(key)) ?? []).map((part) => this.file.number(part) ?? 0);
    return [1, 3, 4].includes(numbers.length) ? numbers : undefined;
  }
}

/** Returns the text of a string or a stream; undefined for other objects. */
export function readText(file: PdfFile, value: Value | undefined): string | undefined {
  const object = file.resolve(value);
  if (object instanceof PdfString) return decodeTextString(object);
  if (!(object instanceof PdfStream)) return undefined;
  try {
    return decodeTextString(new PdfString(object.body.decoded(MAX_VALUE_BYTES)));
  } catch (error) {
    if (error instanceof EngineFailure && ["damaged", "too-large"].includes(error.reason)) return undefined;
    throw error;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** Returns the characters of rich text (12.7.3.4), one line per paragraph. */
export function withoutMarkup(rich: string): string {
  return rich
    .replace(/\s+/g, " ")
    .replace(/<br\s*\/?>|<\/p>(?=\s*<p)/gi, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hexadecimal, name) => {
      if (name) return ENTITIES[name] ?? whole;
      const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : "";
    })
    .trim();
}
