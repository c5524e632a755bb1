// Reads the glyphs that replace others in vertical text (OpenType, "GSUB", feature "vert").
import { viewOf } from "./truetype.ts";

const FEATURE = 0x76657274;
const SINGLE = 1;
const EXTENSION = 7;
/** Maximum number of glyphs in one list. */
const MAX_GLYPHS = 65_536;
/** Maximum number of features, of lookups and of subtables to read. */
const MAX_PARTS = 1000;

/**
 * Returns the vertical forms by glyph; empty if the font has none.
 * @throws RangeError if the table is truncated
 */
export function verticalForms({ tables }: { readonly tables: ReadonlyMap<string, Uint8Array> }): Map<number, number> {
  const forms = new Map<number, number>();
  const gsub = tables.get("GSUB");
  if (!gsub) return forms;
  const view = viewOf(gsub);
  const lookups = view.getUint16(8);
  for (const lookup of verticalLookups(view, view.getUint16(6))) {
    const start = lookups + view.getUint16(lookups + 2 + 2 * lookup);
    const kind = view.getUint16(start);
    for (let index = 0; index < Math.min(MAX_PARTS, view.getUint16(start + 4)); index++) {
      let subtable = start + view.getUint16(start + 6 + 2 * index);
      const isExtension = kind === EXTENSION;
      if ((isExtension ? view.getUint16(subtable + 2) : kind) !== SINGLE) continue;
      if (isExtension) subtable += view.getUint32(subtable + 4);
      addSingle(view, subtable, forms);
    }
  }
  return forms;
}

function verticalLookups(view: DataView, features: number): Set<number> {
  const lookups = new Set<number>();
  for (let index = 0; index < Math.min(MAX_PARTS, view.getUint16(features)); index++) {
    const record = features + 2 + 6 * index;
    if (view.getUint32(record) !== FEATURE) continue;
    const feature = features + view.getUint16(record + 4);
    for (let at = 0; at < Math.min(MAX_PARTS, view.getUint16(feature + 2)); at++)
      lookups.add(view.getUint16(feature + 4 + 2 * at));
  }
  return lookups;
}

function addSingle(view: DataView, subtable: number, forms: Map<number, number>): void {
  const isDelta = view.getUint16(subtable) === 1;
  const delta = isDelta ? view.getInt16(subtable + 4) : 0;
  covered(view, subtable + view.getUint16(subtable + 2)).forEach((glyph, index) => {
    if (forms.has(glyph)) return;
    forms.set(glyph, isDelta ? (glyph + delta) & 0xffff : view.getUint16(subtable + 6 + 2 * index));
  });
}

function covered(view: DataView, coverage: number): readonly number[] {
  const count = view.getUint16(coverage + 2);
  if (view.getUint16(coverage) === 1)
    return Array.from({ length: count }, (_, index) => view.getUint16(coverage + 4 + 2 * index));
  const glyphs: number[] = [];
  for (let range = 0; range < count; range++) {
    const at = coverage + 4 + 6 * range;
    const last = view.getUint16(at + 2);
    for (let glyph = view.getUint16(at); glyph <= last && glyphs.length < MAX_GLYPHS; glyph++) glyphs.push(glyph);
  }
  return glyphs;
}
