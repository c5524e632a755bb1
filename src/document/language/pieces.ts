// Divides a text into pieces for a language model.
import { tokensIn } from "./tokens.ts";

/** Where a text is divided, best first: after paragraphs, lines, sentences, words. */
const DIVISIONS = [/(?<=\n[ \t]*\n)(?!\s)/, /(?<=\n)/, /(?<=[.!?]["')\]]*\s)|(?<=[。！？])/, /(?<=\s)/];

/** Returns the pieces of a text, each of at most a number of tokens. Joined, they are the text. */
export function piecesOf(text: string, mostTokens: number): readonly string[] {
  const pieces: string[] = [];
  let tokens = Number.POSITIVE_INFINITY;
  for (const unit of unitsOf(text, mostTokens)) {
    const more = tokensIn(unit);
    if (tokens + more <= mostTokens) pieces[pieces.length - 1] += unit;
    else pieces.push(unit);
    tokens = tokens + more <= mostTokens ? tokens + more : more;
  }
  return pieces;
}

function* unitsOf(text: string, mostTokens: number, level = 0): Generator<string> {
  const division = DIVISIONS[level];
  if (tokensIn(text) <= mostTokens) yield text;
  else if (division) for (const part of text.split(division)) yield* unitsOf(part, mostTokens, level + 1);
  // A UTF-16 code unit has at most 3 bytes in UTF-8, one token. A pair of surrogates stays together.
  else yield* text.match(new RegExp(`[^]{1,${Math.max(1, mostTokens - 1)}}(?![\\udc00-\\udfff])`, "g")) ?? [];
}

/** Returns the end of a text, from the start of a word: at most a number of tokens. */
export function endOf(text: string, mostTokens: number): string {
  const end = text.slice(-mostTokens);
  return end.length === text.length ? text : end.replace(/^\S*\s*/, "");
}
