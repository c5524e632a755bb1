// Compiles an AssemblyScript kernel, and writes the modules that import it to wasm/dist.
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const DIST = new URL("./dist/", import.meta.url);

/** Module for Node that compiles the .wasm file. workerd imports the .wasm file directly. */
const nodeModule = (name: string) => `import { readFileSync } from "node:fs";
export default new WebAssembly.Module(readFileSync(new URL("${name}.wasm", import.meta.url)));
`;

/**
 * Writes wasm/dist/<name>.wasm and wasm/dist/<name>.node.js from wasm/<name>/assembly/index.ts.
 * @throws Error with the compiler's messages
 */
export async function buildKernel(name: string): Promise<void> {
  await mkdir(DIST, { recursive: true });
  const { error, stderr } = await asc.main([
    "assembly/index.ts",
    "--baseDir",
    fileURLToPath(new URL(`./${name}/`, import.meta.url)),
    "--outFile",
    `../dist/${name}.wasm`,
    "--runtime",
    "stub",
    "--enable",
    "simd",
    "--use",
    "abort=",
    "--noAssert",
    "-O3",
    "--converge",
  ]);
  if (error) throw new Error(`The ${name} kernel does not compile:\n${stderr.toString()}`, { cause: error });
  await writeFile(new URL(`${name}.node.js`, DIST), nodeModule(name));
}
