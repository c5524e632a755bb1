// Repairs Type 0 fonts (ISO 32000-1, 9.7): changes or replaces the programs of their CIDFonts, and repairs CMaps,
// character collections and Unicode values.

import type { Dictionary } from "../../../objects/values.ts";
import { Name } from "../../../objects/values.ts";
import type { CharacterCode, CMap } from "../../../text/cmap.ts";
import { needsUnicode } from "../../level.ts";
import { newDescriptor, validDescriptor } from "../descriptor.ts";
import { isBlank } from "../face-choice.ts";
import { programBytes, readProgram } from "../font-program.ts";
import { listCids } from "../glyph-lists.ts";
import type { FontTask, ShownFont } from "../shown-font.ts";
import { isElsewhere } from "../simple/simple-font.ts";
import { readToUnicode, repairToUnicode } from "../to-unicode.ts";
import {
  type CodeMaps,
  mayStay,
  type SystemInfo,
  systemInfoDictionary,
  systemInfoOf,
  writeCodeMap,
} from "./code-maps.ts";
import { type RepairedComposite, repairComposite } from "./composite-font.ts";
import { MAX_CODE_BYTES, shortCodes } from "./short-codes.ts";
import { substituteComposite } from "./substitute-composite.ts";

/** Default collection, in which CIDs are glyph numbers. */
const NO_COLLECTION: SystemInfo = { registry: "Adobe", ordering: "Identity", supplement: 0 };
const PLAIN_LOOK = { isFixed: false, isSerif: false, isItalic: false, isBold: false };

/** Changes the font dictionary. */
export async function repairType0(task: FontTask, shown: ShownFont, map: CMap, maps: CodeMaps): Promise<void> {
  const { file, level } = task;
  const { font, codes } = shown;
  const original = file.dictionary(file.array(font.get("DescendantFonts"))?.[0]);
  if (!original) return;
  const inner = original.clone().set("Type", Name.of("Font"));
  const info = systemInfoOf(file, inner.get("CIDSystemInfo")) ?? NO_COLLECTION;
  const collection = await unicodeOfCollection(info, map, maps);
  const ofCollection = ({ code, bytes }: CharacterCode) => collection?.get(map.cidOf(code, bytes) ?? 0);
  inner.set("CIDSystemInfo", systemInfoDictionary(info));

  const oldDescriptor = file.dictionary(inner.get("FontDescriptor"));
  const bytes = programBytes(file, oldDescriptor);
  const program = bytes && readProgram(bytes);
  let repaired: RepairedComposite | undefined;
  let descriptor: Dictionary | undefined;
  if (oldDescriptor && program) {
    descriptor = validDescriptor(file, oldDescriptor, inner);
    const isMisplaced = isElsewhere(oldDescriptor, program.kind, task);
    // If the program cannot be changed, it stays, and everything else is repaired.
    repaired = repairComposite(task, { inner, descriptor, codes, map }, program, isMisplaced);
  } else if (shown.isVisible || bytes) {
    const existing = readToUnicode(file, font.get("ToUnicode"));
    // The collection takes precedence over ToUnicode, because viewers select glyphs by CID.
    const textOf = (code: CharacterCode) => {
      const own = ofCollection(code);
      return own === undefined || isBlank(own) ? (existing.get(code.code) ?? own) : own;
    };
    descriptor = newDescriptor("Font", PLAIN_LOOK);
    repaired = await substituteComposite(task, { inner, descriptor, codes, map }, { info, textOf });
    if (!repaired) return;
  }
  const baseFont = file.name(inner.get("BaseFont")) ?? file.name(font.get("BaseFont")) ?? "Font";
  inner.set("BaseFont", Name.of(baseFont));
  if (descriptor) {
    listCids(file, inner, descriptor, baseFont, level);
    inner.set("FontDescriptor", file.add(descriptor));
  } else if (!inner.has("CIDToGIDMap") && file.name(inner.get("Subtype")) === "CIDFontType2") {
    inner.set("CIDToGIDMap", Name.of("Identity"));
  }
  font.set("Type", Name.of("Font")).set("DescendantFonts", [file.add(inner)]);
  if (file.name(font.get("BaseFont")) === undefined) font.set("BaseFont", Name.of(baseFont));

  const moved = repaired?.moved ?? new Map<number, number>();
  const short = needsUnicode(level) && !shown.isTyped ? shortCodes(map, codes) : undefined;
  const aliases = short?.aliases ?? new Map<CharacterCode, CharacterCode>();
  if (short) task.newCodes.set(shown.number, short.recode);
  if (moved.size > 0 || short || !mayStay(task, font.get("Encoding"), map, info)) {
    const cidOf = ({ code, bytes }: CharacterCode) => moved.get(code) ?? map.cidOf(code, bytes) ?? 0;
    const cids = [...codes, ...aliases.keys()].map((one) => [one, cidOf(aliases.get(one) ?? one)] as const);
    font.set("Encoding", writeCodeMap(file, map, info, new Map(cids)));
  }
  const existing = aliases.size > 0 ? readToUnicode(file, font.get("ToUnicode")) : undefined;
  const derived = (code: CharacterCode) => ofCollection(code) ?? repaired?.unicodeOf(code);
  repairToUnicode({
    file,
    font,
    codes: short ? [...codes.filter(({ bytes }) => bytes <= MAX_CODE_BYTES), ...aliases.keys()] : codes,
    spaces: map.allSpaces(),
    derived: (code) => {
      const own = aliases.get(code);
      return own ? (existing?.get(own.code) ?? derived(own)) : derived(code);
    },
    isDemanded: needsUnicode(level),
    isDistrusted: task.isUnicodeDistrusted,
    isChanged: moved.size > 0,
  });
}

/** Returns the Unicode values of a known collection by CID. */
async function unicodeOfCollection(
  info: SystemInfo,
  map: CMap,
  maps: CodeMaps,
): Promise<ReadonlyMap<number, string> | undefined> {
  const known = info.ordering === "Identity" && map.ordering !== undefined ? map : info;
  if (known.registry !== "Adobe" || known.ordering === undefined || known.ordering === "Identity") return undefined;
  return (await maps.named(`Adobe-${known.ordering}-UCS2`))?.unicode;
}
