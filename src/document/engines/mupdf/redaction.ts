// Removes what areas of pages cover: glyphs, pixels of images, and paths.
import { EngineFailure } from "../../contract/failure.ts";
import { yieldBetweenPages } from "../../contract/operation.ts";
import { MupdfDocument } from "./document.ts";
import { Mupdf, MupdfError } from "./instance/mupdf.ts";
import type { MupdfExports, Pointer } from "./instance/raw.ts";

/** Upper left, upper right, lower left and lower right corner, in user space. */
type Quad = readonly number[];

export interface CoveredAreas {
  /** Areas that touch the line box of each glyph to remove, and of no other glyph. */
  readonly ofText: readonly Quad[];
  /** Areas of pixels to remove. */
  readonly whole: readonly Quad[];
  /** Areas of paths to remove: each path that lies in one of them. */
  readonly ofPaths: readonly Quad[];
}

const REDACT_ANNOTATION = 12;
const NO_BOXES = 0;
const TEXT_ONLY = { images: 0, lineArt: 0, text: 0 };
const IMAGES_ONLY = { images: 2, lineArt: 0, text: 1 };
const PATHS_ONLY = { images: 0, lineArt: 1, text: 1 };
/** Number of pages that are loaded together: MuPDF reads the page tree again to load a page after a change. */
const PAGES_LOADED = 200;
/** Fuel per byte of the document, in addition to the base fuel: each byte is read, decoded and written. */
const FUEL_PER_BYTE = 200;

/**
 * Returns a copy of the document without what the areas cover.
 * @param areas by page index. The pages have no Redact annotations
 * @throws EngineFailure
 */
export async function withoutCoveredContent(
  bytes: Uint8Array,
  heapLimitBytes: number,
  areas: ReadonlyMap<number, CoveredAreas>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const options = { heapLimitBytes };
  const engine = await Mupdf.create(options);
  try {
    const document = MupdfDocument.open(engine, bytes, options);
    try {
      const waiting = [...areas];
      while (waiting.length > 0) {
        await redactPages(document, waiting.splice(0, PAGES_LOADED), signal);
      }
      return save(document);
    } catch (error) {
      throw document.failure(error, "damaged");
    }
  } finally {
    engine.close();
  }
}

async function redactPages(
  document: MupdfDocument,
  areas: readonly (readonly [index: number, covered: CoveredAreas])[],
  signal: AbortSignal,
): Promise<void> {
  const { engine, pointer } = document;
  const pages: Pointer[] = [];
  try {
    // Not loaded by the document, which would correct the pages for drawing.
    for (const [index] of areas) pages.push(engine.run((raw) => raw._wasm_load_page(pointer, index)));
    for (const [at, page] of pages.entries()) {
      await yieldBetweenPages({ index: at }, signal);
      const { ofText, whole, ofPaths } = areas[at]![1];
      redact(document, page, [
        { quads: ofText, methods: TEXT_ONLY },
        { quads: whole, methods: IMAGES_ONLY },
        { quads: ofPaths, methods: PATHS_ONLY },
      ]);
    }
  } finally {
    engine.release((raw) => {
      for (const page of pages) raw._wasm_drop_page(page);
    });
  }
}

interface Step {
  readonly quads: readonly Quad[];
  readonly methods: typeof TEXT_ONLY;
}

function redact({ engine, bytes }: MupdfDocument, page: Pointer, steps: readonly Step[]): void {
  const isShort = engine.shortage();
  try {
    for (const { quads, methods } of steps) {
      engine.run(
        (raw) => {
          const own = raw._wasm_pdf_page_from_fz_page(page);
          mark(engine, raw, own, quads);
          raw._wasm_pdf_redact_page(own, NO_BOXES, methods.images, methods.lineArt, methods.text);
        },
        engine.tank(bytes.length * FUEL_PER_BYTE),
      );
    }
    if (isShort()) throw new EngineFailure("too-large", "a redacted page lacks memory");
  } catch (error) {
    if (error instanceof MupdfError) throw new EngineFailure("too-complex", error.message, { cause: error });
    throw error;
  }
}

function mark(engine: Mupdf, raw: MupdfExports, page: Pointer, quads: readonly Quad[]): void {
  const matrix = raw._wasm_pdf_page_transform(page) >> 2;
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = raw.HEAPF32.slice(matrix, matrix + 6);
  const annotation = raw._wasm_pdf_create_annot(page, REDACT_ANNOTATION);
  for (const quad of quads) {
    const corners: number[] = [];
    for (let at = 0; at < 8; at += 2) {
      const [x, y] = [quad[at]!, quad[at + 1]!];
      corners.push(a * x + c * y + e, b * x + d * y + f);
    }
    raw._wasm_pdf_add_annot_quad_point(annotation, engine.floats(...corners));
  }
  raw._wasm_pdf_drop_annot(annotation);
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
