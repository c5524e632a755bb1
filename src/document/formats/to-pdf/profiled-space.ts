// The color space of samples with an ICC profile, if PDF supports the profile.
import { COLOR_CLASSES, componentsOf, profileOf, readHeader } from "../icc/header.ts";
import { CMYK, type ColorSpace, GRAY, RGB } from "./image-page.ts";

/** ISO 32000-1 refers to ICC.1:2004, profile version 4. */
const MAX_VERSION = 4;
const DEVICE_SPACES = { 1: GRAY, 3: RGB, 4: CMYK } as const satisfies Record<number, ColorSpace>;

/**
 * Returns the color space of samples with an ICC profile; a device color space if the profile does not fit the samples.
 */
export function profiledSpace(profile: Uint8Array | undefined, components: 1 | 3 | 4, isLab = false): ColorSpace {
  const fits = profile !== undefined && fitsSamples(profile, components, isLab);
  return fits ? { kind: "icc", profile: profileOf(profile)!.slice(), components } : DEVICE_SPACES[components];
}

function fitsSamples(profile: Uint8Array, components: number, isLab: boolean): boolean {
  const header = readHeader(profile);
  return (
    header !== undefined &&
    header.version <= MAX_VERSION &&
    COLOR_CLASSES.has(header.deviceClass) &&
    componentsOf(header.space) === components &&
    (header.space === "Lab ") === isLab
  );
}
