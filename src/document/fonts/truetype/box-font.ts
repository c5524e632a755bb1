// Makes a font for invisible text. Its only glyph is a box: viewers derive the place of a character from the bounds of
// its glyph, and pdfium omits characters whose glyph is empty.
import { writeContours } from "./contours.ts";
import { writeSfnt } from "./subset-truetype.ts";

/** Measures of the box in units, of which the font size has 1000. */
export interface BoxMeasures {
  readonly advance: number;
  readonly ascent: number;
  /** Negative. */
  readonly descent: number;
}

/** The glyph with the box; glyph 0 is empty. */
export const BOX_GLYPH = 1;
const UNITS_PER_EM = 1000;
const GLYPHS = 2;
const TRUE_TYPE = 0x00010000;
const MAGIC = 0x5f0f3cf5;

export function boxFont({ advance, ascent, descent }: BoxMeasures): Uint8Array {
  const corners = [
    [0, descent],
    [0, ascent],
    [advance, ascent],
    [advance, descent],
  ] as const;
  const outline = writeContours({ ends: [4], points: corners.map(([x, y]) => ({ x, y, isOnCurve: true })) });
  const glyf = new Uint8Array((outline.length + 1) & ~1);
  glyf.set(outline);
  // Values of 16 bits. The first two of "head" and of "maxp" are the version.
  const head = words([
    ...[1, 0, 0, 0, 0, 0, MAGIC >>> 16, MAGIC & 0xffff, 0, UNITS_PER_EM, 0, 0, 0, 0, 0, 0, 0, 0],
    ...[0, descent, advance, ascent, 0, 8, 2, 0, 0],
  ]);
  const hhea = words([1, 0, ascent, descent, 0, advance, 0, 0, advance, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
  const maxp = words([1, 0, GLYPHS, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  const [hmtx, loca] = [words([advance, 0, 0]), words([0, 0, glyf.length / 2])];
  return writeSfnt(TRUE_TYPE, new Map(Object.entries({ glyf, head, hhea, hmtx, loca, maxp })));
}

function words(values: readonly number[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(2 * values.length));
  for (const [index, value] of values.entries()) bytes.setInt16(2 * index, value);
  return new Uint8Array(bytes.buffer);
}
