// Detects JSON that is expensive to process: a parser needs a second for a few megabytes of brackets or distinct member
// names, and recursive code overflows the stack on deeply nested values.

import { LIMITS } from "../limits.ts";

const QUOTE = '"';

/** @returns false if the text has too many arrays, objects and members, or nests them too deeply */
export function isModestJson(text: string): boolean {
  let depth = 0;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === QUOTE) at = endOfString(text, at);
    else if (character === "[" || character === "{") {
      depth++;
      count++;
    } else if (character === ":") count++;
    else if (character === "]" || character === "}") depth--;
    if (depth > LIMITS.jsonDepth || count > LIMITS.jsonParts) return false;
  }
  return true;
}

/** Returns the index of the closing quotation mark; the length of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf(QUOTE, start + 1); end >= 0; end = text.indexOf(QUOTE, end + 1)) {
    let before = end;
    while (text[before - 1] === "\\") before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}
