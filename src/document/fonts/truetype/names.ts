// Reads the glyph names of a TrueType font (OpenType, "post").
import { macGlyphOrder } from "../names/glyph-names.ts";
import { type TrueTypeFont, viewOf } from "./truetype.ts";

const HEADER = 32;

/** Returns glyphs by name; empty if the font has no names. */
export function glyphsByName({ tables, glyphCount }: TrueTypeFont): ReadonlyMap<string, number> {
  const post = tables.get("post");
  const glyphs = new Map<string, number>();
  if (!post || post.length < HEADER) return glyphs;
  const view = viewOf(post);
  const format = view.getUint32(0);
  const mac = macGlyphOrder();
  const add = (name: string | undefined, glyph: number) => {
    if (name !== undefined && !glyphs.has(name)) glyphs.set(name, glyph);
  };
  if (format === 0x00010000) mac.slice(0, glyphCount).forEach(add);
  if (format !== 0x00020000 || post.length < HEADER + 2) return glyphs;
  const count = Math.min(view.getUint16(HEADER), glyphCount, (post.length - HEADER - 2) >> 1);
  const names: string[] = [];
  for (let at = HEADER + 2 + view.getUint16(HEADER) * 2; at < post.length; at += 1 + post[at]!) {
    names.push(Buffer.from(post.subarray(at + 1, at + 1 + post[at]!)).toString("latin1"));
  }
  for (let glyph = 0; glyph < count; glyph++) {
    const index = view.getUint16(HEADER + 2 + glyph * 2);
    add(index < mac.length ? mac[index] : names[index - mac.length], glyph);
  }
  return glyphs;
}
