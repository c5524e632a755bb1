// Draws one page of a PDF as a Raster: interprets the page into a display list, then draws the list band by band into
// one pixmap.

import { EngineFailure } from "../../contract/failure.ts";
import type { Band, ColorModel, Raster } from "../../contract/raster.ts";
import { Canvas, DRAWN_BYTES } from "./canvas.ts";
import type { MupdfDocument } from "./document.ts";
import { Glyphs, SHOWN } from "./glyphs.ts";
import { DRAWING_FUEL, type FuelBudget, type Mupdf, MupdfError } from "./instance/mupdf.ts";
import type { MupdfExports, Pointer } from "./instance/raw.ts";
import type { Smoothing } from "./smoothing.ts";
import type { MarkPage } from "./structure/content-elements.ts";
import type { StructureNode } from "./structure/document-structure.ts";
import { destinationOf } from "./structure/outline.ts";
import { readTextOfContents, readTextOfList, type TextLine } from "./text.ts";

const CROP_BOX = 1;
const POINTS_PER_INCH = 72;
/** Bytes per band. Fewer bands are faster, but each nested transparency group needs as much memory as a band. */
const BAND_BYTES = 4 * 1024 * 1024;
/** Maximum fuel per pixel, in addition to the fuel of the page: scanned pages use 30, most pages less than 1. */
const FUEL_PER_PIXEL = 64;
/** Maximum fuel to read the text of a page. Pages of real documents use up to 120 million. */
const READING_FUEL = 500_000_000;
/** Divisor of the band height for a retry after memory was insufficient. */
const SHRINK = 8;

/** MuPDF's messages when it stops interpreting a page because of its own limits. */
const LIMITS_MET = /too many nested graphics states|nesting too deep/;

const EVERY_PART = ["contents", "annots", "widgets"] as const;
type PagePart = (typeof EVERY_PART)[number];

/** Maximum number of links that are read. */
const MAX_LINKS = 10_000;

/** A link on a page. */
export interface PageLink {
  /** Address, or a place in the document: `#page=2&left=72&top=90`, in points from the upper left corner of the page. */
  readonly uri: string;
  readonly bounds: readonly [left: number, top: number, right: number, bottom: number];
}

function addressOf(raw: MupdfExports, document: Pointer, uri: Pointer): string {
  const text = raw.UTF8ToString(uri);
  const place = text.startsWith("#") ? destinationOf(raw, document, uri) : undefined;
  if (!place) return text;
  const { page, ...rest } = place;
  const known = Object.entries(rest).filter(([, value]) => Number.isFinite(value));
  return `#page=${page}${known.map(([name, value]) => `&${name}=${value.toFixed(1)}`).join("")}`;
}

/** Size in pixels or points. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Converts a size in points to pixels. Each side is at least 1. */
export function pixelsOf({ width, height }: Size, dpi: number): Size {
  const side = (points: number) => Math.max(1, Math.round((points * dpi) / POINTS_PER_INCH));
  return { width: side(width), height: side(height) };
}

/** The part of a page to draw. */
export interface View extends Size {
  /**
   * Maps points from the top left corner of the page to pixels: a, b, c, d, e, f. Views with equal matrices share one
   * pixel grid.
   */
  readonly matrix: readonly [number, number, number, number, number, number];
  /** Position of the raster's top left pixel in the pixel grid. */
  readonly left: number;
  readonly top: number;
}

export interface RasterOptions {
  readonly colorModel: ColorModel;
  /** Resolution that the image file states. Without a view, also the resolution of the raster. */
  readonly dpi: number;
  /** @default the whole page at `dpi` */
  readonly view?: View;
  /** @default {@link BAND_BYTES} */
  readonly bandBytes?: number;
  /** @default everything is smoothed */
  readonly smoothing?: Smoothing | undefined;
  /** Multiple of the usual fuel for all bands. @default 1 */
  readonly effort?: number;
  /** Checked before each band. */
  readonly signal?: AbortSignal;
}

/** Returns the fuel to read the text of a page. */
export const readingTank = (engine: Mupdf): FuelBudget => engine.tank(READING_FUEL - DRAWING_FUEL);

/** One page. Its rasters are readable until {@link close}. */
export class MupdfPage implements Disposable {
  /** Width of the crop box in points, after rotation and UserUnit. */
  readonly width: number;
  readonly height: number;
  readonly #document: MupdfDocument;
  readonly #index: number;
  #page: Pointer = 0;
  #list: Pointer = 0;
  /** Fuel shared by all attempts to interpret or read the page. */
  readonly #tank: FuelBudget;
  #bounds: readonly number[] = [];
  #closed = false;

  /**
   * @param index from 0
   * @param tank fuel to interpret and read the page. @default that of drawing
   * @throws EngineFailure `damaged` if the page cannot be loaded; any failure of the engine
   */
  constructor(document: MupdfDocument, index: number, tank = document.engine.tank()) {
    this.#document = document;
    this.#index = index;
    this.#tank = tank;
    this.#load();
    const [left = 0, top = 0, right = 0, bottom = 0] = this.#bounds;
    this.width = right - left;
    this.height = bottom - top;
  }

  /** Returns the size in pixels at a resolution. Each side is at least 1. */
  pixels(dpi: number): Size {
    return pixelsOf(this, dpi);
  }

  raster(options: RasterOptions): Raster {
    const { colorModel, dpi } = options;
    const view = options.view ?? this.whole(dpi);
    const bands = (order?: "top-down" | "bottom-up") => this.#bands(view, options, order === "bottom-up");
    const raster = { width: view.width, height: view.height, dpi, colorModel, bands };
    return colorModel === "cmyk" ? { ...raster, iccProfile: this.#document.engine.cmykProfile() } : raster;
  }

  /**
   * Returns the text of the page, visible or not, including text of annotations.
   * @param options MuPDF's options, see text.ts
   * @throws EngineFailure for the same reasons as drawing
   */
  text(options = ""): readonly TextLine[] {
    const { engine } = this.#document;
    const tank = this.#tank;
    const ofList = (...parts: readonly PagePart[]): readonly TextLine[] => {
      const list = this.#interpret(...parts);
      try {
        return readTextOfList(engine, list, tank, options);
      } finally {
        engine.release((raw) => raw._wasm_drop_display_list(list));
      }
    };
    try {
      return [...this.#textOfContents(ofList, options), ...ofList("annots", "widgets")];
    } catch (error) {
      throw this.#document.failure(error, "damaged");
    }
  }

  /**
   * Returns the glyphs of the page contents and of annotations, visible or not.
   * @throws EngineFailure for the same reasons as drawing, and `too-complex` if there are too many
   */
  glyphs(options = SHOWN): Glyphs {
    const { engine } = this.#document;
    const glyphs = new Glyphs(options);
    const ofList = (...parts: readonly PagePart[]) => {
      const list = this.#interpret(...parts);
      try {
        glyphs.readList(engine, list, this.#tank);
      } finally {
        engine.release((raw) => raw._wasm_drop_display_list(list));
      }
    };
    try {
      if (!glyphs.readContents(engine, this.#page, this.#tank)) ofList("contents");
      glyphs.contentCount = glyphs.count;
      if (this.#hasAnnotations()) ofList("annots", "widgets");
      return glyphs;
    } catch (error) {
      throw this.#document.failure(error, "damaged");
    }
  }

  /**
   * Returns the elements of the structure tree that have content on the page; {@link glyphs} then states the identifiers
   * of this content.
   * @returns undefined if the page has none, or they cannot be read
   */
  structure(mark: MarkPage): StructureNode | undefined {
    const { engine, structure } = this.#document;
    if (!structure) return undefined;
    try {
      return structure.read(this.#object(), mark, this.#tank);
    } catch (error) {
      if (!(error instanceof MupdfError)) throw this.#document.failure(error, "damaged");
      engine.complain();
      return undefined;
    }
  }

  /** Makes {@link glyphs} ignore the structure tree again. */
  forgetStructure(): void {
    this.#document.structure?.forget(this.#object());
  }

  #object(): Pointer {
    const { engine, pointer } = this.#document;
    return engine.run((raw) => raw._wasm_pdf_lookup_page_obj(pointer, this.#index));
  }

  #hasAnnotations(): boolean {
    return this.#document.engine.run((raw) => {
      const page = raw._wasm_pdf_page_from_fz_page(this.#page);
      return raw._wasm_pdf_first_annot(page) !== 0 || raw._wasm_pdf_first_widget(page) !== 0;
    });
  }

  /** Returns the links of the page: their targets, and bounds in the space of {@link glyphs}. */
  links(): readonly PageLink[] {
    const { engine } = this.#document;
    const links: PageLink[] = [];
    let first: Pointer = 0;
    try {
      first = engine.run((raw) => raw._wasm_load_links(this.#page), this.#tank);
      engine.run((raw) => {
        for (let link = first; link !== 0 && links.length < MAX_LINKS; link = raw._wasm_link_get_next(link)) {
          const at = raw._wasm_link_get_rect(link) >> 2;
          const [left, top, right, bottom] = raw.HEAPF32.subarray(at, at + 4);
          const uri = raw._wasm_link_get_uri(link);
          if (uri === 0) continue;
          const bounds = [left!, top!, right!, bottom!] as const;
          links.push({ uri: addressOf(raw, this.#document.pointer, uri), bounds });
        }
      });
    } catch (error) {
      if (!(error instanceof MupdfError)) throw error;
      engine.complain();
    } finally {
      if (first !== 0) engine.release((raw) => raw._wasm_drop_link(first));
    }
    return links;
  }

  /** Left and upper edge of the page in the space of {@link glyphs}. */
  get origin(): readonly [left: number, top: number] {
    return [this.#bounds[0] ?? 0, this.#bounds[1] ?? 0];
  }

  /** The matrix from user space to the space of {@link glyphs}. */
  get transform(): View["matrix"] {
    return this.#document.engine.run((raw) => {
      const matrix = raw._wasm_pdf_page_transform(raw._wasm_pdf_page_from_fz_page(this.#page)) >> 2;
      return [...raw.HEAPF32.subarray(matrix, matrix + 6)] as unknown as View["matrix"];
    });
  }

  /**
   * Reads the text of the page contents. After an error, reads it from a display list instead, which omits objects with
   * errors.
   */
  #textOfContents(ofList: (part: PagePart) => readonly TextLine[], options: string): readonly TextLine[] {
    try {
      return readTextOfContents(this.#document.engine, this.#page, this.#tank, options);
    } catch (error) {
      if (!(error instanceof MupdfError)) throw error;
      return ofList("contents");
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unload();
  }

  #load(): void {
    const { engine } = this.#document;
    try {
      this.#page = this.#document.loadPage(this.#index);
      engine.run((raw) => {
        const bounds = raw._wasm_bound_page(this.#page, CROP_BOX) >> 2;
        this.#bounds = Array.from(raw.HEAPF32.subarray(bounds, bounds + 4));
      });
    } catch (error) {
      throw this.#document.failure(error, "damaged");
    }
  }

  #unload(): void {
    const page = this.#page;
    this.#page = 0;
    this.#document.engine.release((raw) => raw._wasm_drop_page(page));
    this.#dropList();
  }

  #dropList(): void {
    const list = this.#list;
    this.#list = 0;
    this.#document.engine.release((raw) => raw._wasm_drop_display_list(list));
  }

  /**
   * Interprets the page. MuPDF reports and omits objects with errors.
   * @returns a display list
   * @throws EngineFailure `too-complex` if MuPDF stopped at one of its own limits, so that the rest of the page is
   * missing
   */
  #interpret(...parts: readonly PagePart[]): Pointer {
    const { engine } = this.#document;
    const bounds = this.#bounds;
    const list = engine.run((raw) => raw._wasm_new_display_list(engine.floats(...bounds)));
    const device = engine.run((raw) => raw._wasm_new_display_list_device(list));
    const page = this.#page;
    const steps = [
      ...parts.map((part) => () => engine.raw[`_wasm_run_page_${part}`](page, device, engine.identity())),
      () => engine.raw._wasm_close_device(device),
      () => engine.raw._wasm_drop_device(device),
    ];
    let limit: MupdfError | undefined;
    for (const step of steps) {
      try {
        engine.run(step, this.#tank);
      } catch (error) {
        if (!(error instanceof MupdfError)) throw error;
        engine.complain();
        if (LIMITS_MET.test(error.message)) limit = error;
      }
    }
    if (!limit) return list;
    engine.release((raw) => raw._wasm_drop_display_list(list));
    throw new EngineFailure("too-complex", limit.message, { cause: limit });
  }

  /** Returns the view of the whole page at a resolution. */
  whole(dpi: number): View {
    const { width, height } = this.pixels(dpi);
    return { width, height, left: 0, top: 0, matrix: [width / this.width, 0, 0, height / this.height, 0, 0] };
  }

  *#bands(view: View, options: RasterOptions, bottomUp: boolean): Generator<Band> {
    const { width, height } = view;
    const { colorModel, signal, bandBytes = BAND_BYTES, effort = 1 } = options;
    const { engine } = this.#document;
    const [left = 0, upper = 0] = this.#bounds;
    const [a, b, c, d, e, f] = view.matrix;
    const { fuel } = engine.tank(width * height * FUEL_PER_PIXEL);
    const tank = { fuel: fuel * effort };
    let rows = Math.min(height, Math.max(1, Math.floor(bandBytes / (width * DRAWN_BYTES[colorModel]))));
    const canvas = new Canvas(engine, colorModel, width, options.smoothing);
    const matrix = [a, b, c, d, e - left * a - upper * c, f - left * b - upper * d];
    try {
      for (let done = 0; done < height; ) {
        signal?.throwIfAborted();
        if (this.#closed) throw new Error("the page has been closed");
        const count = Math.min(rows, height - done);
        const top = bottomUp ? height - done - count : done;
        const samples = this.#withMemory(() => {
          if (this.#list === 0) this.#list = this.#interpret(...EVERY_PART);
          return canvas.draw(this.#list, { left: view.left, top: view.top + top }, count, matrix, tank);
        });
        if (samples) {
          yield { top, rows: count, samples };
          done += count;
        } else {
          if (rows === 1) throw new EngineFailure("too-large", "the heap limit was reached while drawing");
          canvas.close();
          this.#dropList();
          // Frees cached fonts and images of earlier pages. They stay until now because drawing a book with them takes
          // a seventh of the time.
          engine.release((raw) => raw._wasm_empty_store());
          rows = Math.ceil(rows / SHRINK);
        }
      }
    } finally {
      canvas.close();
    }
  }

  /** @returns undefined if memory was refused, and objects are probably missing for that reason */
  #withMemory<T>(work: () => T): T | undefined {
    const shortage = this.#document.engine.shortage();
    try {
      const result = work();
      return shortage() ? undefined : result;
    } catch (error) {
      if (!(error instanceof MupdfError)) throw error;
      this.#document.engine.complain();
      if (shortage()) return undefined;
      throw this.#document.failure(error, "damaged");
    }
  }
}
