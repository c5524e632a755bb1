// Applies transfer functions to shadings (ISO 32000-1, 8.7.4.5): to the results of their functions, or to the colors of
// mesh vertices.
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, type PdfObject, PdfStream, plainBody, type Value } from "../../objects/values.ts";
import { type PdfFunction, readBits, readFunction } from "./functions.ts";
import type { Transfer } from "./transfer.ts";
import { applyTransfer, type Color, type ColorSpace, readSpace } from "./transferred-colors.ts";

const MAX_BYTES = 64 * 2 ** 20;
/** Number of samples for a function with one input, and for each input of a function with two inputs. */
const SAMPLES = [1024, 128];
const FUNCTION_BASED = 1;
const FREE_FORM = 4;
const LATTICE = 5;
const TENSOR = 7;
const FULL = 65_535;
const UNIT = [0, 1, 0, 1, 0, 1, 0, 1];

/** @returns undefined if the shading stays unchanged */
export function transferredShading(file: PdfFile, value: Value | undefined, transfer: Transfer): PdfObject | undefined {
  const space = readSpace(file, file.dictionary(value)?.get("ColorSpace"));
  return space && mappedShading(file, value, space, (color) => applyTransfer(transfer, space.toProcess(color)));
}

/**
 * Replaces the colors of a shading.
 * @param map returns the new color, always in the same color space
 * @param ranges of the components of new colors, in pairs. @default from 0 to 1
 * @returns undefined if the shading is invalid
 */
export function mappedShading(
  file: PdfFile,
  value: Value | undefined,
  space: ColorSpace,
  map: MapColor,
  ranges: readonly number[] = UNIT,
): PdfObject | undefined {
  const object = file.resolve(value);
  const shading = file.dictionary(value);
  if (!shading) return undefined;
  const dictionary = shading.clone().set("ColorSpace", map(space.initial).space);
  const background = file.array(shading.get("Background"))?.map((part) => file.number(part) ?? 0);
  if (background) dictionary.set("Background", [...map(background).components]);
  let body = object instanceof PdfStream ? object.body : undefined;
  if (shading.has("Function")) {
    const made = sampledFunction(file, shading, map, ranges);
    if (!made) return undefined;
    dictionary.set("Function", file.add(made));
  } else if (object instanceof PdfStream) {
    const mesh = transferredMesh(file, object, space, map, ranges);
    if (!mesh) return undefined;
    dictionary.set("Decode", mesh.decode);
    for (const key of ["Filter", "DecodeParms", "DL"]) dictionary.delete(key);
    dictionary.set("BitsPerComponent", 16);
    body = plainBody(mesh.bytes);
  } else return undefined;
  return body ? new PdfStream(dictionary, body) : dictionary;
}

type MapColor = (components: readonly number[]) => Color;

/** Returns the function of a shading as samples, with the transfer function applied to its outputs. */
function sampledFunction(
  file: PdfFile,
  shading: Dictionary,
  map: MapColor,
  ranges: readonly number[],
): PdfStream | undefined {
  const value = shading.get("Function");
  const functions = (file.array(value) ?? [value ?? null]).map((one) => readFunction(file, one));
  if (functions.includes(undefined)) return undefined;
  const evaluate = (inputs: readonly number[]) => (functions as PdfFunction[]).flatMap((one) => one(inputs));
  const numbers = (holder: Dictionary | undefined, key: string) =>
    (file.array(holder?.get(key)) ?? []).map((element) => file.number(element) ?? 0);
  const isOfTwo = file.number(shading.get("ShadingType")) === FUNCTION_BASED;
  const inputs = isOfTwo ? 2 : 1;
  const own = numbers(shading, "Domain");
  const decode = numbers(shading, "Decode").slice(4, 6);
  const limits = own.length >= 2 * inputs ? own : decode.length === 2 ? decode : isOfTwo ? [0, 1, 0, 1] : [0, 1];
  const count = SAMPLES[inputs - 1]!;
  const at = (axis: number, index: number) =>
    limits[2 * axis]! + (index / (count - 1)) * (limits[2 * axis + 1]! - limits[2 * axis]!);
  const samples: number[] = [];
  for (let index = 0; index < count ** inputs; index++) {
    const place = isOfTwo ? [at(0, index % count), at(1, Math.floor(index / count))] : [at(0, index)];
    map(evaluate(place)).components.forEach((part, index) => {
      samples.push(toWord(part, ranges.slice(2 * index)));
    });
  }
  const outputs = samples.length / count ** inputs;
  const bytes = new Uint8Array(samples.length * 2);
  for (const [index, sample] of samples.entries()) bytes.set([sample >> 8, sample & 255], 2 * index);
  const dictionary = Dictionary.of({
    FunctionType: 0,
    Domain: limits.slice(0, 2 * inputs),
    Range: ranges.slice(0, 2 * outputs),
    Size: new Array<number>(inputs).fill(count),
    BitsPerSample: 16,
  });
  return new PdfStream(dictionary, plainBody(bytes));
}

/** Changes the colors of a mesh without a function. Its coordinates stay. */
function transferredMesh(
  file: PdfFile,
  { dictionary, body }: PdfStream,
  { channels }: ColorSpace,
  map: MapColor,
  ranges: readonly number[],
) {
  const number = (key: string) => file.number(dictionary.get(key)) ?? 0;
  const decode = (file.array(dictionary.get("Decode")) ?? []).map((element) => file.number(element) ?? 0);
  const [type, flagBits, pointBits, colorBits] = [
    number("ShadingType"),
    number("BitsPerFlag"),
    number("BitsPerCoordinate"),
    number("BitsPerComponent"),
  ];
  if (!(type >= FREE_FORM && type <= TENSOR) || pointBits < 1 || colorBits < 1 || decode.length < 4 + 2 * channels)
    return undefined;
  let bytes: Uint8Array;
  try {
    bytes = body.decoded(MAX_BYTES);
  } catch {
    return undefined;
  }
  const writer = new BitWriter();
  const total = bytes.length * 8;
  let at = 0;
  const take = (count: number) => {
    const value = readBits(bytes, at, count);
    at += count;
    return value;
  };
  const partOf = (flag: number) => shapeOf(type, flag);
  const color = () => {
    const components = Array.from({ length: channels }, (_, index) => {
      const [low, high] = decode.slice(4 + 2 * index, 6 + 2 * index) as [number, number];
      return low + (take(colorBits) * (high - low)) / (2 ** colorBits - 1);
    });
    const made = map(components).components;
    made.forEach((part, index) => {
      writer.put(toWord(part, ranges.slice(2 * index)), 16);
    });
    return made.length;
  };
  let outputs = 0;
  while (true) {
    const flagged = type === LATTICE ? 0 : flagBits;
    if (at + flagged > total) break;
    const flag = flagged > 0 ? readBits(bytes, at, flagged) & 3 : 0;
    const { points, colors } = partOf(flag);
    if (at + flagged + 2 * points * pointBits + colors * channels * colorBits > total) break;
    if (flagged > 0) writer.put(take(flagged), flagged);
    for (let point = 0; point < 2 * points; point++) writer.put(take(pointBits), pointBits);
    for (let index = 0; index < colors; index++) outputs = color();
    // Vertices of triangles, and patches, start at a byte boundary (8.7.4.5.5 and 8.7.4.5.7).
    at = Math.ceil(at / 8) * 8;
    writer.align();
  }
  const colors = ranges.slice(0, 2 * outputs);
  return outputs > 0 ? { bytes: writer.bytes(), decode: [...decode.slice(0, 4), ...colors] } : undefined;
}

function shapeOf(type: number, flag: number): { readonly points: number; readonly colors: number } {
  if (type <= LATTICE) return { points: 1, colors: 1 };
  const points = (type === TENSOR ? 16 : 12) - (flag > 0 ? 4 : 0);
  return { points, colors: flag > 0 ? 2 : 4 };
}

class BitWriter {
  readonly #bytes: number[] = [];
  #pending = 0;
  #count = 0;

  put(value: number, bits: number): void {
    for (let left = bits; left > 0; ) {
      const taken = Math.min(8 - this.#count, left);
      left -= taken;
      this.#pending = (this.#pending << taken) | (Math.floor(value / 2 ** left) % 2 ** taken);
      this.#count += taken;
      if (this.#count === 8) {
        this.#bytes.push(this.#pending);
        [this.#pending, this.#count] = [0, 0];
      }
    }
  }

  /** Pads the last byte with zeros. */
  align(): void {
    if (this.#count > 0) this.put(0, 8 - this.#count);
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

function toWord(component: number, [low = 0, high = 1]: readonly number[]): number {
  return Math.round(Math.max(0, Math.min(1, (component - low) / (high - low))) * FULL);
}
