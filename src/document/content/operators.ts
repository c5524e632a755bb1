// Operators of content streams by category (ISO 32000-1, table 51 and Annex A).
import type { Value } from "../objects/values.ts";

const setOf = (operators: string): ReadonlySet<string> => new Set(operators.split(" "));
const union = (...sets: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(sets.flatMap((set) => [...set]));

const GENERAL_STATE = setOf("w J j M d ri i gs");
const SPECIAL_STATE = setOf("q Q cm");
export const PATH_CONSTRUCTION = setOf("m l c v y h re");
export const PATH_FILLING = setOf("f F f*");
export const PATH_STROKING = setOf("S s");
const PATH_FILLING_AND_STROKING = setOf("B B* b b*");
/** Ends a path without painting it. */
const PATH_END = "n";
const CLIPPING = setOf("W W*");
const TEXT_OBJECT = setOf("BT ET");
const TEXT_STATE = setOf("Tc Tw Tz TL Tf Tr Ts");
const TEXT_POSITIONING = setOf("Td TD Tm T*");
export const TEXT_SHOWING = setOf("Tj TJ ' \"");
/** Operators that start the description of a Type 3 glyph. */
export const GLYPH_WIDTH = setOf("d0 d1");
export const DEVICE_COLOR = setOf("g rg k G RG K");
/** Operators that set a color space, or a color in it. */
export const SPACE_COLOR = setOf("cs CS sc SC scn SCN");
/** Shadings, inline images and external objects. */
export const OBJECT_PAINTING = setOf("sh BI Do");
const MARKED_CONTENT = setOf("MP DP BMC BDC EMC");
const COMPATIBILITY = setOf("BX EX");

/** Operators that paint the current path. */
export const PATH_PAINTING = union(PATH_FILLING, PATH_STROKING, PATH_FILLING_AND_STROKING);
/** Operators that only set parameters; allowed inside and outside text objects. */
export const PARAMETERS = union(GENERAL_STATE, TEXT_STATE, DEVICE_COLOR, SPACE_COLOR);
/** Operators after which the text position no longer depends on the advance of earlier text (9.4.2). */
export const TEXT_PLACING = union(TEXT_OBJECT, TEXT_POSITIONING, setOf("' \""));

/** All operators except `ID` and `EI`, which belong to the inline image that `BI` starts. */
export const OPERATORS = union(
  SPECIAL_STATE,
  PATH_CONSTRUCTION,
  PATH_PAINTING,
  setOf(PATH_END),
  CLIPPING,
  TEXT_OBJECT,
  TEXT_POSITIONING,
  TEXT_SHOWING,
  PARAMETERS,
  GLYPH_WIDTH,
  OBJECT_PAINTING,
  MARKED_CONTENT,
  COMPATIBILITY,
);
/** Keywords that are operands. */
export const VALUE_KEYWORDS = setOf("true false null");
/** All keywords that a content stream can contain. */
export const KEYWORDS = union(OPERATORS, VALUE_KEYWORDS);

/** A category of resources that operators refer to by name (7.8.3). */
export type ResourceCategory = "Font" | "XObject" | "ColorSpace" | "Pattern" | "Shading" | "ExtGState" | "Properties";

/**
 * Category of the resource that an operator names. `Tf` names it in the first operand, other operators in the last
 * operand.
 */
export const RESOURCE_CATEGORIES: ReadonlyMap<string, ResourceCategory> = new Map([
  ["Tf", "Font"],
  ["gs", "ExtGState"],
  ["Do", "XObject"],
  ["cs", "ColorSpace"],
  ["CS", "ColorSpace"],
  ["sh", "Shading"],
  ["scn", "Pattern"],
  ["SCN", "Pattern"],
  ["BDC", "Properties"],
  ["DP", "Properties"],
]);

/**
 * Returns operators with all effects of a painting operation except the paint, for example `n` for `f`; undefined for
 * an operation that paints nothing.
 */
export function nonPaintingEquivalent(operator: string, operands: readonly Value[]): string | undefined {
  if (PATH_PAINTING.has(operator)) return PATH_END;
  if (OBJECT_PAINTING.has(operator)) return "";
  if (!TEXT_SHOWING.has(operator)) return undefined;
  // `'` and `"` also move to the next line, and `"` sets word and character spacing (9.4.3).
  if (operator === "'") return "T*";
  if (operator === '"') return `${Number(operands[0]) || 0} Tw ${Number(operands[1]) || 0} Tc T*`;
  return "";
}
