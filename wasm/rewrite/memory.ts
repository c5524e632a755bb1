// Makes a module import its memory instead of defining it.
import { appendEntries, Reader, SECTION, type Section, unsigned } from "./binary.ts";

const MEMORY_IMPORT = 0x02;
const HAS_MAXIMUM = 0x01;

/** Limits of a memory, in pages of 64 KiB. */
export interface MemoryLimits {
  readonly initial: number;
  readonly maximum: number;
}

/** @returns the sections with the only memory imported under two names, and its limits */
export function importMemory(
  sections: readonly Section[],
  from: readonly [module: string, name: string],
): { readonly sections: Section[]; readonly limits: MemoryLimits } {
  const own = sections.find(({ id }) => id === SECTION.memory)!.payload;
  const reader = new Reader(own);
  if (reader.unsigned() !== 1) throw new Error("only one memory is expected");
  const type = own.subarray(reader.offset);
  if (reader.byte() !== HAS_MAXIMUM) throw new Error("a memory with a maximum is expected");
  const limits = { initial: reader.unsigned(), maximum: reader.unsigned() };
  const names = from.map((name) => new TextEncoder().encode(name));
  const entry = [...names.flatMap((name) => [...unsigned(name.length), ...name]), MEMORY_IMPORT, ...type];
  const rewritten = sections
    .filter(({ id }) => id !== SECTION.memory)
    .map(({ id, payload }) => ({ id, payload: id === SECTION.import ? appendEntries(payload, [entry]) : payload }));
  return { sections: rewritten, limits };
}
