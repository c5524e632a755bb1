// Loads jsquash.ts's decoders in Node.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Decoders, jsquash } from "./jsquash.ts";

const require = createRequire(import.meta.url);
const compiled = async (path: string) => new WebAssembly.Module(await readFile(require.resolve(path)));

export const jsquashInNode = async (): Promise<Decoders> =>
  await jsquash({
    png: await compiled("@jsquash/png/codec/pkg/squoosh_png_bg.wasm"),
    jpg: await compiled("@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm"),
  });
