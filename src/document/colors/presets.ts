// The profiles by name: RGB from published primaries, gray from a gamma or a dot gain. None is a copy of another
// program's profile.
import { grayProfile, rgbProfile, srgbProfile } from "../formats/icc/profile.ts";
import { columnsOf, type Primaries, SRGB, type Vector, whitePoint } from "../formats/to-pdf/calibrated.ts";

const D50_WHITE = [0.3457, 0.3585] as const;
/** Primaries of Apple's 13" display. */
const APPLE: Primaries = { white: SRGB.white, red: [0.625, 0.34], green: [0.28, 0.595], blue: [0.155, 0.07] };
/** Primaries of Radius' PressView displays, for proofs. */
const COLOR_MATCH: Primaries = { white: D50_WHITE, red: [0.63, 0.34], green: [0.295, 0.605], blue: [0.15, 0.075] };

const power = (gamma: number) => (value: number) => value ** gamma;

/**
 * Returns the luminance of a tint whose printed dots are larger than those of the film. The gain is largest at 50 % and
 * follows a sine, which keeps the curve monotonic up to 30 %.
 * @param gain at a tint of 50 %
 */
const dotGain = (gain: number) => (value: number) => value - gain * Math.sin(Math.PI * value);

const MAKERS = {
  srgb: srgbProfile,
  "apple-rgb": () => displayProfile("RGB of Apple displays", APPLE, 1.8),
  "color-match-rgb": () => displayProfile("RGB of PressView displays", COLOR_MATCH, 1.8),
  "gamma-18": () => grayProfile("Gray with gamma 1.8", power(1.8)),
  "gamma-22": () => grayProfile("Gray with gamma 2.2", power(2.2)),
  "dot-gain-10": () => grayProfile("Gray with a dot gain of 10 %", dotGain(0.1)),
  "dot-gain-15": () => grayProfile("Gray with a dot gain of 15 %", dotGain(0.15)),
  "dot-gain-20": () => grayProfile("Gray with a dot gain of 20 %", dotGain(0.2)),
  "dot-gain-25": () => grayProfile("Gray with a dot gain of 25 %", dotGain(0.25)),
  "dot-gain-30": () => grayProfile("Gray with a dot gain of 30 %", dotGain(0.3)),
  "monitor-rgb": () => displayProfile("RGB of a typical display", SRGB, 2.2),
};

type ComputedProfile = keyof typeof MAKERS;

/** The values of the API that name a profile computed here. */
export const PRESETS = Object.keys(MAKERS) as readonly ComputedProfile[];

export const isComputed = (name: string): name is ComputedProfile => Object.hasOwn(MAKERS, name);

export const computedProfile = (name: ComputedProfile): Uint8Array => MAKERS[name]();

function displayProfile(description: string, primaries: Primaries, gamma: number): Uint8Array {
  const adapt = toD50(whitePoint(primaries.white));
  const [rXYZ, gXYZ, bXYZ] = columnsOf(primaries).map(adapt) as [Vector, Vector, Vector];
  return rgbProfile(description, { rXYZ, gXYZ, bXYZ }, power(gamma));
}

/** The cone responses of the Bradford transform, and the inverse (ICC.1:2010, annex E). */
const CONES = [0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296];
const FROM_CONES = [
  0.9869929, -0.1470543, 0.1599627, 0.4323053, 0.5183603, 0.0492912, -0.0085287, 0.0400428, 0.9684867,
];
/** The white of the profile connection space (7.2.16). */
const D50: Vector = [0.9642, 1, 0.8249];

/** Returns a function that adapts X, Y, Z from a white point to D50. */
function toD50(white: Vector): (color: Vector) => Vector {
  const [from, to] = [times(CONES, white), times(CONES, D50)];
  return (color) => {
    const [long, middle, short] = times(CONES, color);
    return times(FROM_CONES, [(long * to[0]) / from[0], (middle * to[1]) / from[1], (short * to[2]) / from[2]]);
  };
}

const times = (matrix: readonly number[], [x, y, z]: Vector): Vector => {
  const row = (at: number) => matrix[at]! * x + matrix[at + 1]! * y + matrix[at + 2]! * z;
  return [row(0), row(3), row(6)];
};
