// Removes what the Redact annotations of pages cover (ISO 32000-2, 12.5.6.23).
import { EngineFailure } from "../../contract/failure.ts";
import { MupdfDocument } from "./document.ts";
import { Mupdf, MupdfError } from "./instance/mupdf.ts";

const NO_BOXES = 0;
const CLEAR_PIXELS = 2;
const REMOVE_COVERED_PATHS = 1;
const REMOVE_TEXT = 0;
/** Fuel per byte of the document, in addition to the base fuel: each byte is read, decoded and written. */
const FUEL_PER_BYTE = 200;

/**
 * Returns a copy of the document without what its Redact annotations cover, and without these annotations.
 * @param indexes the pages that have such annotations, from 0
 * @throws EngineFailure
 */
export async function withoutMarkedContent(
  bytes: Uint8Array,
  heapLimitBytes: number,
  indexes: Iterable<number>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const options = { heapLimitBytes };
  const engine = await Mupdf.create(options);
  try {
    const document = MupdfDocument.open(engine, bytes, options);
    try {
      for (const index of indexes) {
        signal.throwIfAborted();
        redact(document, index);
      }
      return save(document);
    } catch (error) {
      throw document.failure(error, "damaged");
    }
  } finally {
    engine.close();
  }
}

function redact({ engine, pointer }: MupdfDocument, index: number): void {
  // Not loaded by the document, which would correct the page for drawing.
  const page = engine.run((raw) => raw._wasm_load_page(pointer, index));
  const isShort = engine.shortage();
  try {
    engine.run((raw) => {
      const own = raw._wasm_pdf_page_from_fz_page(page);
      raw._wasm_pdf_redact_page(own, NO_BOXES, CLEAR_PIXELS, REMOVE_COVERED_PATHS, REMOVE_TEXT);
    });
    if (isShort()) throw new EngineFailure("too-large", "a redacted page lacks memory");
  } catch (error) {
    if (error instanceof MupdfError) throw new EngineFailure("too-complex", error.message, { cause: error });
    throw error;
  } finally {
    engine.release((raw) => raw._wasm_drop_page(page));
  }
}

function save({ engine, pointer, bytes }: MupdfDocument): Uint8Array {
  return engine.run(
    (raw) => {
      const buffer = engine.withText("", (options) => raw._wasm_pdf_write_document_buffer(pointer, options));
      const start = raw._wasm_buffer_get_data(buffer);
      return raw.HEAPU8.slice(start, start + raw._wasm_buffer_get_len(buffer));
    },
    engine.tank(bytes.length * FUEL_PER_BYTE),
  );
}
