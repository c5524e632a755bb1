// Copies the modules of the npm package `harfbuzzjs`: one shapes text, the other one subsets fonts. They run unchanged:
// their input are fonts of this service, and texts of limited length.
import { copyFile, mkdir, writeFile } from "node:fs/promises";

const PACKAGE = new URL("../../node_modules/harfbuzzjs/dist/", import.meta.url);
const TARGET = new URL("../dist/", import.meta.url);
const NAMES = ["harfbuzz", "harfbuzz-subset"];

/** Module for Node that compiles the .wasm file. */
const nodeModule = (name: string) => `import { readFileSync } from "node:fs";
export default new WebAssembly.Module(readFileSync(new URL("${name}.wasm", import.meta.url)));
`;

/** Writes the modules, and their counterparts for Node, into `wasm/dist`. */
export async function build(): Promise<void> {
  await mkdir(TARGET, { recursive: true });
  for (const name of NAMES) {
    await copyFile(new URL(`${name}.wasm`, PACKAGE), new URL(`${name}.wasm`, TARGET));
    await writeFile(new URL(`${name}.node.js`, TARGET), nodeModule(name));
  }
}

if (import.meta.main) await build();
