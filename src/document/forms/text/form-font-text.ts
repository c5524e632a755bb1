// Shows the texts of a field with the fonts of the form, and with fonts that every viewer has.
import type { Dictionary } from "../../objects/values.ts";
import { clustersOf } from "../../typesetting/font-shelf.ts";
import { type TextFont, widthOf } from "../field-fonts.ts";
import { showGlyphs } from "../syntax.ts";
import { type Area, type FieldText, HEIGHTS, type Line, paragraphsOf } from "./field-text.ts";
import { visualOrder } from "./visual-order.ts";

const LINE_HEIGHT = HEIGHTS.ascent + HEIGHTS.descent;
/** Characters, besides spaces, after which a line can break. */
const BREAKING = /[\u3000-\u9fff\uac00-\ud7ff\uff00-\uffef-]/u;

export class FormFontText implements FieldText {
  readonly #font: TextFont;
  readonly #texts = new Set<string>();
  #areFitting = true;

  constructor(font: TextFont) {
    this.#font = font;
  }

  get isComplete(): boolean {
    return this.#font.isComplete;
  }

  /** All texts, if one of them needs more than the font of the field; otherwise none. */
  get unset(): readonly string[] {
    return this.#areFitting ? [] : [...this.#texts];
  }

  line(text: string): Line {
    this.#record(text);
    return this.#lineOf(text, text);
  }

  wrap(text: string, size: number, area: Area): readonly Line[] {
    this.#record(text);
    const most = Math.ceil(area.height / (size * LINE_HEIGHT)) + 1;
    const lines: Line[] = [];
    for (const paragraph of paragraphsOf(text)) {
      for (const line of this.#linesOf(paragraph, area.width / size)) {
        if (lines.length >= most) return lines;
        lines.push(this.#lineOf(line, text));
      }
    }
    return lines;
  }

  cells(text: string): readonly Line[] {
    for (const cluster of clustersOf(text)) this.#record(cluster);
    return this.#font.glyphs(visualOrder([...text]), text).map((glyph) => lineWith([glyph]));
  }

  resources(): Dictionary {
    return this.#font.resources();
  }

  #record(text: string): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    this.#areFitting &&= this.#font.fits(text);
  }

  /** @param all the text that contains the line */
  #lineOf(line: string, all: string): Line {
    return lineWith(this.#font.glyphs(visualOrder([...line.replaceAll("\t", " ")]), all));
  }

  *#linesOf(paragraph: string, width: number): Generator<string> {
    const font = this.#font;
    const characters = [...paragraph];
    let start = 0;
    /** Index after the last character where the line can break. */
    let end = 0;
    let used = 0;
    for (let at = 0; at < characters.length; at++) {
      const character = characters[at]!;
      const advance = font.advance(character, paragraph);
      if (used + advance > width && character !== " " && at > start) {
        const next = end > start ? end : at;
        yield characters.slice(start, next).join("").trimEnd();
        start = next;
        used = widthOf(font.glyphs(characters.slice(start, at), paragraph));
      }
      used += advance;
      if (character === " " || BREAKING.test(character)) end = at + 1;
    }
    yield characters.slice(start).join("");
  }
}

const lineWith = (glyphs: ReturnType<TextFont["glyphs"]>): Line => ({
  width: widthOf(glyphs),
  ...HEIGHTS,
  show: (size, x, y) => showGlyphs(glyphs, size, x, y),
});
