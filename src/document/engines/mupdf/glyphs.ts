// Reads the glyphs of a page with their places, as columns: a page can have hundreds of thousands.
import { EngineFailure } from "../../contract/failure.ts";
import { type FuelBudget, type Mupdf, MupdfError } from "./instance/mupdf.ts";
import type { MupdfExports, Pointer } from "./instance/raw.ts";
import { contentAt } from "./structure/content-elements.ts";

const TEXT_BLOCK = 0;
const IMAGE_BLOCK = 1;
const STRUCTURE_BLOCK = 2;
const VECTOR_BLOCK = 3;
const STROKED = 1;
const MAX_GLYPHS = 500_000;
/** Maximum number of shapes. A map has more, but no table. */
const MAX_SHAPES = 50_000;
/** Numbers per glyph: four corners, the origin on the baseline, the font size. */
const WIDTH = 11;
const VERTICAL = 1;
/** Without a width, it shows nothing, and no search regards it. */
const ZERO_WIDTH_SPACE = 0x200b;
/** Minimum part of its width after which the next glyph ends a glyph. Glyphs that are closer are drawn on top of it. */
const APART = 0.25;
/** Direction of the lines without one. */
const TO_THE_RIGHT = [1, 0] as const;

/** Appearance of a glyph. */
export interface GlyphStyle {
  /** Name of the font in the document, possibly with the prefix of a subset. */
  readonly fontName: string;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isMonospaced: boolean;
  /** Opacity, red, green and blue in one number, 8 bits each. */
  readonly argb: number;
}

/** An image or a path: bounds with y downwards, in the space of the displayed page. */
export interface Shape {
  readonly kind: "image" | "path";
  readonly bounds: readonly [left: number, top: number, right: number, bottom: number];
  /** Opacity, red, green and blue of a path; 0 for images. */
  readonly argb: number;
  /** True for a path that is stroked, false if it is filled. */
  readonly isStroked: boolean;
  /** Identifier of the marked content that it belongs to. @default none */
  readonly content?: number;
}

export interface GlyphOptions {
  /** MuPDF's options. */
  readonly options: string;
  /** True to read styles and shapes too. */
  readonly hasStyles: boolean;
}

/** Reads what the page shows instead of replacement texts, up to and beyond its edges. */
export const SHOWN: GlyphOptions = { options: "clip=no,ignore-actualtext", hasStyles: false };
/**
 * Reads the text of the page with styles and shapes. MuPDF would also find letters that are drawn twice to look bold, but
 * in a time that is quadratic in the length of the text.
 */
export const STYLED: GlyphOptions = {
  options: "clip=no,preserve-images,vectors",
  hasStyles: true,
};
/** Reads also the marked content that belongs to the structure of the page, see {@link ContentElements}. */
export const TAGGED: GlyphOptions = { ...STYLED, options: `${STYLED.options},structured` };

/** Offset of the data of a block after its bounds, and of the first block of an element, in words of 4 bytes. */
const BLOCK_DATA = 4;
const FIRST_BLOCK = 2;

/** All places are in points with y downwards, in the space of the displayed page. */
export class Glyphs {
  /** Unicode code points; U+FFFD if unknown. A ligature is several glyphs. */
  readonly codePoints: number[] = [];
  /** The indexes of the first glyph of each line. */
  readonly lineStarts: number[] = [];
  /** The direction of each line: unit vectors. */
  readonly directions: (readonly [x: number, y: number])[] = [];
  /** The identifiers of the marked content of each line; undefined without such content. */
  readonly contents: (number | undefined)[] = [];
  /** Number of glyphs of the page contents. The glyphs of annotations follow. */
  contentCount = 0;
  /** Indexes in {@link styles}; empty unless styles were requested. */
  readonly styleOf: number[] = [];
  readonly styles: GlyphStyle[] = [];
  readonly shapes: Shape[] = [];
  /** Indexes in {@link styles} by color, by font. */
  readonly #known = new Map<Pointer, Map<number, number>>();
  readonly #options: GlyphOptions;
  #numbers = new Float32Array(WIDTH * 1024);

  constructor(options = SHOWN) {
    this.#options = options;
  }

  get count(): number {
    return this.codePoints.length;
  }

  /** Returns the upper left, upper right, lower left and lower right corner. */
  corners(index: number): Float32Array {
    return this.#numbers.subarray(index * WIDTH, index * WIDTH + 8);
  }

  /** Returns one of the numbers of {@link corners}. */
  cornerPart(index: number, part: number): number {
    return this.#numbers[index * WIDTH + part]!;
  }

  origin(index: number): readonly [x: number, y: number] {
    return [this.#numbers[index * WIDTH + 8]!, this.#numbers[index * WIDTH + 9]!];
  }

  size(index: number): number {
    return this.#numbers[index * WIDTH + 10]!;
  }

  /** Returns the same glyphs with other code points. */
  withCharacters(codePoints: number[]): Glyphs {
    const { lineStarts, directions, contents, contentCount } = this;
    const copy = Object.assign(new Glyphs(), { codePoints, lineStarts, directions, contents, contentCount });
    copy.#numbers = this.#numbers;
    return copy;
  }

  /** Reads the contents of a page, without annotations. @returns false if the contents have an error */
  readContents(engine: Mupdf, page: Pointer, tank: FuelBudget): boolean {
    try {
      this.#read(engine, tank, (options) => engine.raw._wasm_new_stext_page_from_page(page, options));
      return true;
    } catch (error) {
      if (!(error instanceof MupdfError)) throw error;
      return false;
    }
  }

  /** Reads a display list, which omits invisible text without outlines and what follows an error. */
  readList(engine: Mupdf, list: Pointer, tank: FuelBudget): void {
    this.#read(engine, tank, (options) => engine.raw._wasm_new_stext_page_from_display_list(list, options));
  }

  #read(engine: Mupdf, tank: FuelBudget, make: (options: Pointer) => Pointer): void {
    const text = engine.run(() => engine.withText(this.#options.options, make), tank);
    try {
      engine.run((raw) => this.#readBlocks(engine, raw._wasm_stext_page_get_first_block(text), []), tank);
    } finally {
      engine.release((raw) => raw._wasm_drop_stext_page(text));
    }
  }

  /** @param path places of the elements around a block: a group, and an element of it */
  #readBlocks(engine: Mupdf, first: Pointer, path: readonly number[]): void {
    const { raw } = engine;
    const content = path.length === 2 ? contentAt(path[0]!, path[1]!) : undefined;
    for (let block = first; block !== 0; block = raw._wasm_stext_block_get_next(block)) {
      const type = raw._wasm_stext_block_get_type(block);
      if (type === TEXT_BLOCK) this.#readLines(engine, block, content);
      else if (type === STRUCTURE_BLOCK && path.length < 2) {
        const data = (raw._wasm_stext_block_get_bbox(block) >> 2) + BLOCK_DATA;
        const [element, place] = raw.HEAPU32.subarray(data, data + 2);
        if (element) this.#readBlocks(engine, raw.HEAPU32[(element >> 2) + FIRST_BLOCK]!, [...path, place!]);
      } else if (this.#options.hasStyles) this.#addShape(raw, block, content);
    }
  }

  #readLines(engine: Mupdf, block: Pointer, content: number | undefined): void {
    const { raw } = engine;
    let line = raw._wasm_stext_block_get_first_line(block);
    for (; line !== 0; line = raw._wasm_stext_line_get_next(line)) {
      const first = this.count;
      let char = raw._wasm_stext_line_get_first_char(line);
      for (; char !== 0; char = raw._wasm_stext_char_get_next(char)) this.#add(engine, char);
      if (this.count === first) continue;
      const direction = raw._wasm_stext_line_get_dir(line) >> 2;
      if (!this.#addLine(first, raw.HEAPF32[direction]!, raw.HEAPF32[direction + 1]!)) continue;
      this.contents.push(content);
      if (raw._wasm_stext_line_get_wmode(line) === VERTICAL) this.#placeVertical(first);
      this.#endAtNext(first);
    }
  }

  /**
   * Adds a line that starts with a glyph. MuPDF makes a line without a direction of each glyph without a size: those at
   * one place become one line, and run to the right.
   * @returns false if the line before goes on
   */
  #addLine(first: number, dx: number, dy: number): boolean {
    const hasDirection = Math.hypot(dx, dy) > 0;
    if (!hasDirection && this.#goesOn(first)) return false;
    this.lineStarts.push(first);
    this.directions.push(hasDirection ? [dx, dy] : TO_THE_RIGHT);
    return true;
  }

  /** Reports whether a glyph without a size is at the place of a line of such glyphs. */
  #goesOn(first: number): boolean {
    const [x, y] = this.origin(first);
    const [beforeX, beforeY] = first > 0 ? this.origin(first - 1) : [];
    return this.directions.at(-1) === TO_THE_RIGHT && x === beforeX && y === beforeY;
  }

  #add({ raw }: Mupdf, char: Pointer): void {
    const at = this.count * WIDTH;
    if (this.count >= MAX_GLYPHS) throw new EngineFailure("too-complex", `a page with over ${MAX_GLYPHS} glyphs`);
    if (at + WIDTH > this.#numbers.length) {
      const longer = new Float32Array(this.#numbers.length * 2);
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    const floats = raw.HEAPF32;
    const numbers = this.#numbers;
    const quad = raw._wasm_stext_char_get_quad(char) >> 2;
    for (let corner = 0; corner < 8; corner++) numbers[at + corner] = floats[quad + corner]!;
    const code = raw._wasm_stext_char_get_c(char);
    if (code === ZERO_WIDTH_SPACE && this.#isThin(at)) return;
    const origin = raw._wasm_stext_char_get_origin(char) >> 2;
    numbers[at + 8] = floats[origin]!;
    numbers[at + 9] = floats[origin + 1]!;
    numbers[at + 10] = raw._wasm_stext_char_get_size(char);
    this.codePoints.push(code);
    if (this.#options.hasStyles) this.styleOf.push(this.#style(raw, char));
  }

  /** Returns the index of a glyph's style. */
  #style(raw: MupdfExports, char: Pointer): number {
    const font = raw._wasm_stext_char_get_font(char);
    const argb = raw._wasm_stext_char_get_argb(char) >>> 0;
    const byColor = this.#known.get(font) ?? new Map<number, number>();
    const known = byColor.get(argb);
    if (known !== undefined) return known;
    this.#known.set(font, byColor.set(argb, this.styles.length));
    const style = {
      ...{ fontName: raw.UTF8ToString(raw._wasm_font_get_name(font)), argb },
      isBold: raw._wasm_font_is_bold(font) !== 0,
      isItalic: raw._wasm_font_is_italic(font) !== 0,
      isMonospaced: raw._wasm_font_is_monospaced(font) !== 0,
    };
    return this.styles.push(style) - 1;
  }

  #addShape(raw: MupdfExports, block: Pointer, content: number | undefined): void {
    const type = raw._wasm_stext_block_get_type(block);
    if ((type !== IMAGE_BLOCK && type !== VECTOR_BLOCK) || this.shapes.length >= MAX_SHAPES) return;
    const at = raw._wasm_stext_block_get_bbox(block) >> 2;
    const [left, top, right, bottom] = raw.HEAPF32.subarray(at, at + 4);
    const bounds = [left!, top!, right!, bottom!] as const;
    const tag = content === undefined ? {} : { content };
    if (type === IMAGE_BLOCK) this.shapes.push({ kind: "image", bounds, argb: 0, isStroked: false, ...tag });
    else {
      const argb = raw._wasm_stext_block_get_v_argb(block) >>> 0;
      const isStroked = (raw._wasm_stext_block_get_v_flags(block) & STROKED) !== 0;
      this.shapes.push({ kind: "path", bounds, argb, isStroked, ...tag });
    }
  }

  #isThin(at: number): boolean {
    const numbers = this.#numbers;
    return numbers[at] === numbers[at + 2] && numbers[at + 1] === numbers[at + 3];
  }

  /** Moves the glyphs of a vertical line to where they are drawn: MuPDF places each of them one length too far. */
  #placeVertical(first: number): void {
    const numbers = this.#numbers;
    for (let at = first * WIDTH; at < this.count * WIDTH; at += WIDTH) {
      // From the corners on the left to those on the right, and from the origin to where the glyph ends.
      const [x, y] = [numbers[at + 2]! - numbers[at]!, numbers[at + 3]! - numbers[at + 1]!];
      for (const left of [0, 4, 8]) {
        numbers[at + left]! += 2 * x;
        numbers[at + left + 1]! += 2 * y;
      }
    }
  }

  /** Ends each glyph of a line where the next one starts: fonts can state larger widths than programs use. */
  #endAtNext(first: number): void {
    const numbers = this.#numbers;
    const end = (this.count - 1) * WIDTH;
    for (let at = first * WIDTH; at < end; at += WIDTH) {
      const x = numbers[at + 2]! - numbers[at]!;
      const y = numbers[at + 3]! - numbers[at + 1]!;
      const nextX = numbers[at + WIDTH + 8]! - numbers[at + 8]!;
      const nextY = numbers[at + WIDTH + 9]! - numbers[at + 9]!;
      const part = (nextX * x + nextY * y) / (x * x + y * y);
      if (!(part > APART && part < 1)) continue;
      for (let right = at + 2; right <= at + 6; right += 4) {
        numbers[right] = numbers[right - 2]! + x * part;
        numbers[right + 1] = numbers[right - 1]! + y * part;
      }
    }
  }
}
