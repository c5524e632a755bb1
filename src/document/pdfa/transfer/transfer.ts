// Reads transfer functions of graphics states (ISO 32000-1, 10.5), which change painted colors.
import { createHash } from "node:crypto";
import { EngineFailure } from "../../contract/failure.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Dictionary, Value } from "../../objects/values.ts";
import { readFunction } from "./functions.ts";

/** Changes a component of an additive color, from 0 to 1. */
export type Curve = (component: number) => number;

const LEVELS = 255;
/** Minimum visible difference: half of one of the 256 levels of a component. */
const VISIBLE = 0.5 / LEVELS;
/** Maximum deviation of a curve that counts as a straight line. */
const STRAIGHT = 0.25 / LEVELS;
const IDENTITIES = new Set(["Identity", "Default"]);

/** Curves of red, green, blue and gray. */
export class Transfer {
  /** A key that is equal for equal curves. */
  readonly key: string;
  readonly rgb: readonly [Curve, Curve, Curve];
  readonly gray: Curve;
  /** True if red, green and blue have the same curve, so that gray stays gray. */
  readonly isUniform: boolean;
  /** True if the curves keep 0 and 1 (no ink and full ink). Each ink can then be changed separately. */
  readonly keepsInks: boolean;

  constructor(curves: readonly Curve[]) {
    const [red, green = red, blue = green, gray = red] = curves.map(tabulate) as [Curve, Curve?, Curve?, Curve?];
    this.rgb = [red, green!, blue!];
    this.gray = gray!;
    const keys = [...this.rgb, this.gray].map(keyOf);
    this.key = createHash("sha256").update(keys.join("\n")).digest("base64url");
    this.isUniform = new Set(keys.slice(0, 3)).size === 1;
    this.keepsInks = [...this.rgb, this.gray].every((curve) => curve(0) < VISIBLE && curve(1) > 1 - VISIBLE);
  }

  get isIdentity(): boolean {
    return [...this.rgb, this.gray].every((curve) =>
      LEVEL_VALUES.every((level) => Math.abs(curve(level) - level) < VISIBLE),
    );
  }
}

const LEVEL_VALUES = Array.from({ length: LEVELS + 1 }, (_, level) => level / LEVELS);

/** Returns the curve as an interpolated table, so that its cost does not depend on the function. */
function tabulate(curve: Curve): Curve {
  const table = LEVEL_VALUES.map((level) => Math.max(0, Math.min(1, curve(level))));
  return (component) => {
    const position = Math.max(0, Math.min(1, component)) * LEVELS;
    const floor = Math.min(LEVELS - 1, Math.floor(position));
    return table[floor]! + (position - floor) * (table[floor + 1]! - table[floor]!);
  };
}

const keyOf = (curve: Curve): string => LEVEL_VALUES.map((level) => Math.round(curve(level) * 4095)).join(" ");

/** Returns the line `start + slope * component` that approximates a curve; undefined if it is not straight. */
export function lineOf(curve: Curve): { readonly start: number; readonly slope: number } | undefined {
  const [start, slope] = [curve(0), curve(1) - curve(0)];
  const isStraight = LEVEL_VALUES.every((level) => Math.abs(curve(level) - start - slope * level) < STRAIGHT);
  return isStraight ? { start, slope } : undefined;
}

/**
 * Reads the transfer functions that a graphics state sets. `TR2` takes precedence (table 58).
 * @returns undefined if the state sets no functions; null if it resets them to the identity
 */
export function readTransfer(file: PdfFile, state: Dictionary | undefined): Transfer | null | undefined {
  const value = state?.get("TR2") ?? state?.get("TR");
  if (value === undefined) return undefined;
  const curves = (file.array(value) ?? [value]).map((one) => readCurve(file, one));
  // Viewers ignore invalid functions.
  if (curves.length === 0 || curves.includes(undefined)) return null;
  const transfer = new Transfer(curves as Curve[]);
  return transfer.isIdentity ? null : transfer;
}

/**
 * Reports whether a graphics state sets a transfer function that changes colors, or that costs too much to evaluate.
 */
export function setsTransfer(file: PdfFile, state: Dictionary): boolean {
  try {
    return readTransfer(file, state) instanceof Transfer;
  } catch (error) {
    if (error instanceof EngineFailure && error.reason === "too-complex") return true;
    throw error;
  }
}

function readCurve(file: PdfFile, value: Value): Curve | undefined {
  if (IDENTITIES.has(file.name(value) ?? "")) return (component) => component;
  const evaluate = readFunction(file, value);
  return evaluate && ((component) => evaluate([component])[0] ?? component);
}
