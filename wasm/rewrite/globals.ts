// Reads, adds and exports globals of a module.
import { appendEntries, concat, Reader, SECTION, type Section, signed, unsigned } from "./binary.ts";

const I32 = 0x7f;
const MUTABLE = 0x01;
const GLOBAL_EXPORT = 0x03;
const I32_CONST = 0x41;
const END = 0x0b;

/** @returns the initial value of an i32 global */
export function readGlobal(sections: readonly Section[], index: number): number {
  return locateGlobal(sections.find(({ id }) => id === SECTION.global)!, index).value;
}

/** @returns the offset, in the section, of the expression with the initial value */
function locateGlobal({ payload }: Section, index: number): { value: number; start: number; end: number } {
  const reader = new Reader(payload);
  for (let left = reader.unsigned(), at = 0; at < left; at++) {
    const type = reader.byte();
    reader.byte();
    const start = reader.offset;
    if (type !== I32 || reader.byte() !== I32_CONST) throw new Error("only constant i32 globals are expected");
    const value = reader.signed();
    if (reader.byte() !== END) throw new Error("only constant i32 globals are expected");
    if (at === index) return { value, start, end: reader.offset };
  }
  throw new Error(`there is no global ${index}`);
}

/** @returns the sections with another initial value of an i32 global */
export function setGlobal(sections: readonly Section[], index: number, value: number): Section[] {
  return sections.map((section) => {
    if (section.id !== SECTION.global) return section;
    const { start, end } = locateGlobal(section, index);
    const { payload } = section;
    const initial = [I32_CONST, ...signed(value), END];
    return { id: section.id, payload: concat([payload.subarray(0, start), initial, payload.subarray(end)]) };
  });
}

/** @returns the sections with an added and exported mutable i32 global, and its index */
export function addGlobal(
  sections: readonly Section[],
  name: string,
  value: number,
): { sections: Section[]; index: number } {
  const index = new Reader(sections.find(({ id }) => id === SECTION.global)!.payload).unsigned();
  const entry = [I32, MUTABLE, I32_CONST, ...signed(value), END];
  const added = sections.map((section) =>
    section.id === SECTION.global ? { id: section.id, payload: appendEntries(section.payload, [entry]) } : section,
  );
  return { sections: exportGlobal(added, name, index), index };
}

export function exportGlobal(sections: readonly Section[], name: string, index: number): Section[] {
  const text = new TextEncoder().encode(name);
  const entry = [...unsigned(text.length), ...text, GLOBAL_EXPORT, ...unsigned(index)];
  return sections.map((section) =>
    section.id === SECTION.export ? { id: section.id, payload: appendEntries(section.payload, [entry]) } : section,
  );
}
