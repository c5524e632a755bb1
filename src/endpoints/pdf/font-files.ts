// Declares the fonts that a client sends with a document for /pdf, and their limits.

import { LIMITS } from "../../document/contract/limits.ts";
import type { Input } from "../../document/contract/operation.ts";
import { FONT } from "../../operations/to-pdf/fonts.ts";
import { outOfRange } from "../../service/http/contract/errors.ts";
import type { FurtherInput } from "../../service/http/contract/input-declaration.ts";

export const FONT_FILES = {
  font_files: {
    ...{ kind: "one", role: FONT, isList: true, isOptional: true },
    description: "fonts in font_files (TTF, OTF, TTC), with which Office documents, HTML, texts and PostScript are set",
    accepts: (type) => type.startsWith("font/"),
  },
} as const satisfies Record<string, FurtherInput>;

/** @throws ServiceError 400 if there are too many fonts, or they are too large */
export function checkFonts(inputs: readonly Input[]): void {
  const fonts = inputs.filter(({ role }) => role === FONT);
  const bytes = fonts.reduce((sum, { size }) => sum + size, 0);
  const { fontFiles, fontBytes } = LIMITS;
  if (fonts.length > fontFiles) throw outOfRange("font_files", `${fonts.length}`, `The limit is ${fontFiles} fonts.`);
  if (bytes <= fontBytes) return;
  throw outOfRange("font_files", `${bytes} bytes`, `All fonts together can have ${fontBytes / 2 ** 20} MB.`);
}
