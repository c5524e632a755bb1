// The color space to which a document is converted.

import { COLOR_CLASSES, componentsOf, profileOf, readHeader } from "../formats/icc/header.ts";
import type { EngineSpace } from "../objects/engine/color-spaces.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, plainBody, type Value } from "../objects/values.ts";

export interface Target {
  /** The color space as a value of the document. */
  readonly space: Value;
  readonly engine: EngineSpace;
  readonly channels: 1 | 3 | 4;
  readonly isLab: boolean;
  /** @default Lab, or device gray */
  readonly profile?: Uint8Array;
}

/** Device gray, for masks. */
export const GRAY: Target = {
  ...{ space: Name.of("DeviceGray"), engine: { key: "gray", is: "gray" }, channels: 1, isLab: false },
};

export const LAB: Target = {
  space: [Name.of("Lab"), Dictionary.of({ WhitePoint: [0.9642, 1, 0.8249], Range: [-128, 127, -128, 127] })],
  ...{ engine: { key: "lab", is: "lab" }, channels: 3, isLab: true },
};

/**
 * @param profile of gray, RGB or CMYK
 * @returns the target with a space that is added to the file; undefined if the profile is of another kind
 */
export function targetOf(file: PdfFile, profile: Uint8Array): Target | undefined {
  const bytes = profileOf(profile);
  const header = bytes && readHeader(bytes);
  const channels = header && header.space !== "Lab " ? componentsOf(header.space) : undefined;
  if (!bytes || channels === undefined || !COLOR_CLASSES.has(header!.deviceClass)) return undefined;
  const stream = file.add(new PdfStream(Dictionary.of({ N: channels }), plainBody(bytes.slice())));
  const space = file.add([Name.of("ICCBased"), stream]);
  return { space, engine: { key: "target", is: bytes }, channels, isLab: false, profile: bytes };
}

/** Returns a component for a byte of the engine, and the reverse. */
export function toComponents(bytes: Uint8Array, { isLab }: Pick<Target, "isLab">): number[] {
  return Array.from(bytes, (byte, at) => (isLab ? (at === 0 ? byte / 2.55 : byte - 128) : byte / 255));
}

export function toBytes(components: readonly number[], { isLab }: Pick<Target, "isLab">): Uint8Array {
  const bytes = components.map((part, at) => (isLab ? (at === 0 ? part * 2.55 : part + 128) : part * 255));
  return Uint8Array.from(bytes, (byte) => Math.round(Math.max(0, Math.min(255, byte))));
}

/** Returns the ranges of the components, in pairs. */
export const rangesOf = ({ isLab, channels }: Target): number[] =>
  isLab ? [0, 100, -128, 127, -128, 127] : Array.from({ length: 2 * channels }, (_, at) => at % 2);
