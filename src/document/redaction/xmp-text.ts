// Removes matches from XMP metadata (ISO 16684-1).
import type { Finder } from "./expressions/expressions.ts";

const EMPTY_PACKET = '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>';
const TIME = /^\s*\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?\s*$/;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Returns the packet without matches; an empty packet if one is spread over several elements, or is in a name. */
export function withoutMatches(xml: string, finder: Finder): string {
  const replaced = xml.replace(
    /<!--[\s\S]*?-->|(>)([^<>]+)(?=<)|(\s[\w:.-]+\s*=\s*)("[^"<>]*"|'[^'<>]*')/g,
    (whole, closing?: string, text?: string, name?: string, quoted?: string) => {
      if (text !== undefined) return closing + clean(text, finder);
      if (quoted === undefined || name === undefined) return finder.matches(whole) ? "" : whole;
      if (name.trim().startsWith("xmlns")) return whole;
      return name + quoted[0] + clean(quoted.slice(1, -1), finder) + quoted[0];
    },
  );
  return finder.findLiterals(replaced).length > 0 ? EMPTY_PACKET : replaced;
}

/** The times at which the file was made are no matches of a preset. */
function clean(escaped: string, finder: Finder): string {
  const text = escaped.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w{1,6}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
  if (TIME.test(text) && finder.findLiterals(text).length === 0) return escaped;
  const replaced = finder.replace(text);
  return replaced === text
    ? escaped
    : replaced.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll("'", "&apos;");
}
