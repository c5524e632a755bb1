// Compiles the DEFLATE kernel from AssemblyScript and writes the modules through which it is imported to wasm/dist.
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const HERE = new URL("./", import.meta.url);
const DIST = new URL("../dist/", import.meta.url);

/** workerd imports the .wasm itself; Node gets the same compiled module from this. */
const NODE_MODULE = `import { readFileSync } from "node:fs";
export default new WebAssembly.Module(readFileSync(new URL("deflate.wasm", import.meta.url)));
`;

/**
 * Writes wasm/dist/deflate.wasm and wasm/dist/deflate.node.js.
 * @throws Error with the compiler's messages
 */
export async function build(): Promise<void> {
  await mkdir(DIST, { recursive: true });
  const { error, stderr } = await asc.main([
    "assembly/index.ts",
    "--baseDir",
    fileURLToPath(HERE),
    "--outFile",
    "../dist/deflate.wasm",
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
  if (error) throw new Error(`The DEFLATE kernel does not compile:\n${stderr.toString()}`, { cause: error });
  await writeFile(new URL("deflate.node.js", DIST), NODE_MODULE);
}

if (import.meta.main) await build();
