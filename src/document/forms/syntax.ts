// Writes content stream operators for field appearances.
import type { Glyph } from "./field-fonts.ts";

const DECIMALS = 1000;

/** Formats numbers without exponents, which PDF does not allow. */
export const numbers = (...values: readonly number[]): string =>
  values.map((value) => String(Math.round(value * DECIMALS) / DECIMALS)).join(" ");

const OPERATORS = { fill: ["g", "rg", "k"], stroke: ["G", "RG", "K"] } as const;

/** Returns the operator that sets a color with 1, 3 or 4 components. */
export const setColor = (components: readonly number[], use: keyof typeof OPERATORS): string =>
  `${numbers(...components)} ${OPERATORS[use][Math.floor(components.length / 2)]}\n`;

/** Returns operators that show glyphs, starting at a point. */
export function showGlyphs(glyphs: readonly Glyph[], size: number, x: number, y: number): string {
  if (glyphs.length === 0) return "";
  let operators = `1 0 0 1 ${numbers(x, y)} Tm\n`;
  let font = "";
  let codes = "";
  const flush = () => {
    if (codes !== "") operators += `<${Buffer.from(codes, "latin1").toString("hex")}> Tj\n`;
    codes = "";
  };
  for (const glyph of glyphs) {
    if (glyph.font !== font) {
      flush();
      font = glyph.font;
      operators += `/${nameSyntax(font)} ${numbers(size)} Tf\n`;
    }
    codes += glyph.code;
  }
  flush();
  return operators;
}

const nameSyntax = (name: string) =>
  name.replace(/[^\w.+-]/g, (character) => `#${character.charCodeAt(0).toString(16).padStart(2, "0")}`);

type Point = readonly [x: number, y: number];

export const polygon = (points: readonly Point[]): string =>
  `${points.map((point, index) => `${numbers(...point)} ${index === 0 ? "m" : "l"}`).join("\n")}\nh\n`;

export const rectangle = (x: number, y: number, width: number, height: number): string =>
  `${numbers(x, y, width, height)} re\n`;

/** Control point distance for a Bézier curve that approximates a quarter circle. */
const ARC = 0.5523;

export function circle(x: number, y: number, radius: number): string {
  const arc = radius * ARC;
  return [
    `${numbers(x + radius, y)} m`,
    `${numbers(x + radius, y + arc, x + arc, y + radius, x, y + radius)} c`,
    `${numbers(x - arc, y + radius, x - radius, y + arc, x - radius, y)} c`,
    `${numbers(x - radius, y - arc, x - arc, y - radius, x, y - radius)} c`,
    `${numbers(x + arc, y - radius, x + radius, y - arc, x + radius, y)} c`,
    "h\n",
  ].join("\n");
}
