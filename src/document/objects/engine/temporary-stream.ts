// Lets MuPDF read a stream that the document does not contain.
import { EngineFailure } from "../../contract/failure.ts";
import type { MupdfDocument } from "../../engines/mupdf/document.ts";
import { decodeImage } from "../../engines/mupdf/image.ts";
import { MupdfError } from "../../engines/mupdf/instance/mupdf.ts";
import type { Dictionary } from "../values.ts";
import { EngineValues } from "./engine-values.ts";

/**
 * Runs work while the document contains a stream.
 * @param bytes filtered as the dictionary states
 * @param work receives the number of the stream
 * @throws EngineFailure `damaged` if MuPDF cannot take the stream
 */
export function withStream<T>(
  { engine, pointer }: MupdfDocument,
  dictionary: Dictionary,
  bytes: Uint8Array,
  work: (number: number) => T,
): T {
  const values = new EngineValues(engine, pointer);
  let number = 0;
  try {
    engine.run((raw) => {
      number = raw._wasm_pdf_create_object(pointer);
      values.writeStream(number, dictionary, bytes, true);
    });
    return work(number);
  } catch (error) {
    if (!(error instanceof MupdfError)) throw error;
    throw new EngineFailure("damaged", error.message, { cause: error });
  } finally {
    if (number !== 0) engine.release(() => values.write(number, null));
  }
}

/**
 * Converts samples to RGB, as MuPDF does when it draws them.
 * @param image the properties of an image with these uncompressed samples
 * @returns undefined if MuPDF cannot read the color space
 */
export function toRgb(document: MupdfDocument, image: Dictionary, samples: Uint8Array): Uint8Array | undefined {
  return withStream(document, image, samples, (number) => decodeImage(document, number, "rgb")?.samples);
}
