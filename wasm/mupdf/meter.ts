// Changes to a module's code section: fuel metering and single constants. Knows the binary format, not the engine.
import { appendEntries, concat, countImportedFunctions, Reader, SECTION, type Section, signed, unsigned } from "./binary.ts";
import { loopStarts } from "./instructions.ts";

const I32 = 0x7f;
const MUTABLE = 0x01;
const GLOBAL_EXPORT = 0x03;
const OP = { unreachable: 0x00, if: 0x04, end: 0x0b, globalGet: 0x23, globalSet: 0x24, i32Const: 0x41, ltS: 0x48, sub: 0x6b };
const NO_RESULT = 0x40;

/** One function's code. */
export interface Body {
  readonly locals: Uint8Array;
  code: Uint8Array;
}

/** The code section taken apart; `first` is the index of its first function. */
export interface Code {
  readonly first: number;
  readonly bodies: Body[];
}

export function readCode(sections: readonly Section[]): Code {
  const imports = sections.find(({ id }) => id === SECTION.import);
  const reader = new Reader(sections.find(({ id }) => id === SECTION.code)!.payload);
  const bodies: Body[] = [];
  for (let left = reader.unsigned(); left > 0; left--) {
    const body = new Reader(reader.take(reader.unsigned()));
    for (let groups = body.unsigned(); groups > 0; groups--) {
      body.unsigned();
      body.byte();
    }
    bodies.push({ locals: body.bytes.subarray(0, body.offset), code: body.bytes.subarray(body.offset) });
  }
  return { first: imports ? countImportedFunctions(imports.payload) : 0, bodies };
}

export function writeCode({ bodies }: Code): Uint8Array {
  const parts: (Uint8Array | number[])[] = [unsigned(bodies.length)];
  for (const { locals, code } of bodies) parts.push(unsigned(locals.length + code.length), locals, code);
  return concat(parts);
}

/**
 * Replaces the one `i32.const from` of a function.
 * @throws Error unless there is exactly one: then this is another version of the engine
 */
export function replaceConstant(body: Body, from: number, to: number): void {
  const code = Buffer.from(body.code);
  const wanted = Buffer.from([OP.i32Const, ...signed(from)]);
  const at = code.indexOf(wanted);
  if (at < 0 || code.indexOf(wanted, at + 1) >= 0) throw new Error(`i32.const ${from} is not there exactly once`);
  body.code = concat([code.subarray(0, at), [OP.i32Const, ...signed(to)], code.subarray(at + wanted.length)]);
}

/**
 * Makes every function and every turn of a loop begin with "take one unit of fuel, trap if none is left": nothing can run
 * for ever, and what a page costs is the same on every machine.
 */
export function meter(code: Code, fuelGlobal: number): void {
  const index = unsigned(fuelGlobal);
  const charge = [
    ...[OP.globalGet, ...index, OP.i32Const, 1, OP.sub, OP.globalSet, ...index],
    ...[OP.globalGet, ...index, OP.i32Const, 0, OP.ltS, OP.if, NO_RESULT, OP.unreachable, OP.end],
  ];
  for (const body of code.bodies) {
    const parts: (Uint8Array | number[])[] = [];
    let from = 0;
    for (const start of loopStarts(body.code)) {
      parts.push(charge, body.code.subarray(from, start));
      from = start;
    }
    parts.push(charge, body.code.subarray(from));
    body.code = concat(parts);
  }
}

/** @returns the first value of an i32 global */
export function readGlobal(sections: readonly Section[], index: number): number {
  const reader = new Reader(sections.find(({ id }) => id === SECTION.global)!.payload);
  for (let left = reader.unsigned(), at = 0; at < left; at++) {
    const type = reader.byte();
    reader.byte();
    if (type !== I32 || reader.byte() !== OP.i32Const) throw new Error("only constant i32 globals are expected");
    const value = reader.signed();
    if (reader.byte() !== OP.end) throw new Error("only constant i32 globals are expected");
    if (at === index) return value;
  }
  throw new Error(`there is no global ${index}`);
}

/** @returns the sections with a mutable i32 global added and exported, and the new global's index */
export function addGlobal(sections: readonly Section[], name: string, value: number): { sections: Section[]; index: number } {
  const index = new Reader(sections.find(({ id }) => id === SECTION.global)!.payload).unsigned();
  const entry = [I32, MUTABLE, OP.i32Const, ...signed(value), OP.end];
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
