// Scales a TrueType outline without instructions horizontally (OpenType, "glyf").
import { viewOf } from "./truetype.ts";

const HEADER = 10;
/** Flags of a point. */
const X_SHORT = 0x02;
const Y_SHORT = 0x04;
const REPEAT = 0x08;
const X_SAME = 0x10;
const Y_SAME = 0x20;
/** Flags of a component. */
const WORDS = 0x0001;
const XY_VALUES = 0x0002;
const SCALE = 0x0008;
const MORE = 0x0020;
const TWO_SCALES = 0x0040;
const TWO_BY_TWO = 0x0080;

/** @returns undefined if the outline is damaged */
export function scaleOutline(outline: Uint8Array, scale: number): Uint8Array | undefined {
  if (outline.length < HEADER || scale === 1) return outline;
  const result = viewOf(outline).getInt16(0) < 0 ? scaledComposite(outline, scale) : scaledSimple(outline, scale);
  if (!result) return undefined;
  const [from, to] = [viewOf(outline), viewOf(result)];
  to.setInt16(2, Math.floor(from.getInt16(2) * scale));
  to.setInt16(6, Math.ceil(from.getInt16(6) * scale));
  return result;
}

function scaledSimple(outline: Uint8Array, scale: number): Uint8Array | undefined {
  const view = viewOf(outline);
  const contours = view.getInt16(0);
  const start = HEADER + 2 * contours + 2;
  if (contours === 0) return outline.slice();
  if (start > outline.length || view.getUint16(start - 2) !== 0) return undefined;
  const points = view.getUint16(start - 4) + 1;
  const flags: number[] = [];
  let at = start;
  while (flags.length < points) {
    if (at >= outline.length) return undefined;
    const flag = outline[at++]!;
    const times = flag & REPEAT ? 1 + (outline[at++] ?? 0) : 1;
    for (let time = 0; time < times; time++) flags.push(flag & ~REPEAT);
  }
  const xs: number[] = [];
  let [x, drawn] = [0, 0];
  for (const [index, flag] of flags.entries()) {
    if (at + 2 > outline.length + (flag & X_SHORT ? 1 : 0) && !(flag & X_SAME && !(flag & X_SHORT))) return undefined;
    if (flag & X_SHORT) x += flag & X_SAME ? outline[at++]! : -outline[at++]!;
    else if (!(flag & X_SAME)) {
      x += view.getInt16(at);
      at += 2;
    }
    const scaled = Math.round(x * scale);
    const step = scaled - drawn;
    drawn = scaled;
    const kept = flag & ~(X_SHORT | X_SAME);
    if (step === 0) flags[index] = kept | X_SAME;
    else if (Math.abs(step) < 256) {
      flags[index] = kept | X_SHORT | (step > 0 ? X_SAME : 0);
      xs.push(Math.abs(step));
    } else {
      flags[index] = kept;
      xs.push((step >> 8) & 0xff, step & 0xff);
    }
  }
  const ys = flags.reduce((sum, flag) => sum + (flag & Y_SHORT ? 1 : flag & Y_SAME ? 0 : 2), 0);
  if (at + ys > outline.length) return undefined;
  const result = new Uint8Array(start + points + xs.length + ys);
  result.set(outline.subarray(0, start));
  result.set(flags, start);
  result.set(xs, start + points);
  result.set(outline.subarray(at, at + ys), start + points + xs.length);
  return result;
}

/** Moves the components of a composite outline; their own outlines are scaled for themselves. */
function scaledComposite(outline: Uint8Array, scale: number): Uint8Array | undefined {
  const result = outline.slice();
  const view = viewOf(result);
  for (let at = HEADER; at + 6 <= result.length; ) {
    const flags = view.getUint16(at);
    if (flags & XY_VALUES && flags & WORDS) view.setInt16(at + 4, Math.round(view.getInt16(at + 4) * scale));
    else if (flags & XY_VALUES) view.setInt8(at + 4, Math.max(-128, Math.min(127, Math.round(view.getInt8(at + 4) * scale))));
    at += flags & WORDS ? 8 : 6;
    at += flags & SCALE ? 2 : flags & TWO_SCALES ? 4 : flags & TWO_BY_TWO ? 8 : 0;
    if (!(flags & MORE)) return result;
  }
  return undefined;
}
