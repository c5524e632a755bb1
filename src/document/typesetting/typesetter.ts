// Sets the texts of one job: loads fonts, lays texts out, and adds them to the document as forms.

import { EngineFailure } from "../contract/failure.ts";
import type { TypefaceProvider } from "../contract/font-provider.ts";
import { countedNotices, type Notice, namedNotices } from "../contract/notice.ts";
import type { Reference } from "../objects/values.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import { EmbeddedFonts } from "./embedded-fonts.ts";
import { FontShelf } from "./font-shelf.ts";
import {
  layOut,
  measureWidths,
  type Preparation,
  type PreparedText,
  prepareText,
  type TextBlock,
  type TextStyle,
  type TextWidths,
} from "./layout.ts";
import { addTextForm, type TextInk, TextWriter } from "./text-form.ts";

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
    const block = await this.layOut(text, signal);
    return { reference: addTextForm(this.#pdf, this.#fonts, block, text), block };
  }

  /** Finds the fonts of a text, and embeds its pictures, so that it can be set without waiting. */
  async prepare(text: string, style: Preparation, signal: AbortSignal): Promise<PreparedText> {
    const prepared = await prepareText(text, style, this.#shelf);
    if (!prepared) throw new EngineFailure("crashed", `no font for ${style.font.file.face}`);
    for (const paragraph of prepared.paragraphs) {
      for (const { content, start, end } of paragraph.items) {
        if ("picture" in content) {
          await this.#fonts.embedPicture(content.picture, paragraph.text.slice(start, end), signal);
        }
      }
    }
    return prepared;
  }

  /** Starts content of another form. @param nameOf as of {@link TextWriter} */
  writer(nameOf?: (font: Reference) => string): TextWriter {
    return new TextWriter(this.#fonts, nameOf);
  }

  /** Lays out a text, which a writer then draws. */
  async layOut(text: SetText, signal: AbortSignal): Promise<TextBlock> {
    const prepared = await this.prepare(text.text, { ...text, wraps: text.maxWidth !== undefined }, signal);
    if (text.font.replacedBy) this.#replaced.set(text.fontName, text.font.replacedBy);
    return layOut(prepared, text);
  }

  /** Returns the widths that a column can have for a text. */
  async measureWidths(text: SetText, signal: AbortSignal): Promise<TextWidths> {
    return measureWidths(await this.prepare(text.text, { ...text, wraps: true }, signal), text.size);
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
