// Takes a module's code section apart and puts it together again. Knows the binary format, not the engine.
import { concat, countImportedFunctions, Reader, SECTION, type Section, signed, unsigned } from "./binary.ts";

const I32 = 0x7f;
const I32_CONST = 0x41;
const FUNCTION_TYPE = 0x60;
export const NO_RESULT = 0x40;

/** One function's code. */
export interface Body {
  readonly parameters: number;
  /** Number of parameters and locals together. */
  variables: number;
  /** Type of the result, as a block type. */
  readonly result: number;
  /** Groups of locals, each with its count and type. */
  readonly locals: number[][];
  code: Uint8Array;
}

/** A code section. `first` is the index of the first function that is not imported. */
export interface Code {
  readonly first: number;
  readonly bodies: Body[];
}

export function readCode(sections: readonly Section[]): Code {
  const reader = sectionReader(sections, SECTION.code);
  const types = readTypes(sections);
  const typeOf = sectionReader(sections, SECTION.function);
  typeOf.unsigned();
  const bodies: Body[] = [];
  for (let left = reader.unsigned(); left > 0; left--) {
    const body = new Reader(reader.take(reader.unsigned()));
    const { parameters, result } = types[typeOf.unsigned()]!;
    const locals: number[][] = [];
    let variables = parameters;
    for (let groups = body.unsigned(); groups > 0; groups--) {
      const count = body.unsigned();
      locals.push([...unsigned(count), body.byte()]);
      variables += count;
    }
    bodies.push({ parameters, variables, result, locals, code: body.bytes.subarray(body.offset) });
  }
  return { first: countImportedFunctions(sectionReader(sections, SECTION.import).bytes), bodies };
}

export function writeCode({ bodies }: Code): Uint8Array {
  const parts: (Uint8Array | number[])[] = [unsigned(bodies.length)];
  for (const { locals, code } of bodies) {
    const declared = [...unsigned(locals.length), ...locals.flat()];
    parts.push(unsigned(declared.length + code.length), declared, code);
  }
  return concat(parts);
}

/** @returns the index of a new i32 local */
export function addLocal(body: Body): number {
  body.locals.push([1, I32]);
  return body.variables++;
}

/**
 * Replaces the only `i32.const from` of a function.
 * @throws Error unless there is exactly one; otherwise it is another version of the engine
 */
export function replaceConstant(body: Body, from: number, to: number): void {
  const code = Buffer.from(body.code);
  const wanted = Buffer.from([I32_CONST, ...signed(from)]);
  const at = code.indexOf(wanted);
  if (at < 0 || code.indexOf(wanted, at + 1) >= 0) throw new Error(`i32.const ${from} is not there exactly once`);
  body.code = concat([code.subarray(0, at), [I32_CONST, ...signed(to)], code.subarray(at + wanted.length)]);
}

function readTypes(sections: readonly Section[]): { parameters: number; result: number }[] {
  const reader = sectionReader(sections, SECTION.type);
  const types: { parameters: number; result: number }[] = [];
  for (let left = reader.unsigned(); left > 0; left--) {
    if (reader.byte() !== FUNCTION_TYPE) throw new Error("only function types are expected");
    const parameters = reader.unsigned();
    reader.take(parameters);
    const results = reader.take(reader.unsigned());
    if (results.length > 1) throw new Error("functions with several results are not expected");
    types.push({ parameters, result: results[0] ?? NO_RESULT });
  }
  return types;
}

function sectionReader(sections: readonly Section[], id: number): Reader {
  const section = sections.find((candidate) => candidate.id === id);
  if (!section) throw new Error(`the module has no section ${id}`);
  return new Reader(section.payload);
}
