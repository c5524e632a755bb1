// The data segments of a module. Knows the binary format, not the engine.
import { Reader, SECTION, type Section } from "./binary.ts";

const I32_CONST = 0x41;
const END = 0x0b;

/** @returns the first content of memory 0; runs of zeros are no part of any segment */
export function readMemory(sections: readonly Section[]): Uint8Array {
  const reader = new Reader(sections.find(({ id }) => id === SECTION.data)!.payload);
  const segments: { address: number; bytes: Uint8Array }[] = [];
  for (let left = reader.unsigned(); left > 0; left--) {
    if (reader.unsigned() !== 0 || reader.byte() !== I32_CONST)
      throw new Error("only active data segments are expected");
    const address = reader.signed();
    if (reader.byte() !== END) throw new Error("only constant addresses are expected");
    segments.push({ address, bytes: reader.take(reader.unsigned()) });
  }
  const memory = new Uint8Array(Math.max(...segments.map(({ address, bytes }) => address + bytes.length)));
  for (const { address, bytes } of segments) memory.set(bytes, address);
  return memory;
}
