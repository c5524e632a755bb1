// Splits JavaScript into tokens for renaming: distinguishes strings, comments and regular expressions. The tokens of
// any text, even of an invalid program, concatenate to the same text.

export interface Token {
  readonly kind: "space" | "string" | "word" | "number" | "regexp" | "template" | "sign";
  readonly text: string;
}

/** Matches a token without a closing delimiter. Longer operators come first. */
const PLAIN = new RegExp(
  [
    String.raw`(?<space>\s+)`,
    String.raw`(?<word>(?:[\p{L}_$]|\\u[\da-fA-F]{4})(?:[\p{L}\p{N}\p{M}_$\u200c\u200d]|\\u[\da-fA-F]{4})*)`,
    String.raw`(?<number>\.?\d[\w.]*)`,
    "(?<sign>===|!==|==|!=|.)",
  ].join("|"),
  "suy",
);

interface Enclosed {
  readonly kind: Token["kind"];
  readonly pattern: RegExp;
  /** Character at which the search for the end of the token stops. */
  readonly limit: "\n" | undefined;
}

/** Tokens with a closing delimiter. Line ends follow ECMAScript 5. */
const COMMENT: Enclosed = { kind: "space", pattern: /\/\*.*?\*\//suy, limit: undefined };
const LINE: Enclosed = { kind: "space", pattern: /\/\/[^\n\r\u2028\u2029]*/uy, limit: "\n" };
const REGEXP: Enclosed = {
  kind: "regexp",
  pattern: /\/(?:[^\\/[\n\r]|\\[^\n\r]|\[(?:[^\]\\\n\r]|\\[^\n\r])*\])+\/\w*/uy,
  limit: "\n",
};
const QUOTED: Readonly<Record<string, Enclosed>> = {
  '"': { kind: "string", pattern: /"(?:[^"\\\n\r]|\\.)*"/suy, limit: "\n" },
  "'": { kind: "string", pattern: /'(?:[^'\\\n\r]|\\.)*'/suy, limit: "\n" },
  "`": { kind: "template", pattern: /`(?:[^`\\]|\\.)*`/suy, limit: undefined },
};

/** Keywords that cannot end a value. A slash after them starts a regular expression. */
const BEFORE_VALUE = new Set("return typeof case in of delete void throw new else do instanceof".split(" "));

export function tokensOf(script: string): Token[] {
  const tokens: Token[] = [];
  /**
   * By kind of token: an offset. Tokens of this kind that start before it have no end. Without it, a hostile script
   * with many unclosed tokens would take quadratic time.
   */
  const endless = new Map<Enclosed, number>();
  let last: Token | undefined;
  for (let at = 0; at < script.length; ) {
    const enclosed = enclosedAt(script, at, last);
    let text: string | undefined;
    if (enclosed && at >= (endless.get(enclosed) ?? 0)) {
      enclosed.pattern.lastIndex = at;
      text = enclosed.pattern.exec(script)?.[0];
      if (text === undefined) endless.set(enclosed, endOf(script, at, enclosed));
    }
    const token = text === undefined ? plainAt(script, at) : { kind: enclosed!.kind, text };
    tokens.push(token);
    if (token.kind !== "space") last = token;
    at += token.text.length;
  }
  return tokens;
}

function enclosedAt(script: string, at: number, last: Token | undefined): Enclosed | undefined {
  if (script[at] !== "/") return QUOTED[script[at]!];
  if (script[at + 1] === "/") return LINE;
  if (script[at + 1] === "*") return COMMENT;
  return endsValue(last) ? undefined : REGEXP;
}

function endOf(script: string, at: number, { limit }: Enclosed): number {
  const end = limit === undefined ? -1 : script.indexOf(limit, at);
  return end < 0 ? script.length : end;
}

function plainAt(script: string, at: number): Token {
  PLAIN.lastIndex = at;
  const { groups = {}, 0: text } = PLAIN.exec(script)!;
  const kind = (Object.keys(groups) as Token["kind"][]).find((name) => groups[name] !== undefined)!;
  return { kind, text };
}

function endsValue(token: Token | undefined): boolean {
  if (!token) return false;
  if (token.kind === "word") return !BEFORE_VALUE.has(token.text);
  return token.kind !== "sign" || token.text === ")" || token.text === "]" || token.text === "}";
}

/** Returns the value of a string literal. */
export function literalValue(text: string): string {
  return text.slice(1, -1).replace(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|(\r\n|.))/gs, (_, unit, byte, other) => {
    if (unit ?? byte) return String.fromCharCode(Number.parseInt(unit ?? byte, 16));
    return (
      { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", "0": "\0", "\n": "", "\r\n": "" }[other as string] ??
      other
    );
  });
}

/** Returns a string literal in ASCII, which is valid in every engine and every encoding of the script. */
export function literalOf(value: string): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
