// Writes lines of code as they are on the page.
import type { TextBlock } from "./blocks.ts";
import { boxOfWords } from "./segments.ts";

const MAX_SPACES = 120;
/** Minimum distance of lines of code in points, and maximum number of blank lines. */
const MIN_PITCH = 2;
const MAX_BLANK = 5;

/** Returns lines of code with their indents and spaces, and blank lines between them. */
export function codeLines({ lines }: Pick<TextBlock, "lines">): readonly string[] {
  const words = lines.flatMap((line) => line.words);
  const [left] = boxOfWords(words);
  const widths = words.map(({ text, corners }) => (corners[2]! - corners[0]!) / Array.from(text).length);
  const width = widths.sort((a, b) => a - b)[widths.length >> 1] || 1;
  const distances = lines.slice(1).map(({ box }, at) => lines[at]!.box[3] - box[3]);
  const pitch = distances.reduce((least, one) => (one > MIN_PITCH ? Math.min(least, one) : least), Infinity);
  return lines.flatMap((line, at) => {
    const blank = at === 0 ? 0 : Math.round(distances[at - 1]! / pitch) - 1;
    let [text, end] = ["", left];
    for (const word of line.words) {
      const spaces = Math.max(text === "" || word.isJoined ? 0 : 1, Math.round((word.corners[0]! - end) / width));
      text += " ".repeat(Math.min(spaces, MAX_SPACES)) + word.text;
      end = word.corners[2]!;
    }
    return [...Array.from({ length: blank > 0 && blank < MAX_BLANK ? blank : 0 }, () => ""), text];
  });
}
