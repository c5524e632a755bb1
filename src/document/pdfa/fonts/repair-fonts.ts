// Repairs the fonts of a file, as ISO 19005 requires: they must be embedded and complete, have Unicode values, and have
// widths and encodings that match their programs. A provider supplies missing fonts. Content streams do not change
// here, but the caller must write new codes in some of them.

import { EngineFailure } from "../../contract/failure.ts";
import type { FontProvider } from "../../contract/font-provider.ts";
import type { NoticeSubject } from "../../contract/notice.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, type PdfString, Reference, type Value } from "../../objects/values.ts";
import { type CharacterCode, CMap } from "../../text/cmap.ts";
import { formFonts, walkShownText } from "../../text/shown-text.ts";
import type { NewCodes } from "../content/text/recoded-text.ts";
import type { PdfaLevel } from "../level.ts";
import type { RuleFailure } from "../rule-failure.ts";
import { CodeMaps } from "./composite/code-maps.ts";
import { repairType0 } from "./composite/type0-font.ts";
import { findFonts } from "./find-fonts.ts";
import { memoizeProvider } from "./font-provider.ts";
import type { FontTask, ShownFont } from "./shown-font.ts";
import { repairSimple } from "./simple/simple-font.ts";
import { repairType3 } from "./type3-font.ts";

/** Text rendering mode of invisible text (ISO 32000-1, table 106). */
const INVISIBLE = 3;

interface Shown {
  readonly codes: Map<string, CharacterCode>;
  isVisible: boolean;
}

/**
 * Repairs all fonts that show text. A font that cannot be repaired stays unchanged.
 * @param failures broken rules of the previous attempt; empty for the first attempt
 * @returns `substituted`: fonts whose glyphs now come from another font; `newCodes`: functions that return text with
 * new codes, by object number of the font
 */
export async function repairFonts(
  file: PdfFile,
  level: PdfaLevel,
  failures: readonly RuleFailure[],
  provider: FontProvider,
  signal: AbortSignal,
): Promise<{ readonly substituted: readonly NoticeSubject[]; readonly newCodes: NewCodes }> {
  const fonts = await findFonts(file, signal);
  const maps = new CodeMaps(file, provider);
  const codeMaps = new Map<number, CMap>();
  for (const number of fonts) {
    const font = file.dictionary(new Reference(number));
    if (font && file.name(font.get("Subtype")) === "Type0") {
      codeMaps.set(number, (await maps.read(font.get("Encoding"))) ?? CMap.identity(false));
    }
  }
  const shown = findShown(file, codeMaps);
  const ofForms = formFonts(file);
  const failed = new Set(failures.map(({ clause }) => clause));
  const task: FontTask = {
    file,
    level,
    fonts: memoizeProvider(provider),
    isUnicodeDistrusted: failed.has("6.2.11.7.2"),
    isCodeZeroRefused: failed.has("6.2.11.8"),
    substituted: [],
    newCodes: new Map(),
    areCMapsDistrusted: ["6.2.11.3.1", "6.2.11.3.3", "6.3.3.1", "6.3.3.3"].some((clause) => failed.has(clause)),
  };
  for (const [number, { codes, isVisible }] of shown) {
    signal.throwIfAborted();
    const reference = new Reference(number);
    const font = file.dictionary(reference)?.clone();
    if (!font) continue;
    const map = codeMaps.get(number);
    const substituted = task.substituted.length;
    try {
      const isTyped = ofForms.has(number);
      await repair(task, { number, font, codes: [...codes.values()], isVisible, isTyped }, map, maps);
      file.put(reference, font);
    } catch (error) {
      if (!isOfFont(error)) throw error;
      task.substituted.length = substituted;
    }
    await file.relieve();
  }
  return { substituted: task.substituted, newCodes: task.newCodes };
}

async function repair(task: FontTask, shown: ShownFont, map: CMap | undefined, maps: CodeMaps): Promise<void> {
  const subtype = task.file.name(shown.font.get("Subtype"));
  if (map) await repairType0(task, shown, map, maps);
  else if (subtype === "Type3") repairType3(task, shown);
  else await repairSimple(task, shown);
}

/**
 * Reports whether the font is the cause of the error: a read outside its tables, or a stream that cannot be decoded.
 */
function isOfFont(error: unknown): boolean {
  if (error instanceof EngineFailure) return error.reason === "damaged" || error.reason === "too-large";
  return error instanceof RangeError;
}

function findShown(file: PdfFile, codeMaps: ReadonlyMap<number, CMap>): Map<number, Shown> {
  const found = new Map<number, Shown>();
  walkShownText(file, (font: Value | undefined, strings: readonly PdfString[], mode) => {
    if (!(font instanceof Reference) || !(file.resolve(font) instanceof Dictionary)) return;
    const shown = found.get(font.number) ?? { codes: new Map<string, CharacterCode>(), isVisible: false };
    found.set(font.number, shown);
    if (mode !== INVISIBLE) shown.isVisible = true;
    const map = codeMaps.get(font.number);
    for (const { latin1 } of strings) {
      if (map) for (const code of map.split(latin1)) add(shown, code);
      else for (let at = 0; at < latin1.length; at++) add(shown, { code: latin1.charCodeAt(at), bytes: 1 });
    }
  });
  return found;
}

function add({ codes }: Shown, code: CharacterCode): void {
  const key = `${code.bytes} ${code.code}`;
  if (!codes.has(key)) codes.set(key, code);
}
