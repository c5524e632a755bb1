// Reads recognized text in hOCR, the HTML in which Tesseract writes it.

/** A recognized line. All places are pixels of the picture, with y downwards. */
export interface RecognizedLine {
  readonly words: readonly RecognizedWord[];
  /** Height of the letters, from descender to ascender. */
  readonly size: number;
  /** The baseline: its slope, and its y at the left edge of the first word. */
  readonly slope: number;
  readonly baseline: number;
  /** True if the characters are below each other. */
  readonly isVertical: boolean;
}

export interface RecognizedWord {
  readonly text: string;
  /** Left, top, right, bottom. */
  readonly box: readonly [number, number, number, number];
  /** From 0 to 100. */
  readonly confidence: number;
  /** True if no space follows before the next word of the line. */
  readonly isJoined: boolean;
}

const ELEMENT = /<span class='(ocr_\w+|ocrx_word)'[^>]*? title=(?:"([^"]*)"|'([^']*)')[^>]*>/g;
const BOX = /bbox (-?\d+) (-?\d+) (-?\d+) (-?\d+)/;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'" };
/** Matches characters of scripts without spaces between words. */
const NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef\u30fc]/u;
/** Matches the characters that the text of PDF/A must not contain (ISO 19005-2, 6.2.11.7.2), and control characters. */
const NOT_IN_TEXT = /[\p{Cc}\ufeff\ufffe\uffff]/gu;
/** Marks the end of the pages in hOCR. Text that is written afterwards precedes the end of the document. */
const END_OF_PAGES = "\n  </div>\n";
const END_OF_DOCUMENT = " </body>";

type Line = Omit<RecognizedLine, "words"> & { words: Word[] };
type Word = { -readonly [K in keyof RecognizedWord]: RecognizedWord[K] };

/**
 * @param output a page in hOCR, and the same page as text, in which spaces separate words: in hOCR, the syllables of
 *   some languages are words
 * @param isVertical true if the text was read as vertical text
 */
export function readRecognized(output: string, isVertical = false): RecognizedLine[] {
  const end = output.lastIndexOf(END_OF_PAGES) + END_OF_PAGES.length;
  const lines = readLines(output.slice(0, end), isVertical);
  joinWords(
    lines.flatMap(({ words }) => words),
    output.slice(end, output.lastIndexOf(END_OF_DOCUMENT)),
  );
  return lines.map((line) => ({ ...line, words: apart(line.words, isVertical ? 1 : 0) }));
}

function readLines(hocr: string, isVertical: boolean): Line[] {
  const lines: Line[] = [];
  /** Left and right edge of the last line. */
  let column: readonly [number, number] = [0, 0];
  for (const match of hocr.matchAll(ELEMENT)) {
    const [whole, kind, title = match[3] ?? ""] = match;
    const box = BOX.exec(title)?.slice(1).map(Number) as [number, number, number, number] | undefined;
    if (!box) continue;
    const [left, top, right, bottom] = box;
    if (kind !== "ocrx_word") {
      column = [left, right];
      const size = isVertical ? right - left : numberAfter(title, "x_size") || bottom - top;
      const [slope = 0, offset = 0] = (/baseline (\S+) (\S+?)(?:;|$)/.exec(title)?.slice(1) ?? []).map(Number);
      lines.push({ words: [], size, slope, baseline: bottom + offset - slope * left, isVertical });
      continue;
    }
    const start = match.index + whole.length;
    const text = textOf(hocr.slice(start, hocr.indexOf("</span>", start)));
    const isShown = right > left && bottom > top && text !== "";
    const confidence = numberAfter(title, "x_wconf");
    // Characters of a vertical line differ in width, but viewers expect them on one baseline.
    const placed = isVertical ? ([column[0], top, column[1], bottom] as const) : box;
    if (isShown) lines.at(-1)?.words.push({ text, box: placed, confidence, isJoined: false });
  }
  return lines.filter(({ words }) => words.length > 0);
}

/** Finds out which words are joined to the next one, by their places in the plain text. */
function joinWords(words: readonly Word[], plain: string): void {
  let at = 0;
  for (const [index, word] of words.entries()) {
    const next = words[index + 1];
    const found = plain.indexOf(word.text, at);
    if (found >= 0) at = found + word.text.length;
    const isOneScript = next !== undefined && NO_SPACES.test(word.text.at(-1)!) && NO_SPACES.test(next.text[0]!);
    word.isJoined = isOneScript || (found >= 0 && next !== undefined && plain.startsWith(next.text, at));
  }
}

/**
 * Returns words that do not overlap: a word ends where the next one starts, and words that start in the wrong order
 * become one.
 * @param axis 0 for horizontal lines, 1 for vertical ones
 */
function apart(words: readonly Word[], axis: 0 | 1): RecognizedWord[] {
  const placed: Word[] = [];
  for (const word of words) {
    const before = placed.at(-1);
    if (!before || word.box[axis] > before.box[axis]) {
      if (before && before.box[axis + 2]! > word.box[axis]) before.box = withEnd(before.box, axis, word.box[axis]);
      placed.push({ ...word });
      continue;
    }
    before.text += before.isJoined ? word.text : ` ${word.text}`;
    before.box = withEnd(before.box, axis, Math.max(before.box[axis + 2]!, word.box[axis + 2]!));
    before.isJoined = word.isJoined;
  }
  return placed;
}

function withEnd(box: RecognizedWord["box"], axis: 0 | 1, end: number): RecognizedWord["box"] {
  const [left, top, right, bottom] = box;
  return axis === 0 ? [left, top, end, bottom] : [left, top, right, end];
}

const numberAfter = (title: string, name: string): number =>
  Number(new RegExp(`\\b${name} ([\\d.]+)`).exec(title)?.[1] ?? 0);

const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, "")
    .replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(NOT_IN_TEXT, "")
    .trim();

/** Minimum confidence, in percent, and number of letters and digits of a line in a picture that need not show text. */
const SURE = 75;
const MIN_LETTERS = 2;

/** Returns the lines that are text in all likelihood: in photographs, the recognition finds many that are not. */
export const sureLines = (lines: readonly RecognizedLine[]): readonly RecognizedLine[] =>
  lines.filter(
    (line) =>
      confidenceOf([line]) >= SURE &&
      line.words.reduce((count, { text }) => count + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0) >= MIN_LETTERS,
  );

/** Returns the mean confidence of the characters, from 0 to 100; 0 without characters. */
export function confidenceOf(lines: readonly RecognizedLine[]): number {
  let [sum, length] = [0, 0];
  for (const { text, confidence } of lines.flatMap(({ words }) => words)) {
    sum += confidence * text.length;
    length += text.length;
  }
  return length === 0 ? 0 : sum / length;
}
