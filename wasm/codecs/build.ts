// Copies the picture codecs of the npm packages `@jsquash/webp`, `@jsquash/avif` and `libheif-js`, and limits their memory.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { limitMemory } from "../rewrite/memory-limit.ts";

const PACKAGES = new URL("../../node_modules/", import.meta.url);
const TARGET = new URL("../dist/", import.meta.url);
const CODECS = {
  "webp-decoder": "@jsquash/webp/codec/dec/webp_dec.wasm",
  "webp-encoder": "@jsquash/webp/codec/enc/webp_enc_simd.wasm",
  "avif-decoder": "@jsquash/avif/codec/dec/avif_dec.wasm",
  "avif-encoder": "@jsquash/avif/codec/enc/avif_enc.wasm",
  "heif-decoder": "libheif-js/libheif-wasm/libheif.wasm",
};
/** Maximum memory of a codec, in pages of 64 KiB: 1 GiB. */
const MAX_PAGES = 16_384;

/** Module for Node that compiles the .wasm file. */
const nodeModule = (name: string) => `import { readFileSync } from "node:fs";
export default new WebAssembly.Module(readFileSync(new URL("${name}.wasm", import.meta.url)));
`;

/** Writes the modules, and their counterparts for Node, into `wasm/dist`. */
export async function build(): Promise<void> {
  await mkdir(TARGET, { recursive: true });
  for (const [name, source] of Object.entries(CODECS)) {
    const module = await readFile(new URL(source, PACKAGES));
    await writeFile(new URL(`${name}.wasm`, TARGET), limitMemory(module, MAX_PAGES));
    await writeFile(new URL(`${name}.node.js`, TARGET), nodeModule(name));
  }
}

if (import.meta.main) await build();
