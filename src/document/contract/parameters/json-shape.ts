// Reports whether a JSON text has a shape that is read quickly. A parser spends a second on a few megabytes of brackets
// or of members with different names, and whatever walks through nested values then runs out of stack.

import { LIMITS } from "../limits.ts";

const QUOTE = '"';

/** @returns false if the text has more lists, objects and members than the limits allow, or is nested more deeply */
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

/** Returns the position of the closing quotation mark; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf(QUOTE, start + 1); end >= 0; end = text.indexOf(QUOTE, end + 1)) {
    let before = end;
    while (text[before - 1] === "\\") before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}
