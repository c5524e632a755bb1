// HarfBuzz's subsetter as the package harfbuzzjs ships it, asked for what a PDF needs: glyphs keep their numbers, and
// tables that a PDF does not read go.
import { readFileSync } from "node:fs";

const WRITABLE = 2;
const GLYPH_NUMBERS_STAY = 0x02;
const NO_HINTS = 0x01;
const NOTDEF_STAYS = 0x40;
const NAMES_STAY = 0x80;
const NO_LAYOUT = 0x200;
const DROPPED_TABLES = 3;
const KEPT = ["CFF ", "cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "prep"];

type Call = (...values: number[]) => number;

export class HarfBuzz {
  readonly #memory: WebAssembly.Memory;
  readonly #calls: Readonly<Record<string, Call>>;

  private constructor(exports: WebAssembly.Exports) {
    this.#memory = exports.memory as WebAssembly.Memory;
    this.#calls = exports as Record<string, Call>;
  }

  static async load(place: string): Promise<HarfBuzz> {
    const { instance } = await WebAssembly.instantiate(readFileSync(place));
    const harfbuzz = new HarfBuzz(instance.exports);
    harfbuzz.#call("_initialize");
    return harfbuzz;
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** @returns undefined where it refuses */
  subset(bytes: Uint8Array, glyphs: Iterable<number>, { hints }: { readonly hints: boolean }): Uint8Array | undefined {
    const input = this.#call("hb_subset_input_create_or_fail");
    const copy = this.#call("malloc", bytes.length);
    new Uint8Array(this.#memory.buffer).set(bytes, copy);
    const blob = this.#call("hb_blob_create", copy, bytes.length, WRITABLE, 0, 0);
    const face = this.#call("hb_face_create", blob, 0);
    const flags = GLYPH_NUMBERS_STAY | NOTDEF_STAYS | NAMES_STAY | NO_LAYOUT | (hints ? 0 : NO_HINTS);
    this.#call("hb_subset_input_set_flags", input, flags);
    const dropped = this.#call("hb_subset_input_set", input, DROPPED_TABLES);
    this.#call("hb_set_clear", dropped);
    this.#call("hb_set_invert", dropped);
    for (const tag of KEPT) this.#call("hb_set_del", dropped, Buffer.from(tag, "latin1").readInt32BE());
    const wanted = this.#call("hb_subset_input_glyph_set", input);
    for (const glyph of glyphs) this.#call("hb_set_add", wanted, glyph);
    const made = this.#call("hb_subset_or_fail", face, input);
    const result = made === 0 ? undefined : this.#bytesOf(made);
    this.#call("hb_subset_input_destroy", input);
    for (const one of [made, face]) if (one !== 0) this.#call("hb_face_destroy", one);
    this.#call("hb_blob_destroy", blob);
    this.#call("free", copy);
    return result?.length === 0 ? undefined : result;
  }

  #bytesOf(face: number): Uint8Array {
    const blob = this.#call("hb_face_reference_blob", face);
    const at = this.#call("hb_blob_get_data", blob, 0);
    const bytes = new Uint8Array(this.#memory.buffer).slice(at, at + this.#call("hb_blob_get_length", blob));
    this.#call("hb_blob_destroy", blob);
    return bytes;
  }

  #call(name: string, ...values: readonly number[]): number {
    return this.#calls[name]!(...values);
  }
}
