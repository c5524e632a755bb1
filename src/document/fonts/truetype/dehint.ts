// Removes the instructions (hinting) of a TrueType outline (OpenType, "glyf").

const SIMPLE_HEADER = 10;
/** Component flags of a composite glyph. */
const WORDS = 0x0001;
const SCALE = 0x0008;
const MORE = 0x0020;
const TWO_SCALES = 0x0040;
const TWO_BY_TWO = 0x0080;
const INSTRUCTIONS = 0x0100;

/**
 * Names of fonts whose outlines are meaningless strokes until their instructions run; FreeType calls these fonts
 * tricky. Includes names that identify no font, for example `CIDFont`.
 */
const DRAWN_BY_PROGRAM = /^DF|^DLC|HuaTian|Ming|cpop|^NEC|^CIDFont|[^ -~]/i;

/** @param name font name without subset tag */
export const needsHints = (name: string): boolean => name === "" || DRAWN_BY_PROGRAM.test(name);

/** @returns undefined if the outline has an unexpected structure */
export function dehint(outline: Uint8Array): Uint8Array | undefined {
  if (outline.length === 0) return outline;
  if (outline.length < SIMPLE_HEADER) return undefined;
  const view = new DataView(outline.buffer, outline.byteOffset, outline.length);
  const contours = view.getInt16(0);
  return contours < 0 ? compositeOf(outline, view) : simpleOf(outline, view, contours);
}

function simpleOf(outline: Uint8Array, view: DataView, contours: number): Uint8Array | undefined {
  const at = SIMPLE_HEADER + contours * 2;
  if (at + 2 > outline.length) return contours === 0 ? outline : undefined;
  const end = at + 2 + view.getUint16(at);
  if (end > outline.length) return undefined;
  const result = new Uint8Array(at + 2 + outline.length - end);
  result.set(outline.subarray(0, at));
  result.set(outline.subarray(end), at + 2);
  return result;
}

function compositeOf(outline: Uint8Array, view: DataView): Uint8Array | undefined {
  // A copy, because `outline` is a view of the font's bytes.
  const result = new Uint8Array(outline);
  const changed = new DataView(result.buffer);
  for (let at = SIMPLE_HEADER; at + 4 <= outline.length; ) {
    const flags = view.getUint16(at);
    changed.setUint16(at, flags & ~INSTRUCTIONS);
    at += 4 + (flags & WORDS ? 4 : 2);
    if (flags & SCALE) at += 2;
    else if (flags & TWO_SCALES) at += 4;
    else if (flags & TWO_BY_TWO) at += 8;
    if (!(flags & MORE)) return at <= outline.length ? result.subarray(0, at) : undefined;
  }
  return undefined;
}
