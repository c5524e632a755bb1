// Reads and changes the data segments of a module.
import { Reader, SECTION, type Section } from "./binary.ts";

const I32_CONST = 0x41;
const END = 0x0b;

interface Segment {
  readonly address: number;
  /** A view of the section's own bytes. */
  readonly bytes: Uint8Array;
}

/** @returns the initial content of memory 0; bytes outside all segments are zero */
export function readMemory(sections: readonly Section[]): Uint8Array {
  const segments = readSegments(sections);
  const memory = new Uint8Array(Math.max(...segments.map(({ address, bytes }) => address + bytes.length)));
  for (const { address, bytes } of segments) memory.set(bytes, address);
  return memory;
}

/**
 * Replaces a word of the initial content, in place.
 * @throws Error if the word is not `from`, which means another version of the engine
 */
export function replaceWord(sections: readonly Section[], address: number, from: number, to: number): void {
  for (const { address: start, bytes } of readSegments(sections)) {
    if (address < start || address + 4 > start + bytes.length) continue;
    const view = new DataView(bytes.buffer, bytes.byteOffset + address - start, 4);
    if (view.getUint32(0, true) !== from) break;
    view.setUint32(0, to, true);
    return;
  }
  throw new Error(`the word ${from} is not at ${address}`);
}

function readSegments(sections: readonly Section[]): Segment[] {
  const reader = new Reader(sections.find(({ id }) => id === SECTION.data)!.payload);
  const segments: Segment[] = [];
  for (let left = reader.unsigned(); left > 0; left--) {
    if (reader.unsigned() !== 0 || reader.byte() !== I32_CONST)
      throw new Error("only active data segments are expected");
    const address = reader.signed();
    if (reader.byte() !== END) throw new Error("only constant addresses are expected");
    segments.push({ address, bytes: reader.take(reader.unsigned()) });
  }
  return segments;
}
