// Reads CMaps, which split strings into codes and map codes to CIDs and Unicode values (ISO 32000-1, 9.7.5 and 9.10.3;
// Adobe Technical Note 5014). Ignores unknown syntax.
import { Lexer } from "../objects/parsing/lexer.ts";
import { Dictionary, Name, PdfString, type Value } from "../objects/values.ts";

/** Codes of one length, with a lower and an upper bound for each byte. */
export interface CodeSpace {
  readonly bytes: number;
  readonly low: number;
  readonly high: number;
}

interface CidRange {
  readonly bytes: number;
  readonly low: number;
  readonly high: number;
  readonly cid: number;
}

export interface CharacterCode {
  readonly code: number;
  readonly bytes: number;
}

/** Maximum number of entries in a CMap, counting a range as one. */
const MAX_ENTRIES = 400_000;
const MAX_CODE_BYTES = 4;
const MAX_SPACES = 256;
/** Maximum size of the text of one code: a hostile file can map a code to a whole book. */
const MAX_TEXT_BYTES = 512;

export class CMap {
  readonly spaces: CodeSpace[] = [];
  /**
   * Ranges, sorted by code length and lower bound before the first lookup. Of overlapping ranges, the later one wins.
   */
  #ranges: CidRange[] = [];
  #isSorted = true;
  readonly #unicode = new Map<number, string>();
  /** The CMap that this CMap extends. */
  base: CMap | undefined;
  /** The name of the extended CMap. */
  baseName: string | undefined;
  isVertical = false;
  /** True if the stream dictionary and the CMap declare the same writing mode. */
  isModeAgreed = true;
  name: string | undefined;
  registry: string | undefined;
  ordering: string | undefined;
  supplement: number | undefined;
  #entries = 0;

  static identity(isVertical: boolean): CMap {
    const map = new CMap();
    map.isVertical = isVertical;
    map.name = isVertical ? "Identity-V" : "Identity-H";
    map.spaces.push({ bytes: 2, low: 0, high: 0xffff });
    map.addRange(2, 0, 0xffff, 0);
    return map;
  }

  /** The Unicode values by code. */
  get unicode(): ReadonlyMap<number, string> {
    return this.#unicode;
  }

  get hasRoom(): boolean {
    return this.#entries < MAX_ENTRIES;
  }

  addRange(bytes: number, low: number, high: number, cid: number): void {
    if (!this.hasRoom || high < low) return;
    this.#entries++;
    this.#ranges.push({ bytes, low, high, cid });
    this.#isSorted = false;
  }

  addUnicode(code: number, text: string): void {
    if (!this.hasRoom) return;
    this.#entries++;
    this.#unicode.set(code, text);
  }

  /** Returns all codespace ranges, including the ranges of extended CMaps. */
  allSpaces(): readonly CodeSpace[] {
    const spaces: CodeSpace[] = [];
    for (let map: CMap | undefined = this, hops = 0; map && hops < MAX_BASES; map = map.base, hops++)
      spaces.push(...map.spaces);
    return spaces;
  }

  /** @returns undefined for an unmapped code */
  cidOf(code: number, bytes: number): number | undefined {
    for (let map: CMap | undefined = this, hops = 0; map && hops < MAX_BASES; map = map.base, hops++) {
      const cid = map.#ownCid(code, bytes);
      if (cid !== undefined) return cid;
    }
    return undefined;
  }

  /**
   * Splits a string into codes (9.7.6.2). Bytes that match no codespace range are skipped, in steps of the shortest
   * code length.
   */
  split(latin1: string): CharacterCode[] {
    const spaces = this.allSpaces();
    const shortest = spaces.reduce(
      (least, { bytes }) => Math.min(least, bytes),
      spaces.length > 0 ? MAX_CODE_BYTES : 1,
    );
    const codes: CharacterCode[] = [];
    for (let at = 0; at < latin1.length; ) {
      let code = 0;
      let bytes = 0;
      for (let length = 1; length <= MAX_CODE_BYTES && at + length <= latin1.length; length++) {
        code = code * 256 + latin1.charCodeAt(at + length - 1);
        if (spaces.some((space) => space.bytes === length && isWithin(code, space))) {
          bytes = length;
          break;
        }
      }
      if (bytes > 0) codes.push({ code, bytes });
      at += bytes > 0 ? bytes : shortest;
    }
    return codes;
  }

  #ownCid(code: number, bytes: number): number | undefined {
    if (!this.#isSorted) {
      // Of overlapping ranges, the last one wins: the sort is stable, and the search finds the last range that starts
      // at or before the code.
      this.#ranges.sort((a, b) => a.bytes - b.bytes || a.low - b.low);
      this.#isSorted = true;
    }
    const ranges = this.#ranges;
    let from = 0;
    let to = ranges.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const range = ranges[middle]!;
      if (range.bytes < bytes || (range.bytes === bytes && range.low <= code)) from = middle + 1;
      else to = middle;
    }
    for (let at = from - 1; at >= 0 && from - at <= MAX_OVERLAPS; at--) {
      const range = ranges[at]!;
      if (range.bytes !== bytes) break;
      if (code <= range.high) return range.cid + code - range.low;
    }
    return undefined;
  }
}

const MAX_BASES = 8;
/** Maximum number of ranges to check for one code, because ranges can overlap. */
const MAX_OVERLAPS = 8;

function isWithin(code: number, { bytes, low, high }: CodeSpace): boolean {
  for (let index = 0, unit = 1; index < bytes; index++, unit *= 256) {
    const byte = Math.floor(code / unit) % 256;
    if (byte < Math.floor(low / unit) % 256 || byte > Math.floor(high / unit) % 256) return false;
  }
  return true;
}

/** @returns a CMap. If it extends another CMap, `baseName` is set, but the other CMap is not read. */
export function parseCMap(bytes: Uint8Array): CMap {
  const map = new CMap();
  const lexer = new Lexer(bytes);
  let operands: Value[] = [];
  while (lexer.next() !== "end" && map.hasRoom) {
    if (lexer.kind !== "keyword" || lexer.text === "true" || lexer.text === "false" || lexer.text === "null") {
      const value = lexer.value();
      if (value !== undefined) operands.push(value);
      continue;
    }
    take(map, lexer.text, operands);
    // `begin…`, `end…`, `def` and a few other operators consume all operands. Others, such as `dup` and `dict`, leave
    // them for a later `def`.
    if (CLOSING.test(lexer.text)) operands = [];
    else if (operands.length > MAX_ENTRIES) break;
  }
  return map;
}

const CLOSING = /^(?:begin|end|def$|usecmap$|defineresource$|findresource$)/;

function take(map: CMap, operator: string, operands: readonly Value[]): void {
  switch (operator) {
    case "usecmap": {
      const name = operands.at(-1);
      if (name instanceof Name) map.baseName = name.text;
      break;
    }
    case "def":
      define(map, operands.at(-2), operands.at(-1));
      break;
    case "endcodespacerange":
      for (let at = 0; at + 1 < operands.length; at += 2) {
        const [low, high] = [operands[at], operands[at + 1]];
        if (low instanceof PdfString && high instanceof PdfString && isCode(high) && map.spaces.length < MAX_SPACES) {
          map.spaces.push({ bytes: high.latin1.length, low: codeOf(low), high: codeOf(high) });
        }
      }
      break;
    case "endcidrange":
      for (let at = 0; at + 2 < operands.length; at += 3)
        addCids(map, operands[at], operands[at + 1], operands[at + 2]);
      break;
    case "endcidchar":
      for (let at = 0; at + 1 < operands.length; at += 2) addCids(map, operands[at], operands[at], operands[at + 1]);
      break;
    case "endbfchar":
      for (let at = 0; at + 1 < operands.length; at += 2) addTexts(map, operands[at], operands[at], operands[at + 1]);
      break;
    case "endbfrange":
      for (let at = 0; at + 2 < operands.length; at += 3)
        addTexts(map, operands[at], operands[at + 1], operands[at + 2]);
  }
}

function define(map: CMap, key: Value | undefined, value: Value | undefined): void {
  if (!(key instanceof Name)) return;
  if (value instanceof Dictionary) for (const [inner, one] of value) define(map, Name.of(inner), one);
  const text = value instanceof PdfString ? value.latin1 : undefined;
  if (key.text === "WMode") map.isVertical = value === 1;
  else if (key.text === "CMapName" && value instanceof Name) map.name = value.text;
  else if (key.text === "Registry" && text !== undefined) map.registry = text;
  else if (key.text === "Ordering" && text !== undefined) map.ordering = text;
  else if (key.text === "Supplement" && typeof value === "number") map.supplement = value;
}

const isCode = ({ latin1 }: PdfString) => latin1.length > 0 && latin1.length <= MAX_CODE_BYTES;

function codeOf({ latin1 }: PdfString): number {
  let code = 0;
  for (let at = 0; at < latin1.length && at < MAX_CODE_BYTES; at++) code = code * 256 + latin1.charCodeAt(at);
  return code;
}

function addCids(map: CMap, low: Value | undefined, high: Value | undefined, cid: Value | undefined): void {
  if (!(low instanceof PdfString) || !(high instanceof PdfString) || typeof cid !== "number" || !isCode(low)) return;
  map.addRange(low.latin1.length, codeOf(low), codeOf(high), cid);
}

function addTexts(map: CMap, low: Value | undefined, high: Value | undefined, value: Value | undefined): void {
  if (!(low instanceof PdfString) || !(high instanceof PdfString) || !isCode(low) || !isCode(high)) return;
  const [first, last] = [codeOf(low), codeOf(high)];
  if (value instanceof PdfString) {
    const text = textOf(value);
    if (text === undefined) return;
    for (let code = first; code <= last && map.hasRoom; code++) map.addUnicode(code, incrementLast(text, code - first));
  } else if (Array.isArray(value)) {
    value.slice(0, last - first + 1).forEach((one, index) => {
      const text = one instanceof PdfString ? textOf(one) : undefined;
      if (text !== undefined) map.addUnicode(first + index, text);
    });
  }
}

/** Decodes UTF-16BE. Some writers use a single byte for a character. */
function textOf({ latin1 }: PdfString): string | undefined {
  if (latin1.length > MAX_TEXT_BYTES) return undefined;
  if (latin1.length === 1) return latin1;
  let text = "";
  for (let at = 0; at + 1 < latin1.length; at += 2) {
    text += String.fromCharCode((latin1.charCodeAt(at) << 8) | latin1.charCodeAt(at + 1));
  }
  return text;
}

/** Returns the text with its last character incremented by a number. */
function incrementLast(text: string, by: number): string {
  if (by === 0 || text === "") return text;
  const last = text.length - 1;
  const pair = last > 0 ? text.codePointAt(last - 1)! : 0;
  if (pair > 0xffff) return text.slice(0, last - 1) + String.fromCodePoint(Math.min(0x10ffff, pair + by));
  return text.slice(0, last) + String.fromCharCode((text.charCodeAt(last) + by) & 0xffff);
}
