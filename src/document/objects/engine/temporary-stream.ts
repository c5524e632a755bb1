// Lets MuPDF read a stream that the document does not contain.
import type { MupdfDocument } from "../../engines/mupdf/document.ts";
import { MupdfError } from "../../engines/mupdf/instance/mupdf.ts";
import type { Dictionary } from "../values.ts";
import { EngineValues } from "./engine-values.ts";

/**
 * Runs work while the document contains a stream.
 * @param bytes filtered as the dictionary states
 * @param work receives the number of the stream
 * @returns undefined if MuPDF cannot take the stream
 */
export function withStream<T>(
  { engine, pointer }: MupdfDocument,
  dictionary: Dictionary,
  bytes: Uint8Array,
  work: (number: number) => T,
): T | undefined {
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
    engine.complain(error.message);
    return undefined;
  } finally {
    if (number !== 0) engine.release(() => values.write(number, null));
  }
}
