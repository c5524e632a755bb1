// Writes text in XML as workbooks have it (ECMA-376 part 1, 22.9.2.19).

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** The characters that XML forbids (XML 1.0, 2.2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that XML forbids
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** Escapes text. Characters that XML forbids are written as `_xHHHH_`. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_")
    .replace(FORBIDDEN, (one) => `_x${one.charCodeAt(0).toString(16).padStart(4, "0")}_`)
    .replace(/[&<>"]/g, (one) => ENTITIES[one]!);
