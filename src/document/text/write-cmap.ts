// Writes CMaps that map codes to Unicode (ISO 32000-1, 9.10.3).
import type { CodeSpace } from "./cmap.ts";

/** Text of a code, and the number of bytes of the code. */
export interface CodeText {
  readonly bytes: number;
  readonly text: string;
}

/** Maximum number of entries of one operator (Adobe Technical Note 5014). */
const ENTRIES_AT_ONCE = 100;

const hex = (value: number, bytes: number) => value.toString(16).padStart(bytes * 2, "0");

/** Returns the UTF-16 units of a text as hexadecimal digits. */
export const utf16Hex = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => hex(text.charCodeAt(at), 2)).join("");

/** Ignores codes that have more bytes than they should. */
export function toUnicodeCMap(texts: ReadonlyMap<number, CodeText>, spaces: readonly CodeSpace[]): string {
  const fitting = [...texts].filter(([code, { bytes }]) => code < 256 ** bytes).sort(([a], [b]) => a - b);
  const lines = [
    "/CIDInit /ProcSet findresource begin",
    "12 dict begin",
    "begincmap",
    "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
    "/CMapName /Adobe-Identity-UCS def",
    "/CMapType 2 def",
    `${spaces.length} begincodespacerange`,
    ...spaces.map(({ low, high, bytes }) => `<${hex(low, bytes)}> <${hex(high, bytes)}>`),
    "endcodespacerange",
  ];
  for (let at = 0; at < fitting.length; at += ENTRIES_AT_ONCE) {
    const some = fitting.slice(at, at + ENTRIES_AT_ONCE);
    lines.push(`${some.length} beginbfchar`);
    for (const [code, { bytes, text }] of some) lines.push(`<${hex(code, bytes)}> <${utf16Hex(text)}>`);
    lines.push("endbfchar");
  }
  lines.push("endcmap", "CMapName currentdict /CMap defineresource pop", "end", "end", "");
  return lines.join("\n");
}
