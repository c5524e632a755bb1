// Builds the MuPDF engine from the npm package `mupdf`: platform-independent glue code, and a metered module with
// limited memory. A change fails if the code that it replaces is missing or ambiguous. A new version of the package
// therefore either builds with the same changes, or stops the build at the change to review.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import type binaryen from "binaryen";
import { replaceConstant } from "../rewrite/expressions.ts";
import { type FlatRate, meter } from "../rewrite/meter.ts";
import { exportStackPointer, readMemory, readModule, writeModule } from "../rewrite/module.ts";
import { editGlue } from "./glue.ts";
import { findSmoothing } from "./smoothing.ts";
import { addTileKey } from "./tiles.ts";

const PACKAGE = new URL("../../node_modules/mupdf/dist/", import.meta.url);
const TARGET = new URL("../dist/", import.meta.url);

/** The value of `fz_infinite_rect`, which `wasm_run_display_list` passes as the area to draw. */
const INFINITE_RECTANGLE = [-0x80000000, -0x80000000, 0x7fffff80, 0x7fffff80];
/** MuPDF's cache size: a constant in its JavaScript binding, too large for an isolate. */
const STORE = { function: "fz_new_store_context", from: 100 * 1024 * 1024, to: 16 * 1024 * 1024 };
/**
 * Approximate number of graphics states saved by `q` without `Q`, after which MuPDF stops interpreting a page. Each
 * takes 560 bytes.
 */
const SAVED_STATES = { function: "pdf_gsave", from: 2048, to: 32_768 };
/**
 * Flag of MuPDF's color transforms (`cmsFLAGS_LOWRESPRECALC`), which lcms ignores here: with 17 instead of 33 grid points
 * for RGB, colors in CMYK differ visibly from those of lcms.
 */
const LOW_RESOLUTION = { function: "lcms2mt__cmsReasonableGridpointsByColorspace", from: 2048, to: 0 };
/**
 * Functions that process a row of pixels, or one color (lcms), and their flat rates. One unit of fuel stands for 1 to 5
 * ns. Counting every iteration of their loops would slow down rendering by 10 %; flat rates slow it down by 2 to 5 %.
 */
const FLAT_RATES: readonly (readonly [RegExp, FlatRate])[] = [
  [
    /^(template_|paint_|fz_paint_|scale_row|scale_single|fz_clear_pixmap|fz_copy_pixmap|fz_convert_gel|fz_blend_|fz_decode_tile|fz_unpack)/,
    { call: 256, turn: 8 },
  ],
  [/^(lcms2mt_|_?(LUT)?[eE]val|XFormSampler|CachedXFORM|LinLerp|Pack|Unroll|Tetrahedral)/, { call: 4, turn: 4 }],
];
/** The characters of PDFDocEncoding from code 98 to code 9E (ISO 32000-1, annex D.3), in MuPDF's table of all codes. */
const KNOWN_CODES = { first: 0x98, characters: [0x178, 0x17d, 0x131, 0x142, 0x153, 0x161, 0x17e] };
/** The codes without a character, for which the table has NUL. */
const UNASSIGNED_CODES = [0x7f, 0x9f, 0xad];
/** Binaryen's name for the only memory. */
const MEMORY = "0";

/** Writes `mupdf.wasm`, `mupdf.node.js` and `mupdf-glue.js` with its types into `wasm/dist`. */
export async function build(): Promise<void> {
  const [module, glue] = await Promise.all([
    readFile(new URL("mupdf-wasm.wasm", PACKAGE)),
    readFile(new URL("mupdf-wasm.js", PACKAGE), "utf8"),
  ]);
  await mkdir(TARGET, { recursive: true });
  assignCodes(module);
  const engine = readModule(module);
  const { initial, max } = engine.getMemoryInfo();
  const smoothing = `export const SMOOTHING = ${JSON.stringify(findSmoothing(engine))};\n`;
  const memory = `export const MEMORY_PAGES = { initial: ${initial}, maximum: ${max} };\n`;
  const added = `${cmykProfile(engine)}${smoothing}${memory}`;
  await Promise.all([
    writeFile(new URL("mupdf.wasm", TARGET), rewrite(engine)),
    writeFile(new URL("mupdf.node.js", TARGET), NODE_MODULE),
    writeFile(new URL("mupdf-glue.js", TARGET), editGlue(glue) + added),
    writeFile(new URL("mupdf-glue.d.ts", TARGET), GLUE_TYPES),
  ]);
}

function rewrite(module: binaryen.Module): Uint8Array {
  // The area to draw is read from the top of the linked stack, which is unused because the engine has a larger stack.
  const infinite = infiniteRectangle(module);
  const area = exportStackPointer(module) - 16;
  for (const half of [0, 8]) replaceConstant(module, "wasm_run_display_list", infinite + half, area + half);
  for (const { function: name, from, to } of [STORE, SAVED_STATES, LOW_RESOLUTION])
    replaceConstant(module, name, from, to);
  addTileKey(module);
  meter(module, (name) => FLAT_RATES.find(([pattern]) => pattern.test(name))?.[1]);
  module.addMemoryImport(MEMORY, "engine", "memory");
  return writeModule(module);
}

/**
 * Assigns the characters of Latin-1 to the codes of PDFDocEncoding that have none. MuPDF encodes passwords with this
 * table, and many programs use UTF-8 for passwords, whose bytes include these codes.
 */
function assignCodes(module: Buffer): void {
  const known = Buffer.from(Uint16Array.from(KNOWN_CODES.characters).buffer);
  const table = module.indexOf(known) - 2 * KNOWN_CODES.first;
  const isTable = table >= 0 && UNASSIGNED_CODES.every((code) => module.readUInt16LE(table + 2 * code) === 0);
  if (!isTable || module.includes(known, table + 2 * KNOWN_CODES.first + 1))
    throw new Error("unexpected version of mupdf: the table of PDFDocEncoding is missing or ambiguous");
  for (const code of UNASSIGNED_CODES) module.writeUInt16LE(code, table + 2 * code);
}

/** @returns the address of the constant `fz_infinite_rect` */
function infiniteRectangle(module: binaryen.Module): number {
  const memory = Buffer.from(readMemory(module).buffer);
  const value = Buffer.from(Float32Array.from(INFINITE_RECTANGLE).buffer);
  const address = memory.indexOf(value);
  if (address < 0 || memory.includes(value, address + 1)) {
    throw new Error("unexpected version of mupdf: fz_infinite_rect is missing or ambiguous");
  }
  return address;
}

/** Locates the profile of device CMYK: MuPDF's profiles are constant data, which callers can read from memory. */
function cmykProfile(module: binaryen.Module): string {
  const memory = readMemory(module);
  // ICC.1:2010, 7.2: size at 0, data color space and connection space at 16, signature at 36.
  const address = memory.indexOf("CMYKLab ", 0, "latin1") - 16;
  const size = memory.readUInt32BE(address);
  const signature = memory.toString("latin1", address + 36, address + 40);
  if (signature !== "acsp" || address + size > memory.length) throw new Error("the module has no CMYK profile");
  return `\nexport const CMYK_PROFILE = { address: ${address}, size: ${size} };\n`;
}

const NODE_MODULE = `import { readFile } from "node:fs/promises";
export default await WebAssembly.compile(await readFile(new URL("./mupdf.wasm", import.meta.url)));
`;

const GLUE_TYPES = `declare function createEngine<T extends object>(configuration: T): Promise<T & Record<string, unknown>>;
export default createEngine;
/** Where the profile of device CMYK lies in an engine's memory. */
export declare const CMYK_PROFILE: { readonly address: number; readonly size: number };
/** Where the pointer to MuPDF's context lies, and where its levels of anti-aliasing lie in the context. */
export declare const SMOOTHING: { readonly context: number; readonly levels: number };
/** Limits of the memory that an engine imports. */
export declare const MEMORY_PAGES: { readonly initial: number; readonly maximum: number };
`;

if (import.meta.main) await build();
