// Reads the samples of an image XObject with MuPDF, for filters that have no decoder in this code base.

import type { MupdfDocument } from "./document.ts";
import { MupdfError } from "./instance/mupdf.ts";
import type { Pointer } from "./instance/raw.ts";

export interface DecodedImage {
  readonly width: number;
  readonly height: number;
  /** Components per pixel, 8 bits each. */
  readonly components: number;
  /** Samples, row by row without padding. */
  readonly samples: Uint8Array;
}

/**
 * Decodes an image, in its own color space or in RGB.
 * @returns undefined if MuPDF cannot decode it
 */
export function decodeImage(
  { engine, pointer }: MupdfDocument,
  number: number,
  colors: "own" | "rgb" = "own",
): DecodedImage | undefined {
  let image: Pointer = 0;
  let pixmap: Pointer = 0;
  let original: Pointer = 0;
  try {
    return engine.run((raw) => {
      const reference = raw._wasm_pdf_new_indirect(pointer, number);
      try {
        image = raw._wasm_pdf_load_image(pointer, reference);
      } finally {
        raw._wasm_pdf_drop_obj(reference);
      }
      pixmap = raw._wasm_get_pixmap_from_image(image);
      if (colors === "rgb") {
        original = pixmap;
        pixmap = 0;
        pixmap = raw._wasm_convert_pixmap(original, raw._wasm_device_rgb(), 0);
      }
      const [width, height] = [raw._wasm_pixmap_get_w(pixmap), raw._wasm_pixmap_get_h(pixmap)];
      const all = raw._wasm_pixmap_get_n(pixmap);
      const components = all - (raw._wasm_pixmap_get_alpha(pixmap) ? 1 : 0);
      const start = raw._wasm_pixmap_get_samples(pixmap);
      const stride = raw._wasm_pixmap_get_stride(pixmap);
      const samples = new Uint8Array(width * height * components);
      for (let y = 0, to = 0; y < height; y++) {
        const row = raw.HEAPU8.subarray(start + y * stride, start + y * stride + width * all);
        if (all === components) samples.set(row, to);
        else
          for (let at = 0; at < samples.length / height; at++)
            samples[to + at] = row[at + Math.floor(at / components)]!;
        to += width * components;
      }
      return { width, height, components, samples };
    });
  } catch (error) {
    if (!(error instanceof MupdfError)) throw error;
    engine.complain();
    return undefined;
  } finally {
    engine.release((raw) => {
      for (const one of [pixmap, original]) if (one !== 0) raw._wasm_drop_pixmap(one);
      if (image !== 0) raw._wasm_drop_image(image);
      // Frees MuPDF's cache, which includes the decoded image.
      raw._wasm_empty_store();
    });
  }
}
