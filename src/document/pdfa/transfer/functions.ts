// Evaluates PDF functions (ISO 32000-1, 7.10).
import type { PdfFile } from "../../objects/pdf-file.ts";
import { type Dictionary, Reference, type Value } from "../../objects/values.ts";
import { readCalculator } from "./calculator.ts";
import { Effort } from "./effort.ts";

/** Returns the outputs for the inputs, which stay unchanged. */
export type PdfFunction = (inputs: readonly number[]) => number[];

const MAX_BYTES = 16 * 2 ** 20;
const MAX_DEPTH = 8;
/** Maximum number of inputs of a sampled function, because interpolation needs 2^n samples. */
const MAX_INPUTS = 8;
/** Steps for reading a function, and for each byte of it in memory. */
const FUNCTION_EFFORT = 100;
const BYTE_EFFORT = 10;

/** Per file: the functions read so far, by object number, and the remaining steps. */
const known = new WeakMap<
  PdfFile,
  { readonly functions: Map<number, PdfFunction | undefined>; readonly effort: Effort }
>();

/**
 * @returns undefined if the value is not a function, or is invalid
 * @throws EngineFailure `too-complex` if the functions of the file need too many steps; the returned function also
 * throws it
 */
export function readFunction(file: PdfFile, value: Value | undefined, depth = 0): PdfFunction | undefined {
  const { functions, effort } = known.get(file) ?? { functions: new Map(), effort: new Effort() };
  known.set(file, { functions, effort });
  effort.spend(0);
  if (!(value instanceof Reference)) return read(file, value, depth, effort);
  if (functions.has(value.number)) return functions.get(value.number);
  // A function that contains itself is invalid.
  functions.set(value.number, undefined);
  const made = read(file, value, depth, effort);
  functions.set(value.number, made);
  return made;
}

function read(file: PdfFile, value: Value | undefined, depth: number, effort: Effort): PdfFunction | undefined {
  const dictionary = file.dictionary(value);
  if (!dictionary || depth > MAX_DEPTH) return undefined;
  effort.spend(FUNCTION_EFFORT);
  const numbers = (key: string) => (file.array(dictionary.get(key)) ?? []).map((element) => file.number(element) ?? 0);
  const domain = numbers("Domain");
  if (domain.length < 2 || domain.length % 2 === 1) return undefined;
  const range = numbers("Range");
  const evaluate = readers[file.number(dictionary.get("FunctionType")) ?? -1]?.(
    { file, dictionary, numbers, domain, range, depth, effort },
    value,
  );
  return evaluate && ((inputs) => bounded(evaluate(bounded(inputs, domain)), range));
}

interface Parts {
  readonly file: PdfFile;
  readonly dictionary: Dictionary;
  numbers(key: string): number[];
  readonly domain: readonly number[];
  readonly range: readonly number[];
  readonly depth: number;
  readonly effort: Effort;
}

/** Readers by function type. */
const readers: Readonly<Record<number, (parts: Parts, value: Value | undefined) => PdfFunction | undefined>> = {
  0: sampled,
  2: exponential,
  3: stitched,
  4: ({ file, range, effort }, value) => {
    const bytes = decodeStream(file, value, effort);
    return bytes && readCalculator(Buffer.from(bytes).toString("latin1"), range.length / 2, effort);
  },
};

function decodeStream(file: PdfFile, value: Value | undefined, effort: Effort): Uint8Array | undefined {
  let bytes: Uint8Array | undefined;
  try {
    bytes = file.stream(value)?.body.decoded(MAX_BYTES);
  } catch {
    return undefined;
  }
  effort.spend(BYTE_EFFORT * (bytes?.length ?? 0));
  return bytes;
}

/** Clamps values to pairs of bounds, if present. */
const bounded = (values: readonly number[], bounds: readonly number[]): number[] =>
  bounds.length < 2
    ? [...values]
    : Array.from({ length: bounds.length >> 1 }, (_, index) =>
        Math.min(bounds[2 * index + 1]!, Math.max(bounds[2 * index]!, values[index] ?? 0)),
      );

const between = (value: number, from: readonly number[], to: readonly number[]): number =>
  from[1] === from[0] ? to[0]! : to[0]! + ((value - from[0]!) * (to[1]! - to[0]!)) / (from[1]! - from[0]!);

function exponential({ numbers, file, dictionary }: Parts): PdfFunction {
  const [low, high] = [numbers("C0"), numbers("C1")];
  const exponent = file.number(dictionary.get("N")) ?? 1;
  const from = low.length > 0 ? low : [0];
  const to = high.length > 0 ? high : [1];
  return ([input = 0]) => from.map((start, index) => start + input ** exponent * ((to[index] ?? start) - start));
}

function stitched({ file, dictionary, numbers, domain, depth }: Parts): PdfFunction | undefined {
  const functions = (file.array(dictionary.get("Functions")) ?? []).map((one) => readFunction(file, one, depth + 1));
  const [bounds, encode] = [numbers("Bounds"), numbers("Encode")];
  if (functions.length === 0 || functions.includes(undefined) || bounds.length < functions.length - 1) return undefined;
  const limits = [domain[0]!, ...bounds.slice(0, functions.length - 1), domain[1]!];
  return ([input = 0]) => {
    const found = limits.slice(1, -1).findIndex((limit) => input < limit);
    const index = found < 0 ? functions.length - 1 : found;
    const to = encode.slice(2 * index, 2 * index + 2);
    return functions[index]!([between(input, limits.slice(index, index + 2), to.length === 2 ? to : [0, 1])]);
  };
}

function sampled({ file, dictionary, numbers, domain, range, effort }: Parts, value: Value | undefined) {
  const bytes = decodeStream(file, value, effort);
  const size = numbers("Size");
  const bits = file.number(dictionary.get("BitsPerSample")) ?? 8;
  const inputs = domain.length >> 1;
  const outputs = range.length >> 1;
  const isPossible = bytes && outputs > 0 && inputs <= MAX_INPUTS && size.length >= inputs && bits <= 32;
  if (!isPossible || size.some((length) => !(length >= 1))) return undefined;
  const count = size.slice(0, inputs).reduce((product, length) => product * length, outputs);
  if (bytes.length * 8 < count * bits) return undefined;
  const encode = numbers("Encode");
  const decode = numbers("Decode").length >= 2 * outputs ? numbers("Decode") : range;
  const most = 2 ** bits - 1;
  const sampleAt = (index: number) => readBits(bytes, index * bits, bits) / most;
  return (values: readonly number[]): number[] => {
    effort.spend(2 ** inputs + outputs);
    const places = values.slice(0, inputs).map((input, axis) => {
      const last = size[axis]! - 1;
      const to = encode.length >= 2 * inputs ? encode.slice(2 * axis, 2 * axis + 2) : [0, last];
      const position = Math.min(last, Math.max(0, between(input, domain.slice(2 * axis, 2 * axis + 2), to)));
      const floor = Math.min(Math.floor(position), Math.max(0, last - 1));
      return { floor, part: position - floor };
    });
    const result = new Array<number>(outputs).fill(0);
    for (let corner = 0; corner < 2 ** inputs; corner++) {
      let [weight, at, stride] = [1, 0, 1];
      places.forEach(({ floor, part }, axis) => {
        const isUpper = (corner >> axis) & 1;
        weight *= isUpper ? part : 1 - part;
        at += (floor + isUpper) * stride;
        stride *= size[axis]!;
      });
      if (weight === 0) continue;
      for (let output = 0; output < outputs; output++) result[output]! += weight * sampleAt(at * outputs + output);
    }
    return result.map((sample, output) => between(sample, [0, 1], decode.slice(2 * output, 2 * output + 2)));
  };
}

/** Reads an unsigned number, most significant bit first. */
export function readBits(bytes: Uint8Array, start: number, count: number): number {
  let value = 0;
  for (let bit = start; bit < start + count; ) {
    const taken = Math.min(8 - (bit & 7), start + count - bit);
    const part = (bytes[bit >> 3]! >> (8 - (bit & 7) - taken)) & (2 ** taken - 1);
    value = value * 2 ** taken + part;
    bit += taken;
  }
  return value;
}
