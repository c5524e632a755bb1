// Computes the color that constant alpha over one backdrop color produces (ISO 32000-1, 11.3.6), so that a shape can
// stay a vector.
import type { PdfFile } from "../../objects/pdf-file.ts";
import { serializeNumber } from "../../objects/serialize.ts";
import type { Value } from "../../objects/values.ts";
import type { Color, Paint } from "../scan/content-node.ts";
import type { ColorModel } from "./offscreen-document.ts";

/** The backdrop color, and the alpha of the color painted over it. */
export interface CompositeInput {
  readonly alpha: number;
  /** In the components of the model, from 0 to 1. */
  readonly backdrop: readonly number[];
  readonly model: ColorModel;
}

const DEFAULTS = ["DefaultGray", "DefaultRGB", "DefaultCMYK"];
const DEVICE_SPACES: Readonly<Record<string, number>> = { DeviceGray: 1, DeviceRGB: 3, DeviceCMYK: 4 };

/** @returns an operation that sets the composited fill or stroke color; undefined for colors outside the color model */
export function compositedColor(file: PdfFile, paint: Paint, mixture: CompositeInput): string | undefined {
  const color = paint.isStroke ? paint.stroke : paint.fill;
  const components = color ? deviceComponents(file, paint, color) : [0];
  const text = components && mixed(components, mixture);
  return text && (paint.isStroke ? text.toUpperCase() : text);
}

/** @param components of a device color: one, three or four */
export function mixed(components: readonly number[], { alpha, backdrop, model }: CompositeInput): string | undefined {
  const own = inModel(components, model);
  if (!own) return undefined;
  const result = own.map((component, index) => alpha * clamp(component) + (1 - alpha) * backdrop[index]!);
  return colorSetting(result, model);
}

/** @param color in the components of the model */
export function colorSetting(color: readonly number[], model: ColorModel): string {
  const isGray = model === "rgb" && color.every((component) => component === color[0]);
  const components = isGray ? color.slice(0, 1) : color;
  const operator = { 1: "g", 3: "rg", 4: "k" }[components.length];
  return `${components.map((component) => serializeNumber(Number(component.toFixed(4)))).join(" ")} ${operator}`;
}

/**
 * Scales ink tints by the alpha. On unprinted paper the result looks the same, and spot colors stay spot colors
 * (11.7.3).
 * @returns an operation that sets the color; undefined for colors other than inks
 */
export function scaledTint(file: PdfFile, paint: Paint, alpha: number): string | undefined {
  const color = paint.isStroke ? paint.stroke : paint.fill;
  if (!color || color.components.length === 0) return undefined;
  const tints = color.components.map((tint) => serializeNumber(tint * alpha)).join(" ");
  const operator = (text: string) => (paint.isStroke ? text.toUpperCase() : text);
  if (deviceComponents(file, paint, color)?.length === 4) return `${tints} ${operator("k")}`;
  const family = color.space && familyOf(file, paint, color.space);
  // `scn` sets only the tints; the current color space stays.
  return family === "Separation" || family === "DeviceN" ? `${tints} ${operator("scn")}` : undefined;
}

function inModel(components: readonly number[], model: ColorModel): readonly number[] | undefined {
  const [gray] = components;
  if (model === "cmyk")
    return components.length === 4 ? components : components.length === 1 ? [0, 0, 0, 1 - gray!] : undefined;
  return components.length === 3 ? components : components.length === 1 ? [gray!, gray!, gray!] : undefined;
}

function deviceComponents(file: PdfFile, paint: Paint, { space, components }: Color): readonly number[] | undefined {
  // Default color spaces redefine device colors (8.6.5.6).
  if (DEFAULTS.some((name) => file.dictionary(paint.node.resources?.get("ColorSpace"))?.has(name))) return undefined;
  if (space === undefined) return components;
  return DEVICE_SPACES[familyOf(file, paint, space) ?? ""] === components.length ? components : undefined;
}

function familyOf(file: PdfFile, { node }: Paint, space: string): string | undefined {
  const named: Value | undefined = file.dictionary(node.resources?.get("ColorSpace"))?.get(space);
  if (named === undefined) return space;
  return file.name(file.array(named)?.[0] ?? named);
}

const clamp = (component: number) => Math.max(0, Math.min(1, component));
