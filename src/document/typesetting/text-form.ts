// Writes a text block as a form XObject. The text can be extracted as it was sent: a glyph's code maps to its
// characters, and where characters and glyphs do not correspond one to one, they are marked with the actual text (ISO
// 32000-1, 14.9.4).

import { serializeNumber } from "../objects/serialize.ts";
import { Dictionary, Name, PdfStream, plainBody, type Reference } from "../objects/values.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import { opacityState } from "../pages/overlay/overlay.ts";
import { utf16Hex } from "../text/write-cmap.ts";
import type { EmbeddedFont, EmbeddedFonts } from "./embedded-fonts.ts";
import type { Cluster, Line, Run, TextBlock } from "./layout.ts";

export interface TextInk {
  /** Components from 0 to 1: red, green and blue, or cyan, magenta, yellow and black. */
  readonly color: readonly number[];
  /** From 0 to 1. */
  readonly opacity: number;
  /** Font size in points. */
  readonly size: number;
}

/** Smallest difference of a position that is written, in thousandths of the font size. */
const VISIBLE = 0.5;
/** Matches several letters of scripts from right to left, without marks. */
const RIGHT_TO_LEFT_LIGATURE = /^(?:(?!\p{M})[\u0590-\u08ff]){2,}$/u;
/** Text of a glyph without characters of its own: a zero-width space. */
const NO_CHARACTER = "\u200b";
/** Space around the text within which glyphs are not clipped, in units of the font size. */
const MARGIN = 2;

/**
 * Adds a form whose origin is the start of the first baseline.
 * @returns undefined if the text has no glyphs
 */
export function addTextForm(pdf: OpenPdf, fonts: EmbeddedFonts, block: TextBlock, ink: TextInk): Reference {
  const writer = new TextWriter(fonts);
  const text = writer.textObject(block.lines, ink);
  const margin = MARGIN * ink.size;
  const isOpaque = ink.opacity === 1;
  const resources = Dictionary.of({
    Font: writer.resources(),
    ExtGState: isOpaque ? undefined : Dictionary.of({ State: opacityState(pdf.file, ink.opacity) }),
  });
  const content = `${isOpaque ? "" : "/State gs "}${text}`;
  const entries = Dictionary.of({
    ...{ Type: Name.of("XObject"), Subtype: Name.of("Form"), Resources: resources },
    BBox: [-margin, -block.descent - margin, block.width + margin, block.ascent + margin],
  });
  pdf.budget.charge(content.length);
  return pdf.file.add(new PdfStream(entries, plainBody(Buffer.from(content, "latin1"))));
}

type PlacedLine = Pick<Line, "runs" | "x" | "y">;

/** Writes lines as operators of a text object. */
export class TextWriter {
  content = "";
  readonly #fonts: EmbeddedFonts;
  readonly #nameOf: (font: Reference) => string;
  readonly #used = new Map<number, Reference>();

  /**
   * @param fonts already has the pictures of all lines
   * @param nameOf returns the resource name of a font. @default the names of `resources()`
   */
  constructor(fonts: EmbeddedFonts, nameOf = ({ number }: Reference) => `F${number}`) {
    this.#fonts = fonts;
    this.#nameOf = nameOf;
  }

  /** Returns a color and a text object (9.4.1) with lines at their positions. */
  textObject(lines: readonly PlacedLine[], { color, size }: Omit<TextInk, "opacity">): string {
    for (const line of lines) this.line(line, size);
    return `${color.map(serializeNumber).join(" ")} ${color.length === 4 ? "k" : "rg"}\nBT\n${this.take()}ET`;
  }

  line({ runs, x, y }: PlacedLine, size: number): void {
    for (const run of runs) {
      if ("font" in run) this.#glyphs(run, x, y, size);
      else this.#picture(run, x, y, size);
    }
  }

  /** Returns and forgets the operators written so far. */
  take(): string {
    const { content } = this;
    this.content = "";
    return content;
  }

  /** Returns the fonts of all lines written so far. */
  resources(): Dictionary {
    return Dictionary.of(Object.fromEntries([...this.#used].map(([number, font]) => [`F${number}`, font])));
  }

  #start(font: Reference, x: number, y: number, size: number): void {
    this.#used.set(font.number, font);
    const place = [x, y].map(serializeNumber).join(" ");
    this.content += `/${this.#nameOf(font)} ${serializeNumber(size)} Tf 1 0 0 1 ${place} Tm\n`;
  }

  #picture(run: Extract<Run, { readonly picture: unknown }>, x: number, y: number, size: number): void {
    const { reference, code } = this.#fonts.codeOf(run.picture);
    this.#start(reference, x + run.x, y, size);
    this.content += `<${code}> Tj\n`;
  }

  #glyphs(run: Extract<Run, { readonly font: unknown }>, x: number, y: number, size: number): void {
    const first = run.clusters[0]?.glyphs[0];
    if (!first) return;
    const font = this.#fonts.embed(run.font);
    this.#start(font.reference, x + first.x, y, size);
    const line = new GlyphLine(font, size, first.x);
    for (const cluster of run.clusters) line.show(cluster);
    this.content += line.end();
  }
}

/** Writes glyphs from left to right, with the operators TJ and Ts. */
class GlyphLine {
  readonly #font: EmbeddedFont;
  readonly #size: number;
  /** Position after the last glyph, in points. */
  #pen: number;
  #rise = 0;
  #text = "";
  /** Elements of an array that is not written yet. */
  #elements = "";

  constructor(font: EmbeddedFont, size: number, start: number) {
    this.#font = font;
    this.#size = size;
    this.#pen = start;
  }

  show({ text, glyphs }: Cluster): void {
    const [first, ...more] = glyphs;
    if (more.length === 0 && RIGHT_TO_LEFT_LIGATURE.test(text) && this.#ligature(first!, text)) return;
    if (more.length === 0 && this.#font.mapTo(first!.glyph, text)) {
      this.#glyph(first!);
      return;
    }
    this.#flush();
    this.#text += `/Span <</ActualText <FEFF${utf16Hex(text)}>>> BDC\n`;
    this.#mapParts(text, glyphs);
    for (const glyph of glyphs) this.#glyph(glyph);
    this.#flush();
    this.#text += "EMC\n";
  }

  /**
   * Maps glyphs to characters for readers that ignore the actual text. Glyphs of single characters have these; the
   * first other one has the rest.
   */
  #mapParts(text: string, glyphs: Cluster["glyphs"]): void {
    const rest = [...text];
    const others: number[] = [];
    for (const { glyph } of glyphs) {
      const index = rest.findIndex((one) => this.#font.isGlyphOf(glyph, one));
      if (index < 0) others.push(glyph);
      else this.#font.mapTo(glyph, rest.splice(index, 1)[0]!);
    }
    for (const glyph of others) this.#font.mapTo(glyph, rest.splice(0).join("") || NO_CHARACTER);
  }

  /** Shows the first character of a ligature with its glyph, and carries the others in visual order. */
  #ligature(glyph: Cluster["glyphs"][number], text: string): boolean {
    const [first, ...others] = text;
    const carriers = others.reverse().map((one) => this.#font.carry(one));
    if (carriers.includes(undefined) || !this.#font.mapTo(glyph.glyph, first!)) return false;
    this.#glyph(glyph, carriers.join(""));
    return true;
  }

  #glyph({ glyph, x, y }: Cluster["glyphs"][number], before = ""): void {
    if (Math.abs(y - this.#rise) * 1000 > VISIBLE * this.#size) {
      this.#flush();
      this.#rise = y;
      this.#text += `${serializeNumber(y)} Ts\n`;
    }
    const shift = Math.round(((this.#pen - x) * 1000) / this.#size);
    if (shift !== 0) {
      this.#elements += shift;
      this.#pen -= (shift * this.#size) / 1000;
    }
    this.#elements += `<${before}${this.#font.use(glyph)}>`;
    this.#pen += (this.#font.widthOf(glyph) * this.#size) / 1000;
  }

  #flush(): void {
    if (this.#elements !== "") this.#text += `[${this.#elements.replaceAll("><", "")}] TJ\n`;
    this.#elements = "";
  }

  /** Returns the content, after which the next line has its own position. */
  end(): string {
    this.#flush();
    return this.#rise === 0 ? this.#text : `${this.#text}0 Ts\n`;
  }
}
