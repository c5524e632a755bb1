// Changes the maximum size of a module's memory. Works on the binary, because binaryen does not know every instruction of
// the modules.

const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
const HAS_MAXIMUM = 1;

/**
 * @param pages of 64 KiB
 * @returns the module with the maximum
 * @throws Error if the module does not define exactly one memory of its own
 */
export function limitMemory(module: Uint8Array, pages: number): Uint8Array {
  const parts = [module.subarray(0, HEADER_BYTES)];
  let found = 0;
  for (let at = HEADER_BYTES; at < module.length; ) {
    const size = readNumber(module, at + 1);
    const end = size.end + size.value;
    const isMemory = module[at] === MEMORY_SECTION;
    parts.push(isMemory ? limited(module, size.end, pages) : module.subarray(at, end));
    if (isMemory) found++;
    at = end;
  }
  if (found !== 1) throw new Error("the module does not define its memory");
  return Buffer.concat(parts);
}

/** @param at position of the section's contents */
function limited(module: Uint8Array, at: number, pages: number): Uint8Array {
  const count = readNumber(module, at);
  const flags = readNumber(module, count.end);
  const initial = readNumber(module, flags.end);
  if (count.value !== 1 || flags.value > HAS_MAXIMUM) throw new Error("the module has another kind of memory");
  const contents = [1, HAS_MAXIMUM, ...numberBytes(initial.value), ...numberBytes(pages)];
  return Uint8Array.from([MEMORY_SECTION, ...numberBytes(contents.length), ...contents]);
}

/** Reads an unsigned LEB128 number. */
function readNumber(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = start, shift = 0; ; at++, shift += 7) {
    value += (bytes[at]! & 0x7f) * 2 ** shift;
    if (bytes[at]! < 0x80) return { value, end: at + 1 };
  }
}

function numberBytes(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...numberBytes(value >>> 7)];
}
