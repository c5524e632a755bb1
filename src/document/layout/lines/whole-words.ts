// The words of a line, each as a whole: a word with several styles is read in parts.
import type { Line, PlacedWord } from "./blocks.ts";
import type { Word } from "./page-text.ts";

export type WholeWord = Pick<Word, "text" | "corners" | "style" | "size">;

/** Returns the words in reading order. A word with several styles has that of its first part. */
export const wholeWords = (line: Line): readonly WholeWord[] => joinedWords(line, () => false);

/** Returns the words in reading order, without the marks of footnotes on them, which are words of their own. */
export const searchedWords = (line: Line): readonly WholeWord[] => joinedWords(line, isNoteMark);

function joinedWords({ words: parts }: Line, isApart: (part: PlacedWord, before: WholeWord) => boolean) {
  const words: WholeWord[] = [];
  for (const part of parts) {
    const before = words.at(-1);
    if (!before || !part.isJoined || isApart(part, before)) words.push(part);
    else words.push(joined(words.pop()!, part));
  }
  return words;
}

/** A raised number or sign after a word or a sentence; after a letter or two, it is an exponent. */
const isNoteMark = ({ text, position }: PlacedWord, before: WholeWord): boolean =>
  position === "superscript" && /^(?:\d{1,3}|[*†‡§¶]+)$/.test(text) && /\p{L}{3}|\p{P}$/u.test(before.text);

/** Returns two parts of a word as one, along the direction of the first. */
function joined(one: WholeWord, next: WholeWord): WholeWord {
  const [ulx, uly, urx, ury] = one.corners as [number, number, number, number];
  const length = Math.hypot(urx - ulx, ury - uly) || 1;
  const [dx, dy] = [(urx - ulx) / length, (ury - uly) / length];
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { corners } of [one, next]) {
    for (let at = 0; at < 8; at += 2) {
      const along = corners[at]! * dx + corners[at + 1]! * dy;
      const up = corners[at + 1]! * dx - corners[at]! * dy;
      [left, right] = [Math.min(left, along), Math.max(right, along)];
      [bottom, top] = [Math.min(bottom, up), Math.max(top, up)];
    }
  }
  const corner = (along: number, up: number) => [along * dx - up * dy, along * dy + up * dx];
  return {
    ...one,
    text: (one.text + next.text).normalize("NFC"),
    corners: [...corner(left, top), ...corner(right, top), ...corner(left, bottom), ...corner(right, bottom)],
  };
}
