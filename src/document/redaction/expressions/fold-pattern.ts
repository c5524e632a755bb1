// Folds the literal characters of a regular expression (RE2 syntax), because the text that it searches is folded.
import { fold } from "./fold.ts";

/** Escapes and names that stay, white space, classes, and characters other than ASCII with their marks. */
const TOKENS =
  /(?<kept>\\Q.*?(?:\\E|$)|\\[pP]\{[^}]*\}|\(\?P?<[^>]*>)|(?<space>(?:\\[tnrfv]|\s)+)|(?<code>\\x(?:\{[0-9a-f]{1,6}\}|[0-9a-f]{2}))|(?<escape>\\.)|(?<class>\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\])|(?<literal>[^\0-\x7e]\p{M}*|[^\\()[\]{}|*+?.^$]\p{M}+)/gisu;
const CODE = /\\x\{?([0-9a-f]+)\}?/gi;

export function foldPattern(pattern: string): string {
  return pattern.replace(TOKENS, (token, ...rest) => {
    const { space, code, class: characters, literal } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    if (space !== undefined) return " ";
    if (characters !== undefined) return foldClass(characters);
    if (code === undefined && literal === undefined) return token;
    const plain = decoded(token);
    const folded = fold(plain).text;
    if (folded === plain) return token;
    return [...folded].length === 1 ? quoted(folded) : `(?:${quoted(folded)})`;
  });
}

/** Adds the folded characters. Those that are folded to several characters cannot be in a class. */
function foldClass(characters: string): string {
  const added = new Set<string>();
  for (const one of decoded(characters).replace(/\\[tnrfv]/g, "\n")) {
    const folded = fold(one).text;
    if (folded !== one && [...folded].length === 1) added.add(quoted(folded));
  }
  return characters.slice(0, -1) + [...added].join("") + characters.slice(-1);
}

/** Replaces codes by their characters. */
const decoded = (text: string): string =>
  text.replace(CODE, (code, digits: string) => {
    const point = Number.parseInt(digits, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : code;
  });

const quoted = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, "\\$&");
