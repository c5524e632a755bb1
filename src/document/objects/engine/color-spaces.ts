// Converts samples between color spaces with MuPDF's color management (lcms): relative colorimetric, with black point
// compensation.
import type { MupdfDocument } from "../../engines/mupdf/document.ts";
import type { Mupdf } from "../../engines/mupdf/instance/mupdf.ts";
import type { MupdfExports, Pointer } from "../../engines/mupdf/instance/raw.ts";

/** Maximum number of cached color spaces, each with its profile. */
const MAX_SPACES = 32;
/** Width of the pixmaps for many samples, and the pixels that are converted at once. */
const ROW_PIXELS = 2 ** 12;
const PIECE_PIXELS = 2 ** 20;

/** `lab` has samples of L * 2.55, a + 128 and b + 128. */
export type EngineDevice = "gray" | "rgb" | "cmyk" | "lab";

/** Calls `work` with the number of an image object. */
type WithImage = (work: (number: number) => Pointer) => Pointer;

/** A color space: of the engine, of an ICC profile, or of an image of the document. */
export interface EngineSpace {
  /** Equal for equal spaces. */
  readonly key: string;
  readonly is: EngineDevice | Uint8Array | WithImage;
}

/** The color spaces of one engine. */
export class ColorSpaces {
  readonly #document: MupdfDocument;
  readonly #engine: Mupdf;
  readonly #spaces = new Map<string, Pointer>();

  constructor(document: MupdfDocument) {
    this.#document = document;
    this.#engine = document.engine;
  }

  /** False if the document has another engine now. */
  get isCurrent(): boolean {
    return this.#engine === this.#document.engine;
  }

  /**
   * @param samples 8-bit samples of whole pixels
   * @throws MupdfError if a color space is invalid, or a profile cannot be used
   */
  convert(samples: Uint8Array, from: EngineSpace, to: EngineSpace): Uint8Array {
    if (this.#spaces.size > MAX_SPACES) this.#drop();
    const [source, target] = [this.#pointer(from), this.#pointer(to)];
    const [channels, made] = this.#engine.run((raw) =>
      [source, target].map((space) => raw._wasm_colorspace_get_n(space)),
    ) as [number, number];
    const converted = new Uint8Array((samples.length / channels) * made);
    for (let at = 0; at < samples.length; at += PIECE_PIXELS * channels) {
      const piece = samples.subarray(at, at + PIECE_PIXELS * channels);
      converted.set(this.#converted(piece, channels, source, target), (at / channels) * made);
    }
    return converted;
  }

  #pointer({ key, is }: EngineSpace): Pointer {
    const known = this.#spaces.get(key);
    if (known !== undefined) return known;
    const made =
      typeof is === "function"
        ? is((number) => this.#engine.run((raw) => this.#ofImage(raw, number)))
        : this.#engine.run((raw) =>
            is instanceof Uint8Array
              ? this.#ofProfile(raw, is)
              : raw._wasm_keep_colorspace(raw[`_wasm_device_${is}`]()),
          );
    this.#spaces.set(key, made);
    return made;
  }

  #ofImage(raw: MupdfExports, number: number): Pointer {
    const { pointer } = this.#document;
    const reference = raw._wasm_pdf_new_indirect(pointer, number);
    try {
      const image = raw._wasm_pdf_load_image(pointer, reference);
      const space = raw._wasm_keep_colorspace(raw._wasm_image_get_colorspace(image));
      raw._wasm_drop_image(image);
      return space;
    } finally {
      raw._wasm_pdf_drop_obj(reference);
    }
  }

  #ofProfile(raw: MupdfExports, profile: Uint8Array): Pointer {
    const copy = raw._wasm_malloc(profile.length);
    raw.HEAPU8.set(profile, copy);
    const buffer = raw._wasm_new_buffer_from_data(copy, profile.length);
    try {
      return raw._wasm_new_icc_colorspace(0, buffer);
    } finally {
      raw._wasm_drop_buffer(buffer);
    }
  }

  #converted(samples: Uint8Array, channels: number, source: Pointer, target: Pointer): Uint8Array {
    const pixels = samples.length / channels;
    const width = Math.min(pixels, ROW_PIXELS);
    const height = Math.ceil(pixels / width);
    let [pixmap, made]: Pointer[] = [0, 0];
    try {
      return this.#engine.run((raw) => {
        pixmap = raw._wasm_new_pixmap_with_bbox(source, this.#engine.floats(0, 0, width, height), 0);
        raw.HEAPU8.set(samples, raw._wasm_pixmap_get_samples(pixmap));
        made = raw._wasm_convert_pixmap(pixmap, target, 0);
        const start = raw._wasm_pixmap_get_samples(made);
        return raw.HEAPU8.slice(start, start + pixels * raw._wasm_pixmap_get_n(made));
      });
    } finally {
      this.#engine.release((raw) => {
        for (const one of [pixmap, made]) if (one) raw._wasm_drop_pixmap(one);
      });
    }
  }

  #drop(): void {
    this.#engine.release((raw) => {
      for (const space of this.#spaces.values()) raw._wasm_drop_colorspace(space);
    });
    this.#spaces.clear();
  }
}
