// Reads and writes the parts of the WebAssembly binary format that metering needs: sections, LEB128, exports, names.
// Knows nothing about the engine whose module it is (WebAssembly Core Specification, chapter 5).

export const SECTION = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  memory: 5,
  global: 6,
  export: 7,
  code: 10,
  data: 11,
} as const;

export interface Section {
  readonly id: number;
  readonly payload: Uint8Array;
}

/** A cursor over a module's bytes. */
export class Reader {
  readonly bytes: Uint8Array;
  offset = 0;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
  get done(): boolean {
    return this.offset >= this.bytes.length;
  }
  byte(): number {
    if (this.done) throw new Error("the WebAssembly module ends too early");
    return this.bytes[this.offset++]!;
  }
  /** Reads an unsigned LEB128 number. */
  unsigned(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }
  /** Reads a signed LEB128 number of 32 bits. */
  signed(): number {
    let value = 0;
    for (let shift = 0; ; ) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      shift += 7;
      if (byte < 0x80) return byte & 0x40 && shift < 32 ? value | (-1 << shift) : value;
    }
  }
  take(length: number): Uint8Array {
    if (this.offset + length > this.bytes.length) throw new Error("the WebAssembly module ends too early");
    this.offset += length;
    return this.bytes.subarray(this.offset - length, this.offset);
  }
  name(): string {
    return new TextDecoder().decode(this.take(this.unsigned()));
  }
}

/** @returns the number as unsigned LEB128. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return bytes;
}

/** @returns a 32 bit number as signed LEB128, the operand of `i32.const`. */
export function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const byte = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0)) {
      bytes.push(byte);
      return bytes;
    }
    bytes.push(byte | 0x80);
  }
}

export function readSections(module: Uint8Array): Section[] {
  const reader = new Reader(module);
  const header = reader.take(8);
  if (new DataView(header.buffer, header.byteOffset).getBigUint64(0, true) !== 0x0000_0001_6d73_6100n) {
    throw new Error("this is not a WebAssembly module of version 1");
  }
  const sections: Section[] = [];
  while (!reader.done) {
    const id = reader.byte();
    sections.push({ id, payload: reader.take(reader.unsigned()) });
  }
  return sections;
}

export function writeSections(sections: readonly Section[]): Uint8Array {
  const parts: (Uint8Array | number[])[] = [[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]];
  for (const { id, payload } of sections) parts.push([id, ...unsigned(payload.length)], payload);
  return concat(parts);
}

export function concat(parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Returns a vector section (global, export) with entries appended. */
export function appendEntries(payload: Uint8Array, entries: readonly (readonly number[])[]): Uint8Array {
  const reader = new Reader(payload);
  const count = reader.unsigned();
  return concat([unsigned(count + entries.length), payload.subarray(reader.offset), ...entries]);
}

export function countImportedFunctions(payload: Uint8Array): number {
  const reader = new Reader(payload);
  let functions = 0;
  for (let left = reader.unsigned(); left > 0; left--) {
    reader.name();
    reader.name();
    if (reader.byte() !== 0) throw new Error("only functions are expected among the imports");
    reader.unsigned();
    functions++;
  }
  return functions;
}

/** Returns function indices by name, from the custom section `name` (appendix 7.4.1 of the specification). */
export function readFunctionNames(sections: readonly Section[]): Map<string, number> {
  const names = new Map<string, number>();
  for (const { id, payload } of sections) {
    if (id !== SECTION.custom) continue;
    const reader = new Reader(payload);
    if (reader.name() !== "name") continue;
    while (!reader.done) {
      const kind = reader.byte();
      const map = new Reader(reader.take(reader.unsigned()));
      if (kind !== 1) continue;
      for (let left = map.unsigned(); left > 0; left--) {
        const index = map.unsigned();
        names.set(map.name(), index);
      }
    }
  }
  return names;
}
