// Shows the texts of fields with fonts for every script, whose used glyphs are embedded.
import type { TypefaceProvider } from "../../contract/font-provider.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Dictionary } from "../../objects/values.ts";
import type { OpenPdf } from "../../pages/open-pdf.ts";
import { clustersOf } from "../../typesetting/font-shelf.ts";
import { extentOf, type PreparedText, type SetLine, scaledLine, setLines } from "../../typesetting/layout.ts";
import { requestedFont } from "../../typesetting/requested-font.ts";
import type { TextWriter } from "../../typesetting/text-form.ts";
import { Typesetter } from "../../typesetting/typesetter.ts";
import { type Area, type FieldText, HEIGHTS, heightOf, type Line } from "./field-text.ts";
import { visualOrder } from "./visual-order.ts";

/** Texts of a field, and the font that they would have. */
export interface UnsetTexts {
  readonly fontName: string;
  readonly texts: readonly string[];
}

const DEFAULT_FONT = "Helvetica";

/** The texts of a document's fields that need more than the fonts of the form. */
export class SetFieldTexts {
  readonly #typesetter: Typesetter;
  /** Prepared texts, by font and text. */
  readonly #prepared = new Map<string, PreparedText>();

  private constructor(typesetter: Typesetter) {
    this.#typesetter = typesetter;
  }

  /** Returns those whose total length is within the limit. */
  static limited<T extends UnsetTexts>(all: readonly T[]): readonly T[] {
    let length = 0;
    return all.filter(({ texts }) => {
      length += texts.reduce((sum, text) => sum + text.length, 0);
      return length <= LIMITS.textAddedLength;
    });
  }

  static async open(
    pdf: OpenPdf,
    provider: TypefaceProvider,
    all: readonly UnsetTexts[],
    signal: AbortSignal,
  ): Promise<SetFieldTexts> {
    const typesetter = await Typesetter.open(
      pdf,
      provider,
      all.flatMap(({ texts }) => texts),
    );
    const set = new SetFieldTexts(typesetter);
    for (const { fontName, texts } of all) {
      const font = requestedFont(fontName) ?? requestedFont(DEFAULT_FONT)!;
      for (const text of texts) {
        const key = keyOf(fontName, text);
        if (set.#prepared.has(key)) continue;
        signal.throwIfAborted();
        set.#prepared.set(key, await typesetter.prepare(text, { font, wraps: true }, signal));
      }
    }
    return set;
  }

  of(fontName: string): FieldText {
    return new SetFieldText(this.#typesetter.writer(), (text) => this.#prepared.get(keyOf(fontName, text))!);
  }

  /** Writes the fonts. Must be called once, after the last text. */
  finish(): void {
    this.#typesetter.finish();
  }
}

const keyOf = (fontName: string, text: string): string => `${fontName}\0${text}`;

class SetFieldText implements FieldText {
  readonly #writer: TextWriter;
  readonly #preparedOf: (text: string) => PreparedText;
  #isComplete = true;

  constructor(writer: TextWriter, preparedOf: (text: string) => PreparedText) {
    this.#writer = writer;
    this.#preparedOf = preparedOf;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  line(text: string): Line {
    const [line] = this.#set(text, 1);
    return this.#lineOf(line!, 1);
  }

  wrap(text: string, size: number, area: Area): readonly Line[] {
    const lines: Line[] = [];
    let height = 0;
    for (const set of this.#set(text, size, area.width)) {
      if (height > area.height) break;
      const line = this.#lineOf(set, size);
      lines.push(line);
      height += heightOf(line) * size;
    }
    return lines;
  }

  cells(text: string): readonly Line[] {
    return visualOrder(clustersOf(text)).map((cluster) => this.line(cluster));
  }

  resources(): Dictionary {
    return this.#writer.resources();
  }

  #set(text: string, size: number, maxWidth?: number): Iterable<SetLine> {
    const prepared = this.#preparedOf(text);
    this.#isComplete &&= prepared.paragraphs.every(({ isComplete }) => isComplete);
    return setLines(prepared, size, maxWidth);
  }

  #lineOf(line: SetLine, size: number): Line {
    const { above, below } = extentOf(line, size);
    return {
      width: line.width / size,
      // Lines of all scripts have the same baseline and distance, unless their glyphs are higher.
      ascent: Math.max(HEIGHTS.ascent, above / size),
      descent: Math.max(HEIGHTS.descent, below / size),
      show: (shownSize, x, y) => {
        this.#writer.line({ ...scaledLine(line, shownSize / size), x, y }, shownSize);
        return this.#writer.take();
      },
    };
  }
}
