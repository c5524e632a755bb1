// Creates invisible text, for searching and copying, over an image of the page. All characters of its font have the same
// glyph. Its codes are Unicode values.

import { memoryBody } from "../../../compression/recode-stream.ts";
import type { Matrix } from "../../../content/matrix.ts";
import type { Character, TextLine } from "../../../engines/mupdf/text.ts";
import { asSymbolic } from "../../../fonts/symbolic.ts";
import { BOX_GLYPH, boxFont } from "../../../fonts/truetype/box-font.ts";
import type { PdfFile } from "../../../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, PdfString, type Reference } from "../../../objects/values.ts";

/** Advance of all characters, in thousandths of the font size. Words are stretched to their actual widths. */
const ADVANCE = 500;
const ASCENT = 800;
const DESCENT = -200;
const CODES = 0x10000;
/** Maximum stretch in percent. */
const MAX_STRETCH = 1000;
const FONT_NAME = "Invisible";

/** First and last code for characters beyond U+FFFF: the surrogates, which no character uses. */
const FIRST_BEYOND = 0xd800;
const LAST_BEYOND = 0xdfff;

/** The font of all invisible text of a file. */
export class InvisibleFont {
  readonly reference: Reference;
  readonly #file: PdfFile;
  /** Codes of characters beyond U+FFFF. */
  readonly #beyond = new Map<number, number>();

  constructor(file: PdfFile) {
    this.#file = file;
    this.reference = file.reserve();
  }

  /** @returns undefined if there are too many characters beyond U+FFFF */
  codeOf(codePoint: number): number | undefined {
    if (codePoint <= 0xffff) return codePoint;
    const code = this.#beyond.get(codePoint) ?? FIRST_BEYOND + this.#beyond.size;
    if (code > LAST_BEYOND) return undefined;
    this.#beyond.set(codePoint, code);
    return code;
  }

  /** Writes the font. Must be called after all text has been encoded. */
  finish(): void {
    const file = this.#file;
    const program = boxFont({ advance: ADVANCE, ascent: ASCENT, descent: DESCENT });
    const glyphs = new Uint8Array(2 * CODES);
    for (let code = 0; code < CODES; code++) glyphs[2 * code + 1] = BOX_GLYPH;
    const descriptor = Dictionary.of({
      Type: Name.of("FontDescriptor"),
      FontName: Name.of(FONT_NAME),
      Flags: asSymbolic(),
      FontBBox: [0, DESCENT, ADVANCE, ASCENT],
      ItalicAngle: 0,
      Ascent: ASCENT,
      Descent: DESCENT,
      CapHeight: 700,
      StemV: 80,
      FontFile2: file.add(new PdfStream(Dictionary.of({ Length1: program.length }), memoryBody(program))),
    });
    const descendant = Dictionary.of({
      Type: Name.of("Font"),
      Subtype: Name.of("CIDFontType2"),
      BaseFont: Name.of(FONT_NAME),
      CIDSystemInfo: Dictionary.of({
        Registry: new PdfString("Adobe"),
        Ordering: new PdfString("Identity"),
        Supplement: 0,
      }),
      FontDescriptor: file.add(descriptor),
      DW: ADVANCE,
      CIDToGIDMap: file.add(new PdfStream(new Dictionary(), memoryBody(glyphs))),
    });
    const font = Dictionary.of({
      Type: Name.of("Font"),
      Subtype: Name.of("Type0"),
      BaseFont: Name.of(FONT_NAME),
      Encoding: Name.of("Identity-H"),
      DescendantFonts: [file.add(descendant)],
      ToUnicode: file.add(new PdfStream(new Dictionary(), memoryBody(Buffer.from(toUnicode(this.#beyond), "latin1")))),
    });
    file.put(this.reference, font);
  }
}

/**
 * Returns a CMap from codes to Unicode values (ISO 32000-1, 9.10.3). All codes of a range must have the same first
 * byte, and an operator can have at most 100 ranges.
 */
const toUnicode = (beyond: ReadonlyMap<number, number>): string =>
  [
    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
    "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
    "/CMapName /Adobe-Identity-UCS def /CMapType 2 def",
    "1 begincodespacerange <0000> <ffff> endcodespacerange",
    ...lists(
      "bfrange",
      Array.from({ length: 256 }, (_, high) => high)
        .filter((high) => high < 0xd8 || high > 0xdf)
        .map((high) => `<${hex(high, 2)}00> <${hex(high, 2)}ff> <${hex(high, 2)}00>`),
    ),
    ...lists(
      "bfchar",
      [...beyond].map(([codePoint, code]) => `<${hex(code, 4)}> <${utf16(codePoint)}>`),
    ),
    "endcmap CMapName currentdict /CMap defineresource pop end end",
  ].join("\n");

const utf16 = (codePoint: number): string =>
  Array.from({ length: 2 }, (_, unit) => hex(String.fromCodePoint(codePoint).charCodeAt(unit), 4)).join("");

function* lists(kind: string, entries: readonly string[]): Generator<string> {
  for (let at = 0; at < entries.length; at += 100) {
    const part = entries.slice(at, at + 100);
    yield `${part.length} begin${kind}\n${part.join("\n")}\nend${kind}`;
  }
}

/**
 * Returns content with each word at its displayed position. Omits characters without a Unicode value.
 * @param font the font, and its resource name
 * @param toPage matrix from displayed points, y upwards, to user space
 * @param height height of the displayed page in points
 */
export function invisibleText(
  lines: readonly TextLine[],
  { font, name }: { readonly font: InvisibleFont; readonly name: string },
  toPage: Matrix,
  height: number,
): string {
  const parts = [`q ${toPage.map(decimal).join(" ")} cm BT 3 Tr`];
  for (const { direction, characters } of lines) {
    const [x, y] = direction;
    for (const { first, text, width } of wordsOf(characters, direction)) {
      const size = first.size > 0 ? first.size : 1;
      const stretch = Math.min(MAX_STRETCH, (100 * width) / (text.length * size * (ADVANCE / 1000)));
      parts.push(`/${name} ${decimal(size)} Tf ${decimal(Math.max(1, stretch))} Tz`);
      parts.push(`${[x, -y, y, x, first.x, height - first.y].map(decimal).join(" ")} Tm`);
      const codes = text.flatMap((codePoint) => font.codeOf(codePoint) ?? []);
      parts.push(`<${codes.map((code) => hex(code, 4)).join("")}> Tj`);
    }
  }
  return `${parts.join(" ")} ET Q`;
}

interface Word {
  readonly first: Character;
  readonly text: readonly number[];
  /** Width in points. */
  readonly width: number;
}

/** Yields words from left to right. Viewers derive the reading direction from the characters. */
function* wordsOf(characters: readonly Character[], [x, y]: TextLine["direction"]): Generator<Word> {
  const placed = characters
    .filter(({ codePoint }) => isTold(codePoint))
    .map((character) => ({ character, along: character.x * x + character.y * y }))
    .sort((one, other) => one.along - other.along);
  for (let from = 0; from < placed.length; ) {
    const isSpace = placed[from]!.character.codePoint === SPACE;
    let to = from + 1;
    while (to < placed.length && (placed[to]!.character.codePoint === SPACE) === isSpace) to++;
    const word = placed.slice(from, to);
    const last = word.at(-1)!;
    const size = last.character.size;
    // A word ends where the next one starts, or earlier, at the end of its last character, which is taken to be half as
    // wide as the font size.
    const end = Math.min(placed[to]?.along ?? Number.POSITIVE_INFINITY, last.along + size * (ADVANCE / 1000));
    yield {
      first: word[0]!.character,
      text: word.map(({ character }) => character.codePoint),
      width: Math.max(0, end - word[0]!.along),
    };
    from = to;
  }
}

const SPACE = 0x20;

/**
 * Reports whether a character has a meaning. U+0000, U+FEFF and U+FFFE are forbidden (ISO 19005-2, 6.2.11.7.2), and
 * U+FFFD has no meaning.
 */
const isTold = (codePoint: number): boolean =>
  codePoint > 0xffff ||
  (codePoint >= 0x20 && codePoint < 0xfff0 && codePoint !== 0xfeff && !(codePoint >= 0xd800 && codePoint <= 0xdfff));

/** Formats a number for content streams: without an exponent, and at most 32,767, the limit in PDF/A-1. */
function decimal(value: number): string {
  const bounded = Math.max(-32_767, Math.min(32_767, value));
  return String(Number(bounded.toFixed(4)));
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
