// Converts colors of a document to one color space, many at once, because each call of the engine creates a transform.

import { MAX_PROFILE_BYTES } from "../formats/icc/header.ts";
import type { EngineSpace } from "../objects/engine/color-spaces.ts";
import type { MupdfSource } from "../objects/engine/mupdf-source.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serialize } from "../objects/serialize.ts";
import { type Dictionary, Name, Reference, type Value } from "../objects/values.ts";
import { type ColorSpace, readAnySpace } from "../pdfa/transfer/transferred-colors.ts";
import { type Target, toBytes, toComponents } from "./target.ts";

/** Maximum number of cached colors. */
const MAX_COLORS = 2 ** 17;
/** Samples by which a space is compared with the target, for each number of components. */
const PROBES: Readonly<Record<number, number>> = { 1: 256, 3: 9 };
/** Maximum difference of samples in equal spaces, from rounding. */
const ROUNDING = 1;
const DEVICES = { 1: "gray", 3: "rgb", 4: "cmyk" } as const;
const DEVICE_NAMES: Readonly<Record<string, 1 | 3 | 4>> = {
  ...{ DeviceGray: 1, G: 1, DeviceRGB: 3, RGB: 3, DeviceCMYK: 4, CMYK: 4 },
};
const DEFAULTS = { 1: "DefaultGray", 3: "DefaultRGB", 4: "DefaultCMYK" } as const;

/** A gray, RGB, CMYK or Lab space of the document. */
export interface ProcessSpace {
  readonly engine: EngineSpace;
  readonly channels: 1 | 3 | 4;
  readonly isLab: boolean;
  /** True if components mean the same color in the target. */
  readonly isTarget: boolean;
}

/** A converted color, known after {@link ColorConverter.settle}. */
export interface Converted {
  components: readonly number[];
}

/** Converts a color at once. Its result may be provisional, see {@link ColorConverter.batch}. */
export type MapColor = (space: ColorSpace, components: readonly number[]) => readonly number[];

export class ColorConverter {
  readonly target: Target;
  readonly #file: PdfFile;
  readonly #source: MupdfSource;
  readonly #preservesBlack: boolean;
  /** Profiles of the output intents, by number of components. They define device colors. */
  readonly #intents: ReadonlyMap<number, EngineSpace>;
  readonly #spaces = new Map<string, ProcessSpace>();
  readonly #colors = new Map<string, Converted>();
  readonly #palettes = new Map<string, Reference>();
  #waiting: { readonly space: ProcessSpace; readonly components: readonly number[]; readonly to: Converted }[] = [];

  constructor(file: PdfFile, source: MupdfSource, target: Target, options: { readonly preservesBlack: boolean }) {
    this.#file = file;
    this.#source = source;
    this.target = target;
    this.#preservesBlack = options.preservesBlack && target.channels === 4;
    this.#intents = intentsOf(file);
  }

  /**
   * Returns a color of the target, whose components are known after {@link settle}.
   * @param resources of the content, whose default color spaces replace device spaces
   */
  color(space: ColorSpace, components: readonly number[], resources: Dictionary | undefined): Converted {
    const process = space.toProcess(components);
    const from = this.process(process.space, resources);
    const within = process.components.slice(0, from.channels).map((part) => (from.isLab ? part : bounded(part)));
    const kept = this.#preservesBlack ? keptBlack(within, from.isLab) : undefined;
    if (kept) return { components: kept };
    if (from.isTarget) return { components: within };
    const key = `${from.engine.key} ${within.join(" ")}`;
    const known = this.#colors.get(key);
    if (known) return known;
    const to: Converted = { components: [] };
    if (this.#colors.size < MAX_COLORS) this.#colors.set(key, to);
    this.#waiting.push({ space: from, components: within, to });
    return to;
  }

  /** Converts the colors that wait. */
  settle(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [space, colors] of Map.groupBy(waiting, (one) => one.space)) {
      const samples = Buffer.concat(colors.map(({ components }) => toBytes(components, space)));
      const made = this.samples(samples, space);
      const { channels } = this.target;
      colors.forEach(({ to }, index) => {
        to.components = toComponents(made.subarray(index * channels, (index + 1) * channels), this.target);
      });
    }
  }

  /** Runs work twice, with the same calls: first with zeros to learn its colors, then with the converted colors. */
  batch<T>(resources: Dictionary | undefined, work: (map: MapColor) => T): T {
    const zero = new Array<number>(this.target.channels).fill(0);
    const colors: Converted[] = [];
    work((space, components) => {
      colors.push(this.color(space, components, resources));
      return zero;
    });
    this.settle();
    let next = 0;
    return work(() => colors[next++]!.components);
  }

  /** Returns a palette, which is made once for equal entries. */
  once(key: string, make: () => Reference): Reference {
    const known = this.#palettes.get(key) ?? make();
    this.#palettes.set(key, known);
    return known;
  }

  /** Converts samples with 8 bits each, Lab as in {@link toBytes}. */
  samples(samples: Uint8Array, space: ProcessSpace): Uint8Array {
    const { engine } = this.target;
    const made =
      this.#source.colors.convert(samples, space.engine, engine) ??
      this.#source.colors.convert(samples, deviceOf(space.channels), engine);
    if (!made) throw new Error("the profile of the target cannot be used");
    return made;
  }

  /** @param value a gray, RGB, CMYK or Lab space */
  process(value: Value, resources: Dictionary | undefined): ProcessSpace {
    const found = this.#engineSpace(value, resources);
    const known = this.#spaces.get(found.engine.key);
    if (known) return known;
    const made = { ...found, isTarget: this.#isTarget(found) };
    this.#spaces.set(found.engine.key, made);
    return made;
  }

  #engineSpace(value: Value, resources: Dictionary | undefined): Omit<ProcessSpace, "isTarget"> {
    const file = this.#file;
    const array = file.array(value);
    const family = file.name(array?.[0] ?? value) ?? "";
    const device = DEVICE_NAMES[family];
    if (device) return this.#deviceSpace(device, resources);
    if (family === "Lab") return { engine: { key: "lab", is: "lab" }, channels: 3, isLab: true };
    if (family !== "ICCBased") {
      const key = serialize(array as Value, ({ number }) => number);
      return { engine: this.#source.colors.spaceOf(key, value), channels: family === "CalGray" ? 1 : 3, isLab: false };
    }
    const profile = array![1]!;
    const channels = file.number(file.dictionary(profile)?.get("N")) as 1 | 3 | 4;
    const bytes = profileBytes(file, profile);
    const engine = bytes && { key: keyOf(profile), is: bytes };
    return { engine: engine ?? deviceOf(channels), channels, isLab: false };
  }

  #deviceSpace(channels: 1 | 3 | 4, resources: Dictionary | undefined): Omit<ProcessSpace, "isTarget"> {
    const replacement = this.#file.dictionary(resources?.get("ColorSpace"))?.get(DEFAULTS[channels]);
    const space = replacement === undefined ? undefined : readAnySpace(this.#file, replacement);
    if (space?.channels === channels && this.#file.array(replacement)?.length === 2 && !space.isLab) {
      return this.#engineSpace(replacement!, undefined);
    }
    return { engine: this.#intents.get(channels) ?? deviceOf(channels), channels, isLab: false };
  }

  #isTarget({ engine, channels, isLab }: Omit<ProcessSpace, "isTarget">): boolean {
    const { target } = this;
    if (isLab || target.isLab) return isLab === target.isLab;
    if (channels !== target.channels) return false;
    const own = engine.is === "cmyk" ? this.#source.cmykProfile() : engine.is;
    if (own instanceof Uint8Array && target.profile && Buffer.from(own).equals(target.profile)) return true;
    // CMYK has several mixtures for a color, so that even equal profiles would change the inks.
    if (channels === 4) return false;
    const levels = PROBES[channels]!;
    const samples = Uint8Array.from({ length: levels ** channels * channels }, (_, at) => {
      const level = Math.floor(Math.floor(at / channels) / levels ** (at % channels)) % levels;
      return Math.round((level * 255) / (levels - 1));
    });
    const made = this.#source.colors.convert(samples, engine, target.engine);
    return made?.every((sample, at) => Math.abs(sample - samples[at]!) <= ROUNDING) ?? false;
  }
}

const bounded = (component: number) => Math.min(1, Math.max(0, component));

const deviceOf = (channels: 1 | 3 | 4): EngineSpace => ({ key: DEVICES[channels], is: DEVICES[channels] });

const keyOf = (value: Value): string =>
  value instanceof Reference ? `profile ${value.number}` : serialize(value, ({ number }) => number);

function profileBytes(file: PdfFile, value: Value): Uint8Array | undefined {
  try {
    return file.stream(value)?.body.decoded(MAX_PROFILE_BYTES).slice();
  } catch {
    // The alternate space of an unreadable profile defines its colors.
    return undefined;
  }
}

function intentsOf(file: PdfFile): Map<number, EngineSpace> {
  const found = new Map<number, EngineSpace>();
  for (const intent of file.array(file.catalog.get("OutputIntents")) ?? []) {
    const profile = file.dictionary(intent)?.get("DestOutputProfile");
    const channels = file.number(file.dictionary(profile)?.get("N")) ?? 0;
    const bytes = profile === undefined || found.has(channels) ? undefined : profileBytes(file, profile);
    if (bytes) found.set(channels, { key: keyOf(profile!), is: bytes });
  }
  return found;
}

/** Returns gray, black alone, and black in RGB as black ink alone; undefined for other colors. */
function keptBlack(components: readonly number[], isLab: boolean): readonly number[] | undefined {
  const [first = 0] = components;
  if (isLab) return undefined;
  if (components.length === 1) return [0, 0, 0, 1 - first];
  const isBlack = components.slice(0, 3).every((component) => component === 0);
  if (!isBlack) return undefined;
  return components.length === 4 ? [0, 0, 0, components[3]!] : [0, 0, 0, 1];
}

/** Returns the names of device spaces. */
export const deviceName = (channels: 1 | 3 | 4): Name =>
  Name.of({ 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" }[channels]);
