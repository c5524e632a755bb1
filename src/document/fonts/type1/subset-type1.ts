// Subsets a Type 1 font (Adobe Type 1 Font Format): removes unused glyphs, and replaces unused subroutines with a
// `return`. All other parts stay unchanged, even if they are unusual.
import { NOTDEF, standardEncoding } from "../names/glyph-names.ts";
import { drawType1, type ReadBudget, type Type1Outline } from "./charstring.ts";
import {
  decryptCharString,
  encryptCharString,
  programOf,
  readType1,
  type Type1Font,
  type Type1Program,
} from "./type1.ts";

/** Subroutines by number, and their offsets in the decrypted part. */
interface Subrs {
  /** Position of the text that states the number of subroutines. */
  readonly count: { readonly start: number; readonly end: number };
  readonly entries: ReadonlyMap<number, Subr>;
}

interface Subr {
  /** Start of the entry. */
  readonly start: number;
  readonly end: number;
  /** The stored, encrypted charstring. */
  readonly charString: Uint8Array;
  /** Text of the entry between the charstring's length and its bytes. `after`: the text that follows the bytes. */
  readonly before: string;
  readonly after: string;
}

/**
 * Number of subroutines that are reserved for flex and hint replacement (8.3). They always stay, because interpreters
 * rely on them.
 */
const OWN_SUBRS = 4;
const RETURN = Uint8Array.of(11);
/** Minimum budget of charstring and subroutine bytes to read. Real fonts need a few times the size of the font. */
const MIN_STEPS = 100_000;
const MAX_STEPS = 20_000_000;
const MAX_GROWTH = 16;
const MAX_SUBRS = 65_536;
/** Matches multiple master fonts, and fonts that modify their own program (Type 1 Font Format, supplement). */
const UNUSUAL = /\/(?:WeightVector|BlendDesign\w*|Blend|blend|hires|CCRun)\b|\/Private\s+get/;

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");

/** A font whose charstrings can be interpreted. */
export interface DrawnType1 {
  readonly font: Type1Font;
  readonly subrs: Subrs | undefined;
  /** @returns undefined if the charstring is damaged, or has an unsupported operation */
  outlineOf(charString: Uint8Array): Type1Outline | undefined;
}

/** @returns undefined if the bytes are not an ordinary Type 1 font */
export function readDrawnType1(bytes: Uint8Array): DrawnType1 | undefined {
  const font = readType1(bytes);
  if (!font || font.lenIV < -1 || font.lenIV > 16) return undefined;
  const text = latin1(font.private);
  const once = (what: RegExp) => (text.match(what)?.length ?? 0) <= 1;
  if (!once(/\/CharStrings\b/g) || !once(/\/Subrs\b/g) || !once(/\/lenIV\b/g)) return undefined;
  const isPlain = !UNUSUAL.test(latin1(font.clear)) && !UNUSUAL.test(text.slice(0, font.count.start));
  if (!isPlain || !/^\s*end\b/.test(text.slice(font.glyphsEnd, font.glyphsEnd + 16))) return undefined;
  if (!text.includes("closefile", font.glyphsEnd)) return undefined;
  const subrs = readSubrs(font, text);
  if (subrs === "damaged") return undefined;
  const plain = new Map<number, Uint8Array | undefined>();
  const subrOf = (number: number) => {
    const entry = subrs?.entries.get(number);
    if (entry && !plain.has(number)) plain.set(number, decryptCharString(font, entry.charString));
    return plain.get(number);
  };
  const allowance: ReadBudget = { stepsLeft: Math.min(MAX_STEPS, MIN_STEPS + MAX_GROWTH * bytes.length) };
  return { font, subrs, outlineOf: (charString) => drawType1(decryptCharString(font, charString), subrOf, allowance) };
}

function readSubrs({ private: secret, count }: Type1Font, text: string): Subrs | undefined | "damaged" {
  const begin = /\/Subrs\s+(\d+)\s+array\b/.exec(text);
  if (!begin) return text.includes("/Subrs") ? "damaged" : undefined;
  const entry = /\s*dup\s+(\d+)\s+(\d+)\s+(\S+) /y;
  const closing = /\s*(?:noaccess\s+put|\S+)/y;
  const entries = new Map<number, Subr>();
  const total = Number(begin[1]);
  let at = begin.index + begin[0].length;
  for (;;) {
    entry.lastIndex = at;
    const head = entry.exec(text);
    if (!head) break;
    const [number, start] = [Number(head[1]), entry.lastIndex];
    closing.lastIndex = start + Number(head[2]);
    const after = closing.exec(text);
    const isUsual = after !== null && after[0].length < 32 && !after[0].includes("dup");
    if (!isUsual || entries.has(number) || number >= total || entries.size >= MAX_SUBRS) return "damaged";
    const charString = secret.subarray(start, start + Number(head[2]));
    entries.set(number, { start: at, end: closing.lastIndex, charString, before: head[3]!, after: after[0] });
    at = closing.lastIndex;
  }
  // Subroutines must precede the glyphs, and later code must not add more.
  if (at > count.start || /\bdup\s+\d+\s+\d+\s+\S+ /.test(text.slice(at, count.start))) return "damaged";
  const countStart = begin.index + begin[0].indexOf(begin[1]!, "/Subrs".length);
  return { count: { start: countStart, end: countStart + begin[1]!.length }, entries };
}

/**
 * @param names names of the used glyphs
 * @returns undefined if a subset would save nothing, or the font has an unexpected structure
 */
export function subsetType1(bytes: Uint8Array, names: Iterable<string>): Type1Program | undefined {
  const drawn = readDrawnType1(bytes);
  const used = drawn && usedParts(drawn, names);
  if (!drawn || !used) return undefined;
  const edits = [...editsOfSubrs(drawn, used.subrs), ...editsOfGlyphs(drawn.font, used.names)];
  if (edits.length === 0) return undefined;
  const made = programOf(drawn.font.clear, edited(drawn.font.private, edits));
  const read = readDrawnType1(made.bytes);
  return read && isSame(drawn, read, used) ? made : undefined;
}

interface Used {
  readonly names: ReadonlySet<string>;
  readonly subrs: ReadonlySet<number>;
}

/**
 * Returns the used glyphs and subroutines, including components of accented glyphs.
 * @returns undefined if they cannot be determined
 */
function usedParts(drawn: DrawnType1, wanted: Iterable<string>): Used | undefined {
  const entries = new Map<string, Uint8Array[]>();
  for (const { name, charString } of drawn.font.entries) {
    const known = entries.get(name);
    if (known) known.push(charString);
    else entries.set(name, [charString]);
  }
  const names = new Set<string>();
  const subrs = new Set(Array.from({ length: OWN_SUBRS }, (_, number) => number));
  const waiting = [NOTDEF, ...wanted];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const charStrings = entries.get(name);
    if (names.has(name) || !charStrings) continue;
    names.add(name);
    for (const charString of charStrings) {
      const outline = drawn.outlineOf(charString);
      if (!outline) return undefined;
      for (const number of outline.called) subrs.add(number);
      for (const code of outline.parts ? [outline.parts.base, outline.parts.accent] : []) {
        const part = standardEncoding()[code];
        if (part === undefined || !entries.has(part)) return undefined;
        waiting.push(part);
      }
    }
  }
  return { names, subrs };
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly bytes: Uint8Array;
}

const NOTHING = new Uint8Array(0);

function editsOfGlyphs({ entries, count, private: secret }: Type1Font, kept: ReadonlySet<string>): Edit[] {
  const edits: Edit[] = [];
  let left = 0;
  entries.forEach(({ name, start, end }, index) => {
    if (kept.has(name)) left++;
    // The edit includes the white space before the next entry.
    else edits.push({ start, end: entries[index + 1]?.start ?? end, bytes: NOTHING });
  });
  if (edits.length === 0) return edits;
  // Some fonts state a larger count, to reserve space for more glyphs.
  const more = Math.max(0, Number(latin1(secret.subarray(count.start, count.end))) - entries.length);
  return [{ ...count, bytes: Buffer.from(String(left + more)) }, ...edits];
}

/**
 * Removes the subroutines after the last used one. Earlier unused subroutines only become a `return`, because all calls
 * identify subroutines by number.
 */
function editsOfSubrs({ font, subrs }: DrawnType1, kept: ReadonlySet<number>): Edit[] {
  if (!subrs) return [];
  const edits: Edit[] = [];
  const stub = encryptCharString(font, RETURN);
  const last = Math.max(...[...kept].filter((number) => subrs.entries.has(number)), -1);
  for (const [number, { start, end, charString, before, after }] of subrs.entries) {
    if (number > last) edits.push({ start, end, bytes: NOTHING });
    else if (!kept.has(number) && charString.length > stub.length) {
      const head = Buffer.from(`\ndup ${number} ${stub.length} ${before} `, "latin1");
      edits.push({ start, end, bytes: Buffer.concat([head, stub, Buffer.from(after, "latin1")]) });
    }
  }
  if (edits.some(({ bytes }) => bytes === NOTHING)) {
    edits.push({ ...subrs.count, bytes: Buffer.from(String(last + 1)) });
  }
  return edits;
}

function edited(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    pieces.push(bytes.subarray(at, edit.start), edit.bytes);
    at = edit.end;
  }
  return Buffer.concat([...pieces, bytes.subarray(at)]);
}

/** Reports whether the used glyphs and subroutines, when read again, are unchanged. */
function isSame(one: DrawnType1, other: DrawnType1, used: Used): boolean {
  const equal = (a: Uint8Array | undefined, b: Uint8Array | undefined) =>
    a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;
  const kept = one.font.entries.filter(({ name }) => used.names.has(name));
  return (
    one.font.lenIV === other.font.lenIV &&
    equal(one.font.clear, other.font.clear) &&
    kept.length === other.font.entries.length &&
    kept.every(({ name, charString }, index) => {
      const read = other.font.entries[index]!;
      return read.name === name && equal(read.charString, charString);
    }) &&
    [...used.subrs].every(
      (number) =>
        !one.subrs?.entries.has(number) ||
        equal(one.subrs.entries.get(number)?.charString, other.subrs?.entries.get(number)?.charString),
    )
  );
}
