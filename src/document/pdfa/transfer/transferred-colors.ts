// Applies transfer functions to colors of any color space (ISO 32000-1, 8.6 and 10.5). Like viewers, applies them to
// red, green and blue, regardless of the color space.
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Name, PdfStream, PdfString, type Value } from "../../objects/values.ts";
import { readFunction } from "./functions.ts";
import type { Curve, Transfer } from "./transfer.ts";

export interface Color {
  readonly space: Value;
  readonly components: readonly number[];
}

/** The properties of a color space that transfer functions need. */
export interface ColorSpace {
  readonly channels: number;
  /** The initial color of the space (8.6.5.3 ff.). */
  readonly initial: readonly number[];
  /** Maximum index of an indexed space. */
  readonly lastIndex?: number;
  /** True if {@link toProcess} returns Lab. */
  readonly isLab?: boolean;
  /** The ranges of the components, in pairs. @default from 0 to 1 */
  readonly ranges?: readonly number[];
  /** Converts a color to one, three or four process components. */
  toProcess(components: readonly number[]): Color;
}

const MAX_DEPTH = 4;
const MAX_LOOKUP_BYTES = 1 << 20;
const MAX_CHANNELS = 32;
const FAMILIES: Readonly<Record<string, number>> = {
  DeviceGray: 1,
  CalGray: 1,
  G: 1,
  DeviceRGB: 3,
  CalRGB: 3,
  RGB: 3,
  DeviceCMYK: 4,
  CMYK: 4,
};

/** @returns undefined for patterns, Lab and invalid spaces, whose colors stay unchanged */
export function readSpace(file: PdfFile, space: Value | undefined): ColorSpace | undefined {
  const read = readAnySpace(file, space);
  return read?.isLab ? undefined : read;
}

/** @returns undefined for patterns and invalid spaces */
export function readAnySpace(file: PdfFile, space: Value | undefined, depth = 0): ColorSpace | undefined {
  const array = file.array(space);
  const family = file.name(array?.[0] ?? space);
  if (space === undefined || family === undefined || depth > MAX_DEPTH) return undefined;
  if (family in FAMILIES) return process(space, FAMILIES[family]!);
  if (!array) return undefined;
  if (family === "Lab") return lab(file, space, file.dictionary(array[1])?.get("Range"));
  if (family === "ICCBased") {
    const profile = file.dictionary(array[1]);
    const alternate = file.array(profile?.get("Alternate"));
    const channels = file.number(profile?.get("N")) ?? 0;
    if (channels === 3 && file.name(alternate?.[0]) === "Lab") return readAnySpace(file, alternate as Value, depth + 1);
    return [1, 3, 4].includes(channels) ? process(space, channels) : undefined;
  }
  if (family === "Indexed" || family === "I") return indexed(file, array, depth);
  if (family === "Separation" || family === "DeviceN") return tints(file, array, family, depth);
  return undefined;
}

const process = (space: Value, channels: number): ColorSpace => ({
  channels,
  initial: channels === 4 ? [0, 0, 0, 1] : new Array<number>(channels).fill(0),
  toProcess: (components) => ({ space, components }),
});

function lab(file: PdfFile, space: Value, range: Value | undefined): ColorSpace {
  const given = (file.array(range) ?? []).map((end) => file.number(end) ?? 0);
  const ranges = [0, 100, ...(given.length === 4 ? given : [-100, 100, -100, 100])];
  return { ...process(space, 3), isLab: true, ranges };
}

function indexed(file: PdfFile, [, baseSpace, high, lookup]: readonly Value[], depth: number): ColorSpace | undefined {
  const base = readAnySpace(file, baseSpace, depth + 1);
  const object = file.resolve(lookup);
  let bytes: Uint8Array | undefined;
  try {
    bytes = object instanceof PdfString ? object.bytes : undefined;
    if (object instanceof PdfStream) bytes = object.body.decoded(MAX_LOOKUP_BYTES);
  } catch {
    return undefined;
  }
  if (!base || !bytes || base.lastIndex !== undefined) return undefined;
  const { channels } = base;
  const lastIndex = Math.min(255, Math.max(0, file.number(high) ?? 0));
  return {
    channels: 1,
    initial: [0],
    lastIndex,
    isLab: base.isLab === true,
    toProcess([index = 0]) {
      const at = Math.min(lastIndex, Math.max(0, Math.round(index))) * channels;
      return base.toProcess(
        Array.from({ length: channels }, (_, channel) => {
          const [low = 0, high = 1] = base.ranges?.slice(2 * channel) ?? [];
          return low + ((high - low) * (bytes[at + channel] ?? 0)) / 255;
        }),
      );
    },
  };
}

function tints(
  file: PdfFile,
  [, names, alternateSpace, transform]: readonly Value[],
  family: string,
  depth: number,
): ColorSpace | undefined {
  const alternate = readAnySpace(file, alternateSpace, depth + 1);
  const evaluate = readFunction(file, transform);
  const channels = family === "Separation" ? 1 : (file.array(names)?.length ?? 0);
  // The colorant None paints nothing.
  const isNone = family === "Separation" && file.name(names) === "None";
  if (!alternate || !evaluate || isNone || channels < 1 || channels > MAX_CHANNELS) return undefined;
  return {
    channels,
    initial: new Array<number>(channels).fill(1),
    isLab: alternate.isLab === true,
    toProcess: (components) => alternate.toProcess(evaluate(components)),
  };
}

/** Applies a transfer function to a color with process components. */
export function applyTransfer({ rgb, gray, isUniform, keepsInks }: Transfer, { space, components }: Color): Color {
  const [first = 0] = components;
  if (components.length === 1 && isUniform) return { space, components: [rgb[0](first)] };
  if (components.length === 1) return { space: DEVICE_RGB, components: rgb.map((curve) => curve(first)) };
  if (components.length === 3) return { space, components: rgb.map((curve, index) => curve(components[index]!)) };
  if (keepsInks) {
    return { space, components: components.map((ink, index) => inkCurve([...rgb, gray][index]!)(ink)) };
  }
  const light = shownInks(components);
  return { space: DEVICE_RGB, components: rgb.map((curve, index) => curve(light[index]!)) };
}

/**
 * Colors that Poppler and MuPDF display for full inks. Each row contains red, green and blue, from 0 to 255, first
 * without and then with black ink. The index of a row is the sum of its inks: cyan 4, magenta 2 and yellow 1.
 */
const FULL_INKS = [
  [255, 255, 255, 35, 31, 32],
  [255, 242, 0, 28, 26, 0],
  [236, 0, 140, 36, 0, 0],
  [237, 28, 36, 34, 0, 0],
  [0, 173, 239, 0, 15, 36],
  [0, 166, 80, 0, 19, 0],
  [46, 49, 146, 0, 0, 2],
  [54, 54, 57, 0, 0, 0],
] as const;

/** Interpolates red, green and blue, from 0 to 1, between full inks. */
function shownInks(inks: readonly number[]): number[] {
  const [cyan, magenta, yellow, black] = inks as [number, number, number, number];
  const shown = [0, 0, 0];
  FULL_INKS.forEach((colors, mixture) => {
    const weight =
      (mixture & 4 ? cyan : 1 - cyan) * (mixture & 2 ? magenta : 1 - magenta) * (mixture & 1 ? yellow : 1 - yellow);
    for (let part = 0; part < 3; part++) {
      shown[part]! += (weight * ((1 - black) * colors[part]! + black * colors[part + 3]!)) / 255;
    }
  });
  return shown;
}

export const DEVICE_RGB: Value = Name.of("DeviceRGB");

/** Returns the curve of an ink: transfer functions apply to its complement (10.5). */
export const inkCurve =
  (curve: Curve): Curve =>
  (ink) =>
    1 - curve(1 - ink);
