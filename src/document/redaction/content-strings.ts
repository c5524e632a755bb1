// Removes matches from content streams outside of shown text: in comments, and in the properties of marked content
// (ISO 32000-1, 14.6.2), such as ActualText.
import { inlineDictionary, skipInlineData } from "../content/content.ts";
import { applyEdits, type Edit } from "../content/edits.ts";
import { VALUE_KEYWORDS } from "../content/operators.ts";
import { Lexer } from "../objects/parsing/lexer.ts";
import { serialize } from "../objects/serialize.ts";
import { Dictionary, latin1Of, type Value } from "../objects/values.ts";
import type { Finder } from "./expressions/expressions.ts";

const PERCENT = 0x25;

/**
 * @param clean returns the dictionary without matches; the same one if it has none
 * @returns the same bytes if nothing changes
 */
export function withoutHiddenMatches(
  bytes: Uint8Array,
  finder: Finder,
  clean: (properties: Dictionary) => Dictionary,
): Uint8Array {
  const edits: Edit[] = [];
  const lexer = new Lexer(bytes);
  let ended = 0;
  let properties: (Edit & { readonly value: Dictionary }) | undefined;
  const skip = (until: number) => {
    const gap = bytes.subarray(ended, until);
    if (gap.includes(PERCENT) && finder.matches(latin1Of(gap))) edits.push({ start: ended, end: until, text: "\n" });
  };
  while (lexer.next() !== "end") {
    skip(lexer.start);
    const { start } = lexer;
    if (lexer.kind === "keyword" && !VALUE_KEYWORDS.has(lexer.text)) {
      const operator = lexer.text;
      if (operator === "BI") skipInlineData(lexer, inlineDictionary(lexer));
      else if (properties && (operator === "BDC" || operator === "DP")) edits.push(properties);
      properties = undefined;
    } else {
      const value: Value | undefined = lexer.value();
      const cleaned = value instanceof Dictionary ? clean(value) : value;
      if (value instanceof Dictionary && cleaned !== value && cleaned instanceof Dictionary) {
        properties = { start, end: lexer.end, text: serialize(cleaned, ({ number }) => number), value };
      }
    }
    ended = lexer.end;
  }
  skip(bytes.length);
  return edits.length === 0 ? bytes : applyEdits(bytes, edits, bytes.length);
}
