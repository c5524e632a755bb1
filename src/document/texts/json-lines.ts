// Pretty-prints JSON token by token, so that numbers, repeated members and their order stay as they are.

import type { DataLine, PartKind } from "./data-lines.ts";

const TOKEN = /\s*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|([-+\w.]+))/sy;

interface Token {
  readonly text: string;
  readonly kind: "punctuation" | "string" | "word";
}

/** Returns the tokens of a text, which can have several values, as JSON Lines do; undefined if it is not JSON. */
export function jsonTokens(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  const open: string[] = [];
  let before: Token | undefined;
  TOKEN.lastIndex = 0;
  for (;;) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) return text.slice(at).trim() === "" && open.length === 0 && tokens.length > 0 ? tokens : undefined;
    const [, mark, string, word] = match;
    if (word !== undefined && !/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/.test(word))
      return undefined;
    const token: Token = { text: (mark ?? string ?? word)!, kind: mark ? "punctuation" : string ? "string" : "word" };
    if (!follows(before, token, open)) return undefined;
    if (mark === "{" || mark === "[") open.push(mark);
    if (mark === "}" || mark === "]") open.pop();
    tokens.push(token);
    before = token;
  }
}

const isValueEnd = ({ text, kind }: Token): boolean => kind !== "punctuation" || text === "}" || text === "]";

/** Reports whether a token can follow another one. Does not check that members have names. */
function follows(before: Token | undefined, token: Token, open: readonly string[]): boolean {
  const within = open.at(-1);
  switch (token.kind === "punctuation" ? token.text : "value") {
    case "}":
      return within === "{" && before?.text !== "," && before?.text !== ":";
    case "]":
      return within === "[" && before?.text !== ",";
    case ",":
      return within !== undefined && before !== undefined && isValueEnd(before);
    case ":":
      return within === "{" && before?.kind === "string";
    default:
      return within === undefined || before === undefined || !isValueEnd(before);
  }
}

/** Yields the lines of the text, with its punctuation. */
export function* jsonSource(tokens: readonly Token[]): Generator<DataLine> {
  let depth = 0;
  let parts: [string, PartKind][] = [];
  const line = (at: number): DataLine => ({ depth: at, parts });
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    const isEnd = token.text === "}" || token.text === "]";
    if (token.kind === "punctuation" && isEnd) depth--;
    parts.push([token.text === ":" ? ": " : token.text, kindOf(token, next)]);
    const opens = token.kind === "punctuation" && (token.text === "{" || token.text === "[");
    if (opens) {
      depth++;
      // An empty object or array stays on its line.
      if (next?.kind === "punctuation" && (next.text === "}" || next.text === "]")) continue;
    }
    const closesNext = next?.kind === "punctuation" && (next.text === "}" || next.text === "]");
    if (opens || closesNext || isBreak(token, next)) {
      yield line(lineDepth(parts, depth, opens));
      parts = [];
    }
  }
  if (parts.length > 0) yield line(depth);
}

const lineDepth = (parts: readonly [string, PartKind][], depth: number, opens: boolean): number =>
  Math.max(0, opens && parts.length > 0 ? depth - 1 : depth);

const isBreak = (token: Token, next: Token | undefined): boolean =>
  (token.kind === "punctuation" && token.text === ",") ||
  (isValueEnd(token) && (next === undefined || next.kind !== "punctuation" || next.text === "{" || next.text === "["));

function kindOf(token: Token, next: Token | undefined): PartKind {
  if (token.kind === "punctuation") return "p";
  if (token.kind === "word") return "v";
  return next?.text === ":" && next.kind === "punctuation" ? "k" : "s";
}

/** Yields an outline: a line for each member and element, without the punctuation of JSON. */
export function* jsonHierarchy(tokens: readonly Token[]): Generator<DataLine> {
  let parts: [string, PartKind][] = [];
  // The place in each open array; undefined for an object.
  const places: (number | undefined)[] = [];
  const depth = () => Math.max(0, places.length - 1);
  for (const [index, token] of tokens.entries()) {
    const isMark = token.kind === "punctuation";
    const isName = !isMark && kindOf(token, tokens[index + 1]) === "k";
    const startsValue = !isName && (!isMark || token.text === "{" || token.text === "[");
    const place = places.at(-1);
    if (startsValue && place !== undefined) {
      parts.push([`${place + 1}. `, "p"]);
      places[places.length - 1] = place + 1;
    }
    if (isName) parts.push([shown(token.text), "k"], [": ", "p"]);
    else if (!isMark)
      parts.push([token.kind === "string" ? shown(token.text) : token.text, token.kind === "string" ? "t" : "v"]);
    if (isMark && (token.text === "}" || token.text === "]")) places.pop();
    if (!startsValue || parts.length === 0) {
      if (startsValue && isMark) places.push(token.text === "[" ? 0 : undefined);
      continue;
    }
    const next = tokens[index + 1]?.text;
    if (isMark && (next === "}" || next === "]")) parts.push([token.text === "{" ? "{}" : "[]", "p"]);
    yield { depth: depth(), parts };
    parts = [];
    if (isMark) places.push(token.text === "[" ? 0 : undefined);
  }
}

/** Returns the characters of a string. */
function shown(string: string): string {
  try {
    return String(JSON.parse(string));
  } catch {
    return string.slice(1, -1);
  }
}
