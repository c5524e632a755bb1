// Reads and writes modules with binaryen.
import binaryen from "binaryen";
import { constantOf } from "./expressions.ts";

const STACK_POINTER = "stackPointer";

/** WebAssembly features. Read at run time: binaryen's declared enum has no values when types are stripped. */
const { Features } = binaryen as unknown as { readonly Features: Readonly<Record<string, binaryen.Features>> };
/**
 * The features that the engines and the exported globals use. Tail calls are excluded: they would have to be metered
 * too.
 */
const USED = ["SignExt", "BulkMemoryOpt", "ExceptionHandling", "MutableGlobals"];

export function readModule(bytes: Uint8Array): binaryen.Module {
  const module = binaryen.readBinary(bytes);
  module.setFeatures(USED.reduce<binaryen.Features>((all, name) => all | Features[name]!, 0));
  return module;
}

/** @throws Error if the module is invalid; the reason has been printed */
export function writeModule(module: binaryen.Module): Uint8Array {
  if (module.validate() === 0) throw new Error("the rewritten module is invalid");
  const bytes = module.emitBinary();
  module.dispose();
  return bytes;
}

/**
 * Exports the stack pointer, which is the first global.
 * @param start its new initial value. @default unchanged
 * @returns the initial value in the original module
 */
export function exportStackPointer(module: binaryen.Module, start?: number): number {
  const { name, init } = binaryen.getGlobalInfo(module.getGlobalByIndex(0));
  const value = constantOf(init);
  if (value === undefined) throw new Error("the first global is not a stack pointer");
  if (start !== undefined) {
    module.removeGlobal(name);
    module.addGlobal(name, binaryen.i32, true, module.i32.const(start));
  }
  module.addGlobalExport(name, STACK_POINTER);
  return value;
}

/** The functions for data segments, which binaryen declares under other names. */
interface DataSegments {
  getNumDataSegments(): number;
  getDataSegmentInfo(segment: binaryen.DataSegmentRef): { readonly offset: number; readonly data: ArrayBuffer };
}

/** @returns the initial content of the memory; bytes outside all segments are zero */
export function readMemory(module: binaryen.Module): Buffer {
  const { getNumDataSegments, getDataSegmentInfo } = module as unknown as DataSegments;
  const segments = Array.from({ length: getNumDataSegments() }, (_, index) =>
    getDataSegmentInfo(module.getDataSegmentByIndex(index)),
  );
  const memory = Buffer.alloc(Math.max(...segments.map(({ offset, data }) => offset + data.byteLength)));
  for (const { offset, data } of segments) memory.set(new Uint8Array(data), offset);
  return memory;
}
