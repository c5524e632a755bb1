// Builds the qpdf engine from the npm package `@neslinesli93/qpdf-wasm`: only its module, metered and with a larger
// stack. src/document/engines/qpdf/system.ts replaces its glue.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { meter } from "../rewrite/meter.ts";
import { exportStackPointer, readModule, writeModule } from "../rewrite/module.ts";

const MODULE = new URL("../../node_modules/@neslinesli93/qpdf-wasm/dist/qpdf.wasm", import.meta.url);
const TARGET = new URL("../dist/", import.meta.url);

/** Hash of the supported build: imports and exports are single letters, whose meaning differs between builds. */
const KNOWN_SHA256 = "abd933f4ccace4f732999381b21aec8b7e3726f18a5b167fafd57f88dd440876";
/** The stack is below the heap and grows down: 64 KiB in the package, 1 MiB after the change. */
const STACK = { address: 409_248, bytes: 65_536, wantedBytes: 2 ** 20 };
/** File offset of the C library's variable for the end of the heap. Its initial value is the start of the stack. */
const BREAK_OFFSET = 1_333_505;

/** Writes `qpdf.wasm` and `qpdf.node.js` into `wasm/dist`. */
export async function build(): Promise<void> {
  const module = await readFile(MODULE);
  if (createHash("sha256").update(module).digest("hex") !== KNOWN_SHA256) {
    throw new Error("unexpected version of qpdf: correct the letters in src/document/engines/qpdf/names.ts");
  }
  await mkdir(TARGET, { recursive: true });
  await Promise.all([
    writeFile(new URL("qpdf.wasm", TARGET), rewrite(module)),
    writeFile(new URL("qpdf.node.js", TARGET), NODE_MODULE),
  ]);
}

function rewrite(file: Buffer): Uint8Array {
  const top = STACK.address - STACK.bytes + STACK.wantedBytes;
  if (file.readUInt32LE(BREAK_OFFSET) !== STACK.address)
    throw new Error("unexpected version of qpdf: its heap starts elsewhere");
  file.writeUInt32LE(top, BREAK_OFFSET);
  const module = readModule(file);
  if (exportStackPointer(module, top) !== STACK.address)
    throw new Error("unexpected version of qpdf: its stack is at another address");
  meter(module, () => undefined);
  return writeModule(module);
}

const NODE_MODULE = `import { readFile } from "node:fs/promises";
export default await WebAssembly.compile(await readFile(new URL("./qpdf.wasm", import.meta.url)));
`;

if (import.meta.main) await build();
