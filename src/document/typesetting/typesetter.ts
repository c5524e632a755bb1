// Sets the texts of one job: loads fonts, lays texts out, and adds them to the document as forms.

import { EngineFailure } from "../contract/failure.ts";
import type { TypefaceProvider } from "../contract/font-provider.ts";
import { countedNotices, type Notice, namedNotices } from "../contract/notice.ts";
import type { Reference } from "../objects/values.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import { EmbeddedFonts } from "./embedded-fonts.ts";
import { FontShelf } from "./font-shelf.ts";
import { layOut, measureWidths, type TextBlock, type TextStyle, type TextWidths } from "./layout.ts";
import { addTextForm, type PlacedLine, type TextInk, type TextTarget, textObject } from "./text-form.ts";

/** A text with its look. `fontName` is the name that the client sent. */
export interface SetText extends TextStyle, Omit<TextInk, "size"> {
  readonly text: string;
  readonly fontName: string;
}

/** A text in the document. The origin of its form is the start of the first baseline. */
export interface TextForm {
  readonly reference: Reference;
  readonly block: TextBlock;
}

export class Typesetter {
  readonly #pdf: OpenPdf;
  readonly #shelf: FontShelf;
  readonly #fonts: EmbeddedFonts;
  /** Names of the replaced fonts, and of those that replace them. */
  readonly #replaced = new Map<string, string>();

  private constructor(pdf: OpenPdf, shelf: FontShelf) {
    this.#pdf = pdf;
    this.#shelf = shelf;
    this.#fonts = new EmbeddedFonts(pdf);
  }

  /**
   * @param texts all texts of the job
   * @throws EngineFailure `crashed` without fonts; the failure of the container
   */
  static async open(
    pdf: OpenPdf,
    provider: TypefaceProvider | undefined,
    texts: readonly string[],
  ): Promise<Typesetter> {
    if (!provider) throw new EngineFailure("crashed", "no fonts");
    return new Typesetter(pdf, await FontShelf.open(provider, texts));
  }

  /** Adds a text to the document. */
  async add(text: SetText, signal: AbortSignal): Promise<TextForm> {
    const block = await this.layOut(text);
    return { reference: await addTextForm(this.#pdf, this.#fonts, block, text, signal), block };
  }

  /** Lays out a text, and adds nothing to the document. */
  async layOut(text: SetText): Promise<TextBlock> {
    const block = await layOut(text.text, text, this.#shelf);
    if (!block) throw noFont(text);
    if (text.font.replacedBy) this.#replaced.set(text.fontName, text.font.replacedBy);
    return block;
  }

  /** Returns the widths that a column can have for a text. */
  async measureWidths(text: SetText): Promise<TextWidths> {
    const widths = await measureWidths(text.text, text, this.#shelf);
    if (!widths) throw noFont(text);
    return widths;
  }

  /** Returns lines as operators of a content stream. */
  write(lines: readonly PlacedLine[], ink: Omit<TextInk, "opacity">, target: TextTarget): Promise<string> {
    return textObject(this.#fonts, lines, ink, target);
  }

  /** Writes the fonts. Must be called once, after the last text. @returns notices of replaced fonts and missing glyphs */
  finish(): readonly Notice[] {
    this.#fonts.finish();
    return [
      ...namedNotices(
        "fonts-substituted",
        [...this.#replaced].map(([name, replacedBy]) => ({ name, replacedBy })),
      ),
      ...countedNotices("glyphs-missing", this.#shelf.missing),
    ];
  }
}

const noFont = ({ fontName }: SetText) => new EngineFailure("crashed", `no font for ${fontName}`);
