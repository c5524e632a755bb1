// Subsets font files with HarfBuzz. Unlike src/document/fonts, which reduces embedded fonts, a subset still has all that
// shaping needs: every glyph that its characters can become, and the tables that choose and place glyphs.
import module from "#wasm/harfbuzz-subset.wasm";

type Call = (...values: number[]) => number;
type Exports = Readonly<Record<string, Call>> & { readonly memory: WebAssembly.Memory };

/** Constants of hb-subset.h and hb.h. */
const [NO_HINTING, LAYOUT_FEATURES, READ_ONLY] = [1, 6, 1];

export interface SubsetTypeface {
  /** Index of the font in a collection. @default 0 */
  readonly member?: number | undefined;
  /** @default all characters; only hints are then removed */
  readonly characters?: string | undefined;
}

/** @returns undefined if the bytes are not a font */
export function subsetTypeface(
  bytes: Uint8Array,
  { member = 0, characters }: SubsetTypeface = {},
): Uint8Array | undefined {
  const calls = new WebAssembly.Instance(module).exports as Exports;
  const call = (name: string, ...values: number[]) => calls[name]!(...values);
  call("_initialize");
  const place = call("malloc", bytes.length);
  if (place === 0) return undefined;
  new Uint8Array(calls.memory.buffer, place, bytes.length).set(bytes);
  const face = call("hb_face_create", call("hb_blob_create", place, bytes.length, READ_ONLY, 0, 0), member);
  const input = call("hb_subset_input_create_or_fail");
  if (characters === undefined) {
    call("hb_subset_input_keep_everything", input);
  } else {
    const kept = call("hb_subset_input_unicode_set", input);
    for (const character of characters) call("hb_set_add", kept, character.codePointAt(0)!);
    const features = call("hb_subset_input_set", input, LAYOUT_FEATURES);
    call("hb_set_clear", features);
    call("hb_set_invert", features);
  }
  call("hb_subset_input_set_flags", input, NO_HINTING);
  const subset = call("hb_subset_or_fail", face, input);
  if (subset === 0) return undefined;
  const blob = call("hb_face_reference_blob", subset);
  return new Uint8Array(
    calls.memory.buffer,
    call("hb_blob_get_data", blob, 0),
    call("hb_blob_get_length", blob),
  ).slice();
}
