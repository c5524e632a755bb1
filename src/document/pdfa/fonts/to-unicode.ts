// Corrects existing ToUnicode CMaps (ISO 32000-1, 9.10.3; ISO 19005-2, 6.2.11.7.2), and writes new CMaps.
import { EngineFailure } from "../../contract/failure.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, type Reference, type Value } from "../../objects/values.ts";
import { type CharacterCode, type CMap, type CodeSpace, parseCMap } from "../../text/cmap.ts";
import { type CodeText, toUnicodeCMap } from "../../text/write-cmap.ts";
import { plainStream } from "./font-program.ts";

/** Value of a code whose character is unknown. */
const UNKNOWN = "\ufffd";
const MAX_BYTES = 16 * 2 ** 20;

export const isSound = (text: string | undefined): text is string =>
  text !== undefined && text !== "" && !/[\0\ufeff\ufffe]/.test(text);

/** Returns the Unicode values by code; empty if the CMap is missing or cannot be read. */
export function readToUnicode(file: PdfFile, value: Value | undefined): ReadonlyMap<number, string> {
  return readCMap(file, value)?.unicode ?? new Map();
}

/** @returns undefined if the CMap is missing or cannot be read */
export function readCMap(file: PdfFile, value: Value | undefined): CMap | undefined {
  const stream = file.stream(value);
  if (!stream) return undefined;
  try {
    return parseCMap(stream.body.decoded(MAX_BYTES));
  } catch (error) {
    if (error instanceof EngineFailure && error.reason !== "crashed") return undefined;
    throw error;
  }
}

/**
 * Returns the values of a CMap that contains CIDs instead of Unicode values. Readers treat these CIDs as Unicode
 * values. In most such CMaps, each code maps to itself.
 */
function unicodeByCid(map: CMap | undefined): (code: CharacterCode) => string | undefined {
  if (!map || map.unicode.size > 0) return () => undefined;
  return ({ code, bytes }) => {
    const cid = map.cidOf(code, bytes) ?? 0;
    return cid > 0 && cid <= 0xffff ? String.fromCharCode(cid) : undefined;
  };
}

export interface UnicodeNeeds {
  readonly file: PdfFile;
  /** The Type 0, simple or Type 3 font dictionary, owned by the caller. */
  readonly font: Dictionary;
  readonly codes: readonly CharacterCode[];
  /** Codespace ranges of the font's CMap. @default all one-byte codes */
  readonly spaces?: readonly CodeSpace[];
  /** Returns the text that the font assigns to a code, regardless of ToUnicode. */
  readonly derived: (code: CharacterCode) => string | undefined;
  /** True if each code must have a value. Otherwise, ToUnicode is written only if codes would lose their meaning. */
  readonly isDemanded: boolean;
  /** True if the encoding that defined the meaning of codes was replaced. */
  readonly isChanged: boolean;
  /** True if the existing ToUnicode is incorrect. */
  readonly isDistrusted: boolean;
}

/** @returns true if the font's entry changed */
export function repairToUnicode(needs: UnicodeNeeds): boolean {
  const { file, font, codes, derived, isDemanded, isChanged } = needs;
  const map = readCMap(file, font.get("ToUnicode"));
  const existing = map?.unicode ?? new Map<number, string>();
  const byCid = unicodeByCid(map);
  if (!isDemanded && !isChanged) return false;
  const isIdentity = file.name(font.get("ToUnicode"))?.startsWith("Identity") === true;
  let mustWrite = needs.isDistrusted || (isDemanded && font.has("ToUnicode") && existing.size === 0);
  const texts = new Map<number, CodeText>();
  const shown = new Set<number>();
  for (const code of codes) {
    shown.add(code.code);
    const known = existing.get(code.code) ?? (isIdentity ? String.fromCharCode(code.code & 0xffff) : byCid(code));
    if (isSound(known)) {
      texts.set(code.code, { bytes: code.bytes, text: known });
      continue;
    }
    const found = derived(code);
    const text = isSound(found) ? found : isDemanded ? UNKNOWN : undefined;
    if (text === undefined) continue;
    texts.set(code.code, { bytes: code.bytes, text });
    mustWrite = true;
  }
  if (!mustWrite) return false;
  const bytes = codes[0]?.bytes ?? 1;
  for (const [code, text] of existing) if (!shown.has(code) && isSound(text)) texts.set(code, { bytes, text });
  font.set("ToUnicode", writeToUnicode(file, texts, needs.spaces ?? ONE_BYTE));
  return true;
}

const ONE_BYTE: readonly CodeSpace[] = [{ bytes: 1, low: 0, high: 0xff }];

function writeToUnicode(file: PdfFile, texts: ReadonlyMap<number, CodeText>, spaces: readonly CodeSpace[]): Reference {
  return file.add(plainStream(file, Buffer.from(toUnicodeCMap(texts, spaces)), new Dictionary()));
}
