// Reports whether a JSON text has a shape that is read quickly. A parser spends a second on a few megabytes of brackets,
// and whatever walks through the values then runs out of stack.

import { LIMITS } from "../core/limits.ts";

const QUOTE = '"';

/** @returns false if the text has more lists and objects than the limits allow, or they are nested more deeply */
export function isModestJson(text: string): boolean {
  let depth = 0;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === QUOTE) at = endOfString(text, at);
    else if (character === "[" || character === "{") {
      depth++;
      count++;
      if (depth > LIMITS.jsonDepth || count > LIMITS.jsonLists) return false;
    } else if (character === "]" || character === "}") depth--;
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
