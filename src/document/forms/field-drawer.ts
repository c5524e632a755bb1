// Draws fields of a document. Texts that need more than the fonts of the form are drawn last, because the fonts for
// every script are read once for all of them.
import type { TypefaceProvider } from "../contract/font-provider.ts";
import { yieldBetweenPages } from "../contract/operation.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary, Value } from "../objects/values.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import type { SourcePage } from "../pages/pages.ts";
import { type FieldAppearance, FieldAppearances } from "./field-appearance.ts";
import { SetFieldTexts, type UnsetTexts } from "./text/set-field-texts.ts";

/** Receives an appearance; undefined for a widget that viewers do not show. */
export type Put = (made: FieldAppearance | undefined) => void;

interface Waiting extends UnsetTexts {
  readonly widget: Dictionary;
  readonly made: FieldAppearance;
  readonly put: Put;
}

/** Fonts for every script, and the open document that receives them. */
interface Setting {
  readonly pdf: OpenPdf;
  readonly typefaces: TypefaceProvider | undefined;
}

const PAGES_AT_ONCE = 100;

export class FieldDrawer {
  readonly #file: PdfFile;
  readonly #setting: Setting | undefined;
  readonly #appearances: FieldAppearances;
  readonly #waiting: Waiting[] = [];

  /** @param setting without it, texts have only the fonts of the form and of every viewer */
  constructor(file: PdfFile, setting?: Setting) {
    this.#file = file;
    this.#setting = setting;
    this.#appearances = new FieldAppearances(file);
  }

  /** Must be called before the fields of each page. */
  beginPage(): void {
    this.#appearances.beginPage();
  }

  /** @param put is called at once, or by {@link finish} */
  draw(widget: Dictionary, put: Put): void {
    const made = this.#appearances.make(widget);
    if (made?.unset && this.#setting?.typefaces) this.#waiting.push({ widget, made, put, ...made.unset });
    else put(made);
  }

  /**
   * Draws the chosen widgets of pages.
   * @param putOf returns undefined for a widget that stays as it is
   */
  async drawPages(
    pages: readonly SourcePage[],
    putOf: (widget: Dictionary, value: Value) => Put | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const file = this.#file;
    for (const page of pages) {
      await yieldBetweenPages(page, signal);
      if (page.index % PAGES_AT_ONCE === 0) await file.relieve();
      this.beginPage();
      for (const value of file.array(file.dictionary(page.reference)?.get("Annots")) ?? []) {
        const widget = file.dictionary(value);
        const put = widget && file.name(widget.get("Subtype")) === "Widget" ? putOf(widget, value) : undefined;
        if (put) this.draw(widget!, put);
      }
    }
    await this.finish(signal);
  }

  /** Draws the texts that wait for fonts, and writes the fonts. */
  async finish(signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.splice(0);
    const { pdf, typefaces } = this.#setting ?? {};
    if (!pdf || !typefaces || waiting.length === 0) return;
    const settable = new Set(SetFieldTexts.limited(waiting));
    const texts = await SetFieldTexts.open(pdf, typefaces, [...settable], signal);
    for (const one of waiting) {
      signal.throwIfAborted();
      this.beginPage();
      one.put(settable.has(one) ? this.#appearances.make(one.widget, texts) : one.made);
    }
    texts.finish();
  }
}
