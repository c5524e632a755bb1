// Removes matches from XMP metadata (ISO 16684-1), and finds them in other XML.
import type { Finder } from "../expressions/expressions.ts";

const EMPTY_PACKET = '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>';
const TIME = /^\s*\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?\s*$/;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Returns the packet without matches; an empty packet if one is spread over several elements, or is in a name. */
export function withoutMatches(xml: string, finder: Finder): string {
  const replaced = withEscapes(xml).replace(
    /<!--[\s\S]*?-->|(>)([^<>]+)(?=<|$)|(\s[\w:.-]+\s*=\s*)("[^"<>]*"|'[^'<>]*')/g,
    (whole, closing?: string, text?: string, name?: string, quoted?: string) => {
      if (text !== undefined) return closing + clean(text, finder);
      if (quoted === undefined || name === undefined) return finder.matches(whole) ? "" : whole;
      if (name.trim().startsWith("xmlns")) return whole;
      return name + quoted[0] + clean(quoted.slice(1, -1), finder) + quoted[0];
    },
  );
  if (finder.matchesLiteral(replaced) || finder.matchesLiteral(shownText(replaced))) return EMPTY_PACKET;
  return replaced === withEscapes(xml) ? xml : replaced;
}

/** Returns what a reader of XML sees: without tags, and with characters in place of escapes. */
export const shownText = (xml: string): string => unescaped(withEscapes(xml).replace(/<[^>]*>/g, ""));

/** Replaces sections of characters by escapes (XML 1.0, 2.7). */
const withEscapes = (xml: string): string =>
  xml.replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, text: string) => escaped(text));

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w{1,6}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/** The times at which the file was made are no matches of a preset. */
function clean(source: string, finder: Finder): string {
  const text = unescaped(source);
  if (TIME.test(text) && !finder.matchesLiteral(text)) return source;
  const replaced = finder.replace(text);
  return replaced === text ? source : escaped(replaced).replaceAll("'", "&apos;");
}
