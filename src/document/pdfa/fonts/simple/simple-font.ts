// Repairs simple fonts (ISO 32000-1, 9.6): changes or replaces their programs.

import { standardEncoding, unicodeOfName } from "../../../fonts/names/glyph-names.ts";
import { type Dictionary, Name } from "../../../objects/values.ts";
import type { CharacterCode } from "../../../text/cmap.ts";
import { readSimpleEncoding } from "../../../text/simple-encoding.ts";
import { needsUnicode } from "../../level.ts";
import { makeComposite } from "../composite/as-composite.ts";
import { validDescriptor } from "../descriptor.ts";
import { namedProgram, programBytes, readProgram } from "../font-program.ts";
import { listGlyphNames } from "../glyph-lists.ts";
import type { FontTask, RepairedProgram, ShownFont } from "../shown-font.ts";
import { repairToUnicode } from "../to-unicode.ts";
import { repairNamed } from "./simple-named.ts";
import { repairTrueType } from "./simple-truetype.ts";
import { substituteSimple } from "./substitute-simple.ts";

/** Changes the font dictionary. */
export async function repairSimple(task: FontTask, shown: ShownFont): Promise<void> {
  const { file, level } = task;
  const { font } = shown;
  const isEmbedded = programBytes(file, file.dictionary(font.get("FontDescriptor"))) !== undefined;
  // A font that is never drawn needs no program.
  let repaired = isEmbedded ? repairEmbedded(task, shown) : undefined;
  let { codes } = shown;
  if (!repaired && (isEmbedded || shown.isVisible)) {
    if (shown.isTyped) codes = withAllCodes(codes);
    repaired = await substituteSimple(task, { ...shown, codes });
  }
  const names = repaired ? undefined : readSimpleEncoding(file, font.get("Encoding"), standardEncoding()).names;
  repairToUnicode({
    file,
    font,
    codes,
    derived:
      repaired?.unicodeOf ?? (({ code }) => (names?.[code] === undefined ? undefined : unicodeOfName(names[code]))),
    isDemanded: needsUnicode(level),
    isDistrusted: task.isUnicodeDistrusted,
    isChanged: repaired?.isChanged ?? false,
  });
  if (task.isCodeZeroRefused) makeComposite(task, shown);
}

const FIRST_PRINTED = 0x20;

/** Adds all other codes of printable characters, because users can type them. */
function withAllCodes(codes: readonly CharacterCode[]): CharacterCode[] {
  const shown = new Set(codes.map(({ code }) => code));
  const all = Array.from({ length: 256 - FIRST_PRINTED }, (_, index) => FIRST_PRINTED + index);
  return [...codes, ...all.filter((code) => !shown.has(code)).map((code) => ({ code, bytes: 1 }))];
}

function repairEmbedded(task: FontTask, shown: ShownFont): RepairedProgram | undefined {
  const { file, level } = task;
  const { font } = shown;
  const original = file.dictionary(font.get("FontDescriptor"));
  const bytes = programBytes(file, original);
  const program = bytes && readProgram(bytes);
  if (!original || !program) return undefined;
  const descriptor = validDescriptor(file, original, font);
  // The repair works on a copy, so that a font whose repair fails stays unchanged.
  const trial: ShownFont = { ...shown, font: font.clone() };
  const isMisplaced = isElsewhere(file.dictionary(original), program.kind, task);
  let repaired: RepairedProgram | undefined;
  if (program.kind === "truetype") repaired = repairTrueType(task, trial, descriptor, program.font, isMisplaced);
  else {
    const named = namedProgram(program);
    // If glyphs have no names, readers find them in different ways, so the program stays unchanged.
    if (!named) return { unicodeOf: () => undefined, isChanged: false };
    repaired = repairNamed(task, trial, descriptor, program, named, isMisplaced);
  }
  if (!repaired) return undefined;
  const baseFont = file.name(font.get("BaseFont")) ?? file.name(descriptor.get("FontName")) ?? "Font";
  trial.font.set("Type", Name.of("Font")).set("BaseFont", Name.of(baseFont));
  if (program.kind !== "truetype") listGlyphNames(file, descriptor, baseFont, level);
  trial.font.set("FontDescriptor", file.add(descriptor));
  for (const key of [...font.keys()]) font.delete(key);
  for (const [key, value] of trial.font) font.set(key, value);
  return repaired;
}

const KEY_OF = { truetype: "FontFile2", type1: "FontFile", cff: "FontFile3" } as const;

/** Reports whether the program is stored under the entry of another format, or declared as another format. */
export function isElsewhere(
  descriptor: Dictionary | undefined,
  kind: keyof typeof KEY_OF,
  { file, level }: FontTask,
): boolean {
  const stream = file.dictionary(descriptor?.get(KEY_OF[kind]));
  if (!stream) return true;
  if (kind !== "cff") return stream.has("Subtype");
  const subtype = file.name(stream.get("Subtype"));
  return subtype !== "Type1C" && subtype !== "CIDFontType0C" && (subtype !== "OpenType" || level.part === 1);
}
