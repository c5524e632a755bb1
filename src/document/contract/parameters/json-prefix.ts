// Detects whether a text can be the start of a JSON document, for files too large to read completely.

const LETTERS = String.raw`[^"\\\u0000-\u001f]*`;
const STRING = String.raw`"${LETTERS}(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})${LETTERS})*`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const BLANK = String.raw`[ \t\n\r]*`;

/** Matches a punctuation character, a string, or another scalar (RFC 8259). */
const TOKEN = new RegExp(`${BLANK}(?:([{}[\\],:])|(${STRING}")|${NUMBER}|true|false|null)`, "y");
const CUT_TOKEN = new RegExp(
  String.raw`^${BLANK}(?:${STRING}(?:\\(?:u[\da-fA-F]{0,3})?)?|[-+.eE\d]+|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)?$`,
);

/**
 * The token allowed next. `item` is the first element of an array, `member` the first member of an object; both also
 * allow the closing bracket.
 */
type Next = "value" | "item" | "member" | "key" | "colon" | "more";

export function isJsonPrefix(text: string): boolean {
  const closers: string[] = [];
  let next: Next | undefined = "value";
  for (let at = 0; ; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) return CUT_TOKEN.test(text.slice(at));
    const token = match[1] ?? (match[2] === undefined ? "scalar" : "string");
    const isClosed: boolean = token === closers.at(-1) && ["item", "member", "more"].includes(next);
    if (isClosed) closers.pop();
    if (token === "{") closers.push("}");
    if (token === "[") closers.push("]");
    next = isClosed ? "more" : after(next, token, closers.at(-1));
    if (next === undefined) return false;
  }
}

/** @returns undefined if the token is invalid at this position */
function after(next: Next, token: string, closer: string | undefined): Next | undefined {
  switch (next) {
    case "value":
    case "item":
      if (token === "{") return "member";
      if (token === "[") return "item";
      return token === "string" || token === "scalar" ? "more" : undefined;
    case "member":
    case "key":
      return token === "string" ? "colon" : undefined;
    case "colon":
      return token === ":" ? "value" : undefined;
    case "more":
      if (token !== "," || closer === undefined) return undefined;
      return closer === "}" ? "key" : "value";
  }
}
