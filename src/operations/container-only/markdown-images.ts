// The images of a Markdown text: those that came with the request, and their alternative texts.

import { OutOfRange } from "../../document/contract/failure.ts";
import { countedNotices, type Notice } from "../../document/contract/notice.ts";
import type { Input } from "../../document/contract/operation.ts";
import { IMAGE_DATA, imageUrl } from "../../document/texts/images.ts";
import type { Sanitizing } from "../../document/texts/sanitize.ts";
import type { StructuredTextOptions } from "../to-pdf/structured-text-options.ts";

type MarkdownOptions = NonNullable<StructuredTextOptions["markdown"]>;

const PARAMETER = "structured_text_options.markdown";

export class MarkdownImages implements Sanitizing {
  readonly #urls: ReadonlyMap<string, string>;
  readonly #options: MarkdownOptions;
  #notLoaded = 0;
  #withoutText = 0;

  private constructor(urls: ReadonlyMap<string, string>, options: MarkdownOptions) {
    this.#urls = urls;
    this.#options = options;
  }

  /** @throws OutOfRange for an image that was not sent, or cannot be shown */
  static async of(inputs: readonly Input[], options: MarkdownOptions): Promise<MarkdownImages> {
    const urls = new Map<string, string>();
    for (const input of inputs) {
      const url = imageUrl(await input.bytes());
      if (url !== undefined) urls.set(input.name.toLowerCase(), url);
    }
    for (const [target, source] of Object.entries(options.image_sources ?? {})) {
      const [member, index] = Object.entries(source)[0]!;
      const input = inputs[index];
      const path = `${PARAMETER}.image_sources.${target}.${member}`;
      if (!input) throw new OutOfRange(path, String(index), `The request has ${inputs.length} images.`);
      const url = urls.get(input.name.toLowerCase());
      if (url === undefined)
        throw new OutOfRange(path, String(index), `${input.name} is no image that Markdown can show.`);
      urls.set(target, url);
    }
    return new MarkdownImages(urls, options);
  }

  /** @throws OutOfRange for an image without an alternative text, if the client requires one */
  image(source: string, alt: string | undefined): { readonly source: string; readonly alt?: string } | undefined {
    const text = this.#options.image_alt_text?.[source] ?? alt ?? "";
    if (text === "") this.#missing(source);
    const url = IMAGE_DATA.test(source) ? source : this.#urlOf(source);
    if (url === undefined) this.#notLoaded++;
    return url === undefined ? undefined : { source: url, alt: text };
  }

  /** Returns the image of this target, or the one with its file name. */
  #urlOf(source: string): string | undefined {
    const name =
      source
        .replace(/[?#].*$/s, "")
        .split("/")
        .at(-1) ?? "";
    return this.#urls.get(source) ?? this.#urls.get(decoded(name).toLowerCase());
  }

  #missing(source: string): void {
    if (this.#options.missing_image_alt_text === "fail") {
      const shown = source.startsWith("data:") ? "An image" : `The image ${source.slice(0, 100)}`;
      throw new OutOfRange(`${PARAMETER}.missing_image_alt_text`, "fail", `${shown} has no alternative text.`);
    }
    if (this.#options.missing_image_alt_text !== "artifact") this.#withoutText++;
  }

  /** @param tagged true if the PDF has tags, for which alternative texts matter */
  notices(tagged: boolean): readonly Notice[] {
    const isAsked = this.#options.missing_image_alt_text === "warn";
    return [
      ...countedNotices("images-not-loaded", this.#notLoaded),
      ...(tagged || isAsked ? countedNotices("alternative-texts-missing", this.#withoutText) : []),
    ];
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
