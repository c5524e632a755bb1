// Converts colors with MuPDF, and decodes samples that the document need not contain.
import { EngineFailure } from "../../contract/failure.ts";
import type { MupdfDocument } from "../../engines/mupdf/document.ts";
import { type DecodedImage, decodeImage } from "../../engines/mupdf/image.ts";
import { MupdfError } from "../../engines/mupdf/instance/mupdf.ts";
import { Dictionary, Name, type Value } from "../values.ts";
import { ColorSpaces, type EngineSpace } from "./color-spaces.ts";
import { decodeJpx, type JpxSize } from "./jpx-decoding.ts";
import { toRgb, withStream } from "./temporary-stream.ts";

export class EngineColors {
  readonly #document: MupdfDocument;
  readonly #afterUse: () => void;
  #spaces: ColorSpaces | undefined;

  /** @param afterUse called after the engine's heap might have grown */
  constructor(document: MupdfDocument, afterUse: () => void) {
    this.#document = document;
    this.#afterUse = afterUse;
  }

  /**
   * Decodes an image in its own color space.
   * @param bytes filtered as the dictionary states
   * @returns undefined if MuPDF cannot decode it
   * @throws EngineFailure `too-large`
   */
  decode(image: Dictionary, bytes: Uint8Array): DecodedImage | undefined {
    return this.#tried(() => withStream(this.#document, image, bytes, (number) => decodeImage(this.#document, number)));
  }

  /** @returns undefined if MuPDF cannot decode the data */
  readonly decodeJpx = (bytes: Uint8Array, size: JpxSize, channels: number): DecodedImage | undefined =>
    decodeJpx(this.#document, bytes, size, channels);

  /** Converts uncompressed samples to RGB, as MuPDF does to draw them. @returns undefined if it cannot */
  readonly toRgb = (image: Dictionary, samples: Uint8Array) => toRgb(this.#document, image, samples);

  /** Returns the color space that a value of the document defines. @param key equal for equal spaces */
  spaceOf(key: string, value: Value): EngineSpace {
    const image = Dictionary.of({
      ...{ Type: Name.of("XObject"), Subtype: Name.of("Image"), Width: 1, Height: 1 },
      ...{ BitsPerComponent: 8, ColorSpace: value },
    });
    return { key, is: (work) => withStream(this.#document, image, new Uint8Array(1), work) };
  }

  /**
   * Converts 8-bit samples between color spaces; see {@link ColorSpaces.convert}.
   * @returns undefined if a color space is invalid, or a profile cannot be used
   * @throws EngineFailure `too-large`
   */
  convert(samples: Uint8Array, from: EngineSpace, to: EngineSpace): Uint8Array | undefined {
    const spaces = this.#spaces?.isCurrent ? this.#spaces : new ColorSpaces(this.#document);
    this.#spaces = spaces;
    return this.#tried(() => spaces.convert(samples, from, to));
  }

  #tried<T>(work: () => T): T | undefined {
    const { engine } = this.#document;
    const isShort = engine.shortage();
    let made: T | undefined;
    try {
      made = work();
    } catch (error) {
      const isOfDocument = error instanceof EngineFailure && error.reason === "damaged";
      if (!isOfDocument && !(error instanceof MupdfError)) throw error;
      engine.complain();
    }
    this.#afterUse();
    if (made === undefined && isShort())
      throw new EngineFailure("too-large", "the engine lacks the memory for an image");
    return made;
  }
}
