// Shapes text with HarfBuzz: characters of a font become positioned glyphs. Each job has its own instance of the module,
// which is dropped with the job. Fonts are this service's own, so the work of a text is limited by its length.
import module from "#wasm/harfbuzz.wasm";
import { EngineFailure } from "../../contract/failure.ts";

/** A glyph at its place in a run, in font units. */
export interface ShapedGlyph {
  readonly glyph: number;
  /** Index of the first UTF-16 unit of the characters that the glyph belongs to. */
  readonly cluster: number;
  readonly advance: number;
  readonly dx: number;
  readonly dy: number;
}

/** A part of a text with one font, script and direction. */
export interface ShapedPart {
  /** The whole text, whose characters around the part can change its glyphs. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isRightToLeft: boolean;
}

type Call = (...values: number[]) => number;
type Exports = Readonly<Record<string, Call>> & { readonly memory: WebAssembly.Memory };

const PAGE_BYTES = 65_536;
/** Enough for the emoji font, of 11 MiB, or for dozens of other fonts. */
const LIMIT_BYTES = 24 * 2 ** 20;
/** Constants of hb.h. */
const [LEFT_TO_RIGHT, RIGHT_TO_LEFT, READ_ONLY] = [4, 5, 1];
/** Words of hb_glyph_info_t and of hb_glyph_position_t; of hb_font_extents_t; of hb_glyph_extents_t. */
const [GLYPH_WORDS, EXTENT_WORDS, GLYPH_EXTENT_WORDS] = [5, 12, 4];

export class HarfBuzz {
  readonly #calls: Exports;
  readonly #buffer: number;
  /** Receives lengths and extents. */
  readonly #scratch: number;

  constructor() {
    const fail = (): never => {
      throw new EngineFailure("crashed", "HarfBuzz stopped");
    };
    const grow = (bytes: number): number => {
      const { memory } = this.#calls;
      if (bytes >>> 0 > LIMIT_BYTES) return 0;
      memory.grow(Math.ceil((bytes >>> 0) / PAGE_BYTES) - memory.buffer.byteLength / PAGE_BYTES);
      return 1;
    };
    const { exports } = new WebAssembly.Instance(module, {
      wasi_snapshot_preview1: { proc_exit: fail },
      env: {
        _emscripten_runtime_keepalive_clear: () => {},
        _abort_js: fail,
        _setitimer_js: () => 0,
        emscripten_resize_heap: grow,
      },
    });
    this.#calls = exports as Exports;
    this.#call("__wasm_call_ctors");
    this.#buffer = this.#call("hb_buffer_create");
    this.#scratch = this.#allocate(EXTENT_WORDS * 4);
  }

  /** Opens a font file. */
  open(bytes: Uint8Array): Typeface {
    const blob = this.#call("hb_blob_create", this.#copy(bytes), bytes.length, READ_ONLY, 0, 0);
    const face = this.#call("hb_face_create", blob, 0);
    const font = this.#call("hb_font_create", face);
    this.#call("hb_font_get_h_extents", font, this.#scratch);
    const [ascent = 0, descent = 0, gap = 0] = this.#words(this.#scratch, EXTENT_WORDS);
    return {
      unitsPerEm: this.#call("hb_face_get_upem", face),
      lines: { ascent, descent: -descent, gap },
      glyphOf: (character) =>
        this.#call("hb_font_get_nominal_glyph", font, character, this.#scratch) === 0
          ? undefined
          : this.#words(this.#scratch, 1)[0]!,
      advance: (glyph) => this.#call("hb_font_get_glyph_h_advance", font, glyph),
      extent: (glyph) => {
        if (this.#call("hb_font_get_glyph_extents", font, glyph, this.#scratch) === 0) return { above: 0, below: 0 };
        const [, top = 0, , height = 0] = this.#words(this.#scratch, GLYPH_EXTENT_WORDS);
        return { above: top, below: -(top + height) };
      },
      shape: (part) => this.#shape(font, part),
      picture: (glyph) => this.#picture(font, glyph),
    };
  }

  #shape(font: number, { text, start, end, isRightToLeft }: ShapedPart): ShapedGlyph[] {
    const units = Uint16Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
    const [place, buffer] = [this.#copy(new Uint8Array(units.buffer)), this.#buffer];
    this.#call("hb_buffer_reset", buffer);
    this.#call("hb_buffer_add_utf16", buffer, place, text.length, start, end - start);
    this.#call("free", place);
    this.#call("hb_buffer_guess_segment_properties", buffer);
    this.#call("hb_buffer_set_direction", buffer, isRightToLeft ? RIGHT_TO_LEFT : LEFT_TO_RIGHT);
    this.#call("hb_shape", font, buffer, 0, 0);
    const infos = this.#call("hb_buffer_get_glyph_infos", buffer, this.#scratch);
    const count = this.#words(this.#scratch, 1)[0]!;
    const positions = this.#call("hb_buffer_get_glyph_positions", buffer, this.#scratch);
    const [info, position] = [infos, positions].map((at) => this.#words(at, count * GLYPH_WORDS)) as [
      Int32Array,
      Int32Array,
    ];
    return Array.from({ length: count }, (_, index) => ({
      glyph: info[index * GLYPH_WORDS]!,
      cluster: info[index * GLYPH_WORDS + 2]!,
      advance: position[index * GLYPH_WORDS]!,
      dx: position[index * GLYPH_WORDS + 2]!,
      dy: position[index * GLYPH_WORDS + 3]!,
    }));
  }

  #picture(font: number, glyph: number): Uint8Array {
    const blob = this.#call("hb_ot_color_glyph_reference_png", font, glyph);
    const start = this.#call("hb_blob_get_data", blob, 0);
    const size = this.#call("hb_blob_get_length", blob);
    const bytes = new Uint8Array(this.#calls.memory.buffer, start, size).slice();
    this.#call("hb_blob_destroy", blob);
    return bytes;
  }

  #call(name: string, ...values: number[]): number {
    return this.#calls[name]!(...values);
  }

  #copy(bytes: Uint8Array): number {
    const place = this.#allocate(bytes.length);
    new Uint8Array(this.#calls.memory.buffer, place, bytes.length).set(bytes);
    return place;
  }

  /** @throws EngineFailure `too-large` */
  #allocate(bytes: number): number {
    const place = this.#call("malloc", Math.max(1, bytes));
    if (place === 0) throw new EngineFailure("too-large", `HarfBuzz needs ${bytes} bytes more`);
    return place;
  }

  #words(place: number, count: number): Int32Array {
    return new Int32Array(this.#calls.memory.buffer, place, count);
  }
}

/** An open font. Lengths are in font units. */
export interface Typeface {
  readonly unitsPerEm: number;
  /** Heights of a line above and below the baseline, and between lines. */
  readonly lines: { readonly ascent: number; readonly descent: number; readonly gap: number };
  /** Returns the glyph of a code point; undefined if the font has none. */
  glyphOf(character: number): number | undefined;
  advance(glyph: number): number;
  /** Returns how far a glyph reaches above and below the baseline. */
  extent(glyph: number): { readonly above: number; readonly below: number };
  /** Returns the glyphs of a part, from left to right. */
  shape(part: ShapedPart): ShapedGlyph[];
  /** Returns a glyph's PNG; no bytes if it has none. */
  picture(glyph: number): Uint8Array;
}
