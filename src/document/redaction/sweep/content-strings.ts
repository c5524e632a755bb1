// Removes matches from content streams outside of shown text: in comments, in the properties of marked content
// (ISO 32000-1, 14.6.2), such as ActualText, in names, in unused operands, and in the data of inline images.
import { inlineDictionary, skipInlineData } from "../../content/content.ts";
import { applyEdits, type Edit } from "../../content/edits.ts";
import { TEXT_SHOWING, VALUE_KEYWORDS } from "../../content/operators.ts";
import { Lexer } from "../../objects/parsing/lexer.ts";
import { serialize } from "../../objects/serialize.ts";
import { type Dictionary, latin1Of, Name, type Value } from "../../objects/values.ts";
import type { Finder } from "../expressions/expressions.ts";
import { withoutOuterFilters } from "./outer-filters.ts";
import { ReplacementTexts } from "./replacement-texts.ts";
import { isReadable, textOf } from "./unknown-text.ts";

const PERCENT = 0x25;
/** Operators whose second operand is a property list or its name. */
const MARKING = /^(BDC|DP)$/;
const HEXADECIMAL = /^[\s\da-f]*>?\s*$/i;

export interface Operands {
  /** Returns an operand without matches; the same one if it has none. */
  clean(operand: Value): Value;
  /** The property lists of marked content. @default ignored */
  readonly lists?: {
    /** Returns a copy of the list that marked content refers to by name. */
    named(name: Name): Dictionary | undefined;
    /** Called if the content no longer refers to a list. */
    replace(copy: Dictionary): void;
  };
}

/** @returns the same bytes if nothing changes */
export function withoutHiddenMatches(bytes: Uint8Array, finder: Finder, known: Operands): Uint8Array {
  let edits: Edit[] = [];
  const replaced = new ReplacementTexts();
  const lexer = new Lexer(bytes);
  let ended = 0;
  let operands: { readonly value: Value; readonly start: number; readonly end: number }[] = [];
  const skip = (until: number) => {
    const gap = bytes.subarray(ended, until);
    if (gap.includes(PERCENT) && finder.matches(latin1Of(gap))) edits.push({ start: ended, end: until, text: "\n" });
  };
  const use = (operator: string) => {
    const isText = TEXT_SHOWING.has(operator);
    const [, named] = operands;
    const list = MARKING.test(operator) && named?.value instanceof Name && known.lists?.named(named.value);
    if (list) replaced.add(list, named.start, named.end);
    for (const { value, start, end } of operands) {
      const cleaned = isText ? value : known.clean(value);
      replaced.add(cleaned, start, end);
      if (cleaned !== value) edits.push({ start, end, text: ` ${serialize(cleaned, ({ number }) => number)} ` });
    }
    operands = [];
  };
  while (lexer.next() !== "end") {
    skip(lexer.start);
    const { start } = lexer;
    if (lexer.kind === "keyword" && !VALUE_KEYWORDS.has(lexer.text)) {
      use(lexer.text);
      if (lexer.text === "BI") {
        const dictionary = inlineDictionary(lexer);
        const data = skipInlineData(lexer, dictionary);
        const text = inlineText(bytes.subarray(data.start, data.end), dictionary);
        if (isReadable(text) && finder.matches(text)) edits.push({ start, end: lexer.end, text: "" });
      }
    } else {
      const value: Value | undefined = lexer.value();
      if (value !== undefined && typeof value !== "number") operands.push({ value, start, end: lexer.end });
    }
    ended = lexer.end;
  }
  skip(bytes.length);
  use("");
  const together = replaced.edits(finder, (list) => known.lists?.replace(list));
  const starts = new Set(together.map(({ start }) => start));
  edits = [...edits.filter(({ start }) => !starts.has(start)), ...together];
  return edits.length === 0 ? bytes : applyEdits(bytes, edits, bytes.length);
}

/** Returns the data of an inline image as a text. Digits in which the data is written are no text. */
function inlineText(data: Uint8Array, dictionary: Dictionary): string {
  const filters = dictionary.get("F") ?? dictionary.get("Filter");
  const [first] = Array.isArray(filters) ? filters : [filters];
  const isHexadecimal =
    first instanceof Name && /^(AHx|ASCIIHexDecode)$/.test(first.text) && HEXADECIMAL.test(latin1Of(data));
  return textOf((isHexadecimal && withoutOuterFilters(data, ["ASCIIHexDecode"])) || data);
}
