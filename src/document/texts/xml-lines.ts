// Pretty-prints XML piece by piece. Entities are not expanded, and nothing that a document refers to is loaded.

import type { DataLine, PartKind } from "./data-lines.ts";

const PIECE =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<\?[\s\S]*?(?:\?>|$)|<!DOCTYPE(?:[^>[]|\[[\s\S]*?\](?=\s*>))*>?|<\/?[^\s>/]+(?:"[^"]*"|'[^']*'|[^>"'])*>?|[^<]+|</g;
const ATTRIBUTE = /([^\s=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s]+)|\S+/g;

type Part = [text: string, kind: PartKind];

/** Reports whether a text starts as XML does. */
export const isXml = (text: string): boolean =>
  /^\s*<(?:\?xml\s|!DOCTYPE\s|!--|[\p{L}_][\p{L}\p{N}_.:-]*[\s/>])/u.test(text);

interface Piece {
  readonly kind: "open" | "close" | "empty" | "text" | "other";
  readonly text: string;
}

function* piecesOf(xml: string): Generator<Piece> {
  for (const [text] of xml.matchAll(PIECE)) {
    if (text.startsWith("</")) yield { kind: "close", text };
    else if (/^<[!?]/.test(text)) yield { kind: "other", text };
    else if (!text.startsWith("<") || text === "<") yield { kind: "text", text };
    else yield { kind: text.endsWith("/>") ? "empty" : "open", text };
  }
}

/** Yields the lines of the text. An element that has only a text is one line. */
export function* xmlSource(xml: string): Generator<DataLine> {
  yield* linesOf(xml, { tag: tagParts, text: (text) => [[text, "t"]], close: (text) => [[text, "p"]] });
}

/** Yields an outline: a line for each element with its attributes and its text, without the marks of XML. */
export function* xmlHierarchy(xml: string): Generator<DataLine> {
  const lines = linesOf(xml, {
    tag: outlineParts,
    text: (text) => [[entitiesOf(text), "t"]],
    close: () => [],
  });
  for (const line of lines) if (line.parts.length > 0 && !/^<[?!]/.test(line.parts[0]![0])) yield line;
}

interface Writer {
  tag(text: string): Part[];
  text(text: string): Part[];
  close(text: string): Part[];
}

function* linesOf(xml: string, writer: Writer): Generator<DataLine> {
  let depth = 0;
  let opened: Part[] | undefined;
  let inner: Part[] = [];
  const flush = function* (): Generator<DataLine> {
    if (opened) yield { depth: depth - 1, parts: opened };
    if (inner.length > 0) yield { depth, parts: inner };
    opened = undefined;
    inner = [];
  };
  for (const { kind, text } of piecesOf(xml)) {
    if (kind === "text") {
      const words = text.trim().replace(/\s*\n\s*/g, " ");
      if (words !== "") inner.push(...(inner.length > 0 ? ([[" ", "t"]] as Part[]) : []), ...writer.text(words));
      continue;
    }
    if (kind === "close") {
      if (opened) {
        yield { depth: depth - 1, parts: [...opened, ...inner, ...writer.close(text)] };
        [opened, inner] = [undefined, []];
        depth = Math.max(0, depth - 1);
        continue;
      }
      yield* flush();
      depth = Math.max(0, depth - 1);
      yield { depth, parts: writer.close(text) };
      continue;
    }
    yield* flush();
    if (kind === "other") yield { depth, parts: [[text.trim(), "c"]] };
    else if (kind === "empty") yield { depth, parts: writer.tag(text) };
    else {
      opened = writer.tag(text);
      depth++;
    }
  }
  yield* flush();
}

/** Returns name and attributes of a tag. */
function namesIn(tag: string): { readonly name: string; readonly attributes: string; readonly end: string } {
  const end = tag.endsWith("/>") ? "/>" : tag.endsWith(">") ? ">" : "";
  const inner = tag.slice(1, tag.length - end.length);
  const [name = ""] = /^\S+/.exec(inner) ?? [];
  return { name, attributes: inner.slice(name.length), end };
}

function tagParts(tag: string): Part[] {
  const { name, attributes, end } = namesIn(tag);
  const parts: Part[] = [
    ["<", "p"],
    [name, "k"],
  ];
  for (const [whole, key, , value] of attributes.matchAll(ATTRIBUTE)) {
    if (key === undefined) parts.push([` ${whole}`, "a"]);
    else parts.push([` ${key}`, "a"], ["=", "p"], [value!, "s"]);
  }
  return [...parts, [end, "p"]];
}

function outlineParts(tag: string): Part[] {
  const { name, attributes } = namesIn(tag);
  const parts: Part[] = [[name, "k"]];
  const known = [...attributes.matchAll(ATTRIBUTE)].flatMap(([, key, , value]) =>
    key === undefined || key.startsWith("xmlns") ? [] : [`${key}: ${entitiesOf(value!.replace(/^["']|["']$/g, ""))}`],
  );
  if (known.length > 0) parts.push([` (${known.join(", ")})`, "a"]);
  return [...parts, [": ", "p"]];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Replaces the entities that XML itself defines, and numbers of characters. */
const entitiesOf = (text: string): string =>
  text.replace(/&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi, (whole, name, decimal, hexadecimal) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
