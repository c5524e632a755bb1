// Repairs spot colors (ISO 19005-2, 6.2.4.4): unifies the definitions of each colorant name, and adds a Separation to
// Colorants for each colorant of a DeviceN space.
import { createHash } from "node:crypto";
import { readColors } from "../../images/image-colors.ts";
import { fingerprint } from "../../objects/fingerprint.ts";
import { Dictionary, Name, type PdfStream, Reference, type Value } from "../../objects/values.ts";
import { newStream, type PdfaDocument } from "../pdfa-document.ts";

const PROCESS = new Set(["Cyan", "Magenta", "Yellow", "Black", "None", "All"]);
const MAX_PARTS = 5;
const MAX_FUNCTION_BYTES = 1 << 20;
/** Number of samples in the tint transform of one colorant: no tint and full tint. */
const SAMPLES = 2;

export function repairSpotColors(document: PdfaDocument): void {
  if (document.level.part === 1) return;
  const spaces = [...spotSpaces(document)];
  const known = knownSeparations(document, spaces);
  for (const space of spaces) if (document.file.name(space[0]) === "DeviceN") describeColorants(document, space, known);
  // If a name has several definitions, the first one replaces the others.
  if (!document.failed("6.2.4.4", 2) && !haveConflict(document, spaces)) return;
  const first = new Map<string, Value[]>();
  for (const space of spotSpaces(document)) {
    if (document.file.name(space[0]) !== "Separation") continue;
    const name = document.file.name(space[1]) ?? "";
    const known = first.get(name);
    if (known) [, , space[2], space[3]] = known as [Value, Value, Value, Value];
    else first.set(name, share(document, space));
  }
}

/** Reports whether it is certain that a name has different definitions. */
function haveConflict(document: PdfaDocument, spaces: readonly Value[][]): boolean {
  const meanings = new Map<string, string>();
  for (const [family, colorant, alternate, transform] of spaces) {
    if (document.file.name(family) !== "Separation") continue;
    const name = document.file.name(colorant) ?? "";
    const meaning = `${meaningOf(document, alternate!)} ${meaningOf(document, transform!)}`;
    if ((meanings.get(name) ?? meaning) !== meaning) return true;
    meanings.set(name, meaning);
  }
  return false;
}

function meaningOf({ file }: PdfaDocument, value: Value): string {
  const stream = file.stream(value);
  if (!stream) return fingerprint(file, value) ?? (value instanceof Reference ? `${value.number} R` : "");
  const bytes = decodedOr(stream) ?? new Uint8Array(0);
  return (
    `${fingerprint(file, file.dictionary(value)!.get("Range"))} ` +
    `${createHash("sha256").update(bytes).digest("hex")}`
  );
}

/** Makes the elements of a color space indirect objects, so that several spaces can share them. */
function share({ file }: PdfaDocument, space: Value[]): Value[] {
  for (const index of [2, 3]) {
    const part = space[index];
    if (part instanceof Dictionary || Array.isArray(part)) space[index] = file.add(part);
  }
  return space;
}

/** Yields Separation and DeviceN spaces. Their arrays belong to the file and can be changed. */
function* spotSpaces({ file, places, values }: PdfaDocument): Generator<Value[]> {
  const seen = new Set<readonly Value[]>();
  const waiting: Value[] = [...values];
  for (const { dictionary } of places) for (const value of dictionary.values()) waiting.push(value);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const array = file.array(next) as Value[] | undefined;
    if (!array || array.length > MAX_PARTS || seen.has(array)) continue;
    seen.add(array);
    const family = file.name(array[0]);
    if ((family === "Separation" || family === "DeviceN") && array.length >= 4) yield array;
    for (const element of array) if (element !== null && typeof element === "object") waiting.push(element);
  }
}

/** Adds missing entries to Colorants: a Separation for each spot color (ISO 32000-1, 8.6.6.5). */
function describeColorants(document: PdfaDocument, space: Value[], known: ReadonlyMap<string, Value>): void {
  const { file } = document;
  const names = (file.array(space[1]) ?? []).map((name) => file.name(name) ?? "");
  const attributes = file.dictionary(space[4])?.clone() ?? new Dictionary();
  const colorants = file.dictionary(attributes.get("Colorants"))?.clone() ?? new Dictionary();
  const components = file.array(file.dictionary(attributes.get("Process"))?.get("Components")) ?? [];
  const described = new Set(components.map((name) => file.name(name)));
  const missing = names.filter((name) => !PROCESS.has(name) && !described.has(name) && !colorants.has(name));
  if (missing.length === 0) return;
  for (const name of missing) {
    colorants.set(name, known.get(name) ?? ownSeparation(document, space, names, name));
  }
  space[4] = attributes.set("Colorants", colorants);
}

function knownSeparations({ file }: PdfaDocument, spaces: readonly Value[][]): Map<string, Value> {
  const known = new Map<string, Value>();
  for (const space of spaces) {
    const name = file.name(space[1]);
    if (file.name(space[0]) === "Separation" && name !== undefined && !known.has(name)) known.set(name, space);
  }
  return known;
}

/**
 * Returns a Separation for one colorant of a DeviceN space, derived from the space's tint transform. The DeviceN space
 * itself keeps that transform.
 */
function ownSeparation(document: PdfaDocument, space: readonly Value[], names: readonly string[], name: string): Value {
  const { file } = document;
  const [, , alternate, transform] = space;
  if (names.length === 1) return [Name.of("Separation"), Name.of(name), alternate!, transform!];
  const tint = alone(document, transform!, names.indexOf(name), names.length);
  const simple = () => Dictionary.of({ FunctionType: 2, Domain: [0, 1], N: 1, ...full(document, alternate!) });
  return [Name.of("Separation"), Name.of(name), alternate!, file.add(tint ?? simple())];
}

/** Returns the colors for no tint (C0) and for full tint (C1) in an alternate space. */
function full({ file }: PdfaDocument, alternate: Value): { readonly C0: number[]; readonly C1: number[] } {
  const channels = readColors(file, alternate)?.channels ?? 1;
  const [none, all] = channels === 4 ? [0, 1] : [1, 0];
  return { C0: Array<number>(channels).fill(none), C1: Array<number>(channels).fill(all) };
}

/**
 * Returns the tint transform of one colorant: the transform of the whole space, with the tints of all other colorants
 * at zero.
 */
function alone({ file }: PdfaDocument, transform: Value, index: number, count: number): PdfStream | undefined {
  const stream = file.stream(transform);
  if (!stream) return undefined;
  const { dictionary } = stream;
  const entries = { Domain: [0, 1], Range: [...(file.array(dictionary.get("Range")) ?? [])] };
  if (entries.Range.length < 2) return undefined;
  const bytes = decodedOr(stream);
  if (!bytes) return undefined;
  switch (file.number(dictionary.get("FunctionType"))) {
    case 4: {
      const body = Buffer.from(bytes).toString("latin1").trim();
      if (!body.startsWith("{") || !body.endsWith("}")) return undefined;
      // The tint is on the stack: zeros are inserted before and after it.
      const before = "0 exch ".repeat(index);
      const after = "0 ".repeat(count - index - 1);
      return newStream(`{ ${before}${after}${body.slice(1, -1)} }`, { ...entries, FunctionType: 4 });
    }
    case 0:
      return corners(dictionary, bytes, index, entries, (value) =>
        file.array(value)?.map((number) => file.number(number) ?? 0),
      );
    default:
      return undefined;
  }
}

function decodedOr(stream: PdfStream): Uint8Array | undefined {
  try {
    return stream.body.decoded(MAX_FUNCTION_BYTES);
  } catch {
    return undefined;
  }
}

/**
 * Returns a sampled function (7.10.2) with two samples of another sampled function: no colorant, and one colorant at
 * full tint.
 */
function corners(
  dictionary: Dictionary,
  bytes: Uint8Array,
  index: number,
  entries: { readonly Domain: number[]; readonly Range: Value[] },
  numbers: (value: Value | undefined) => number[] | undefined,
): PdfStream | undefined {
  const size = numbers(dictionary.get("Size")) ?? [];
  const outputs = entries.Range.length / 2;
  const bits = dictionary.get("BitsPerSample");
  if (bits !== 8 || dictionary.has("Encode") || size.length <= index) return undefined;
  const stride = size.slice(0, index).reduce((product, length) => product * length, outputs);
  const full = stride * (size[index]! - 1);
  if (full + outputs > bytes.length) return undefined;
  const samples = Buffer.concat([bytes.subarray(0, outputs), bytes.subarray(full, full + outputs)]);
  const decode = dictionary.get("Decode");
  return newStream(samples, {
    ...entries,
    FunctionType: 0,
    Size: [SAMPLES],
    BitsPerSample: 8,
    ...(decode === undefined ? {} : { Decode: decode }),
  });
}
