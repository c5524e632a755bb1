// Divides the lines of a page into frames by their directions.
import { segmentOf } from "./growing-segment.ts";
import type { TextLine } from "./page-text.ts";
import type { Frame, Segment } from "./segments.ts";

/** Angle within which text counts as upright, as in scans with a slope. */
const SLOPE = Math.sin((4 * Math.PI) / 180);

/** Returns the frames of lines, with the most text first. */
export function framesOf(lines: readonly TextLine[]): readonly Frame[] {
  const frames = new Map<string, { direction: Frame["direction"]; segments: Segment[]; characters: number }>();
  for (const line of lines) {
    const direction = settled(line.direction);
    const key = direction.map((part) => part.toFixed(2)).join();
    const frame = frames.get(key) ?? { direction, segments: [], characters: 0 };
    frames.set(key, frame);
    frame.segments.push(segmentOf(line.words, direction));
    frame.characters += line.words.reduce((sum, { text }) => sum + text.length, 0);
  }
  return [...frames.values()].sort((a, b) => b.characters - a.characters);
}

/** Returns the direction of upright or sideways text without a small slope. */
function settled([x, y]: Frame["direction"]): Frame["direction"] {
  if (Math.abs(y) < SLOPE) return [Math.sign(x), 0];
  return Math.abs(x) < SLOPE ? [0, Math.sign(y)] : [x, y];
}
