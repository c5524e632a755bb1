// Writes text and numbers in the XML of Word documents.

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** The characters that XML forbids (XML 1.0, 2.2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that XML forbids
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** Escapes text. Characters that XML forbids are left out. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replace(FORBIDDEN, "")
    .replace(/[&<>"]/g, (one) => ENTITIES[one]!);

export const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/** Twentieths of a point. Programs take values up to 22 inches. */
const MAX_TWIPS = 31_680;
export const twips = (points: number): number => Math.max(-MAX_TWIPS, Math.min(MAX_TWIPS, Math.round(points * 20)));

/** Units of drawings: 12,700 to a point. */
export const emus = (points: number): number => Math.round(points * 12_700);

/** Writes an element with values as attributes, in the order of their names; an attribute without a value is left out. */
export function element(name: string, values: Readonly<Record<string, string | number | undefined>>): string {
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  return `<w:${name}${known.map(([key, value]) => ` w:${key}="${xmlText(String(value))}"`).join("")}/>`;
}

/** Writes a property that is on or off, if it is known. */
export const toggle = (name: string, isOn: boolean | undefined): string =>
  isOn === undefined ? "" : isOn ? `<w:${name}/>` : `<w:${name} w:val="0"/>`;
