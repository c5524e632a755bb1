// Reads and writes the containers of a CFF font: INDEX and DICT (Adobe Technical Note 5176, 4 and 5).
import { viewOf } from "../truetype/truetype.ts";

/** An INDEX: a list of byte strings. */
export interface Index {
  readonly count: number;
  /** Offset of the first byte. `end`: the offset after the last byte. */
  readonly start: number;
  readonly end: number;
  /** @throws RangeError if the entry is outside the font */
  at(index: number): Uint8Array;
}

/**
 * Reads an INDEX. An INDEX at the end of the font counts as empty. @throws RangeError if the INDEX extends beyond the
 * font
 */
export function readIndex(bytes: Uint8Array, start: number): Index {
  const empty = { count: 0, start, end: start, at: () => new Uint8Array(0) };
  if (start >= bytes.length) return empty;
  const view = viewOf(bytes);
  const count = view.getUint16(start);
  if (count === 0) return { ...empty, end: start + 2 };
  const size = view.getUint8(start + 2);
  if (size < 1 || size > 4) throw new RangeError("offset size");
  const offset = (index: number) => {
    let value = 0;
    for (let at = start + 3 + index * size, left = size; left > 0; left--, at++)
      value = value * 256 + view.getUint8(at);
    return value;
  };
  const data = start + 2 + (count + 1) * size;
  const end = data + offset(count);
  if (end > bytes.length) throw new RangeError("index");
  return {
    count,
    start,
    end,
    at(index) {
      const [from, to] = [data + offset(index), data + offset(index + 1)];
      if (from < data || to < from || to > end) throw new RangeError("index entry");
      return bytes.subarray(from, to);
    },
  };
}

export function writeIndex(entries: readonly Uint8Array[]): Uint8Array {
  if (entries.length === 0) return new Uint8Array(2);
  const total = entries.reduce((sum, entry) => sum + entry.length, 1);
  const size = total < 0x100 ? 1 : total < 0x10000 ? 2 : total < 0x1000000 ? 3 : 4;
  const index = new Uint8Array(2 + 1 + (entries.length + 1) * size + total - 1);
  const view = viewOf(index);
  view.setUint16(0, entries.length);
  view.setUint8(2, size);
  let at = 3;
  let data = 3 + (entries.length + 1) * size;
  let offset = 1;
  for (let entry = 0; entry <= entries.length; entry++) {
    for (let place = size - 1, value = offset; place >= 0; place--, value = Math.floor(value / 256))
      index[at + place] = value & 0xff;
    at += size;
    const bytes = entries[entry];
    if (!bytes) break;
    index.set(bytes, data);
    data += bytes.length;
    offset += bytes.length;
  }
  return index;
}

interface DictEntry {
  readonly operator: number;
  readonly operands: readonly number[];
  /** The stored operands, without the operator. */
  readonly raw: Uint8Array;
}

export class Dict {
  readonly entries: readonly DictEntry[];

  constructor(entries: readonly DictEntry[]) {
    this.entries = entries;
  }

  has(operator: number): boolean {
    return this.entries.some((entry) => entry.operator === operator);
  }

  numbers(operator: number): readonly number[] | undefined {
    return this.entries.find((entry) => entry.operator === operator)?.operands;
  }

  /** Returns the last operand. */
  number(operator: number): number | undefined {
    return this.numbers(operator)?.at(-1);
  }
}

/** Maximum number of entries of a DICT. No font has more. */
const MAX_ENTRIES = 200;
const NIBBLES = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ".", "E", "E-", "", "-"];

export function readDict(bytes: Uint8Array): Dict {
  const view = viewOf(bytes);
  const entries: DictEntry[] = [];
  let operands: number[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length && entries.length < MAX_ENTRIES; ) {
    const byte = bytes[at++]!;
    if (byte <= 21) {
      const raw = bytes.subarray(start, at - 1);
      entries.push({ operator: byte === 12 ? 1200 + view.getUint8(at++) : byte, operands, raw });
      operands = [];
      start = at;
    } else if (byte === 28) {
      operands.push(view.getInt16(at));
      at += 2;
    } else if (byte === 29) {
      operands.push(view.getInt32(at));
      at += 4;
    } else if (byte === 30) {
      let text = "";
      for (let isOver = false; !isOver; at++) {
        const pair = view.getUint8(at);
        for (const nibble of [pair >> 4, pair & 15]) {
          if (nibble === 15) isOver = true;
          else if (!isOver) text += NIBBLES[nibble];
        }
      }
      operands.push(Number.parseFloat(text) || 0);
    } else if (byte >= 32 && byte <= 246) operands.push(byte - 139);
    else if (byte >= 247 && byte <= 250) operands.push((byte - 247) * 256 + view.getUint8(at++) + 108);
    else if (byte >= 251 && byte <= 254) operands.push(-(byte - 251) * 256 - view.getUint8(at++) - 108);
  }
  return new Dict(entries);
}

/** Writes an entry with five bytes per integer, so that its size does not depend on its values. */
export function writeEntry(operator: number, operands: readonly number[]): Uint8Array {
  const code = operator >= 1200 ? [12, operator - 1200] : [operator];
  const entry = new Uint8Array(operands.length * 5 + code.length);
  const view = viewOf(entry);
  operands.forEach((operand, index) => {
    view.setUint8(index * 5, 29);
    view.setInt32(index * 5 + 1, operand);
  });
  entry.set(code, operands.length * 5);
  return entry;
}

/** Copies an entry unchanged. */
export function copyEntry({ operator, raw }: DictEntry): Uint8Array {
  return Uint8Array.from([...raw, ...(operator >= 1200 ? [12, operator - 1200] : [operator])]);
}
