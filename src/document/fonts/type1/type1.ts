// Reads Type 1 font programs (Adobe Type 1 Font Format): glyphs and widths. Rewrites them with other widths and more
// glyphs. Outlines are copied, not interpreted.
import { type Encoding, NOTDEF, standardEncoding } from "../names/glyph-names.ts";

interface Type1Glyph {
  readonly name: string;
  /** Start of the CharStrings entry in the decrypted part. */
  readonly start: number;
  readonly end: number;
  /** Encrypted charstring. */
  readonly charString: Uint8Array;
}

export interface Type1Font {
  /** The clear-text part, up to `eexec` and the white space after it. */
  readonly clear: Uint8Array;
  /** The decrypted part, without its four random bytes. */
  readonly private: Uint8Array;
  /** The first entry of each glyph name. */
  readonly glyphs: ReadonlyMap<string, Type1Glyph>;
  /** All entries, in file order. */
  readonly entries: readonly Type1Glyph[];
  readonly encoding: Encoding;
  /** Factor from charstring units to thousandths of an em. */
  readonly scale: number;
  /** Number of random bytes before each charstring; -1 if charstrings are not encrypted. */
  readonly lenIV: number;
  /** Position of the text that states the number of charstrings. `glyphsEnd`: the end of the last charstring. */
  readonly count: { readonly start: number; readonly end: number };
  readonly glyphsEnd: number;
  /** Text between an entry's length and its bytes, and after the bytes: `RD` and `ND`, which fonts can rename. */
  readonly marks: { readonly before: string; readonly after: string };
}

const EEXEC_KEY = 55665;
const CHARSTRING_KEY = 4330;
const MAX_GLYPHS = 65_535;
const [HSBW, ESCAPE, DIV, SBW, ENDCHAR] = [13, 12, 12, 7, 14];
const TRAILER = `\n${`${"0".repeat(64)}\n`.repeat(8)}cleartomark\n`;

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");

/** @returns undefined if the bytes are not a Type 1 font, or are incomplete */
export function readType1(file: Uint8Array): Type1Font | undefined {
  const bytes = file[0] === 0x80 ? withoutSegments(file) : file;
  if (latin1(bytes.subarray(0, 2)) !== "%!") return undefined;
  const word = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf("eexec");
  if (word < 0) return undefined;
  let at = word + 5;
  while ([32, 9, 10, 13].includes(bytes[at]!)) at++;
  const clear = bytes.subarray(0, at);
  const secret = decrypted(binary(bytes.subarray(at)), EEXEC_KEY, 4);
  const text = latin1(secret);
  const begin = /\/CharStrings\s+(\d+)/g.exec(text);
  if (!begin) return undefined;
  const countEnd = begin.index + begin[0].length;
  const found = readGlyphs(secret, text, countEnd);
  // The trailer of 512 zeros follows `closefile` unencrypted (7.2).
  const over = text.indexOf("closefile", found.glyphsEnd);
  if (found.glyphs.size === 0) return undefined;
  const head = latin1(clear);
  const matrix = /\/FontMatrix\s*[[{]\s*([-+.\dEe]+)/.exec(head)?.[1];
  return {
    clear,
    private: over < 0 ? secret : secret.subarray(0, over + 9),
    ...found,
    encoding: readEncoding(head),
    scale: (matrix ? Number.parseFloat(matrix) : 0.001) * 1000,
    lenIV: Number(/\/lenIV\s+(-?\d+)/.exec(text)?.[1] ?? 4),
    count: { start: countEnd - begin[1]!.length, end: countEnd },
  };
}

function readGlyphs(
  secret: Uint8Array,
  text: string,
  from: number,
): Pick<Type1Font, "glyphs" | "entries" | "glyphsEnd" | "marks"> {
  const glyphs = new Map<string, Type1Glyph>();
  const entries: Type1Glyph[] = [];
  const entry = /\s*\/([^\s/{}[\]()<>%]*)\s+(\d+)\s+(\S+) /y;
  const closing = /\s*(?:(noaccess\s+def)|(\S+))/y;
  let marks = { before: "RD", after: "ND" };
  let at = text.indexOf("/", from);
  while (at >= 0 && entries.length < MAX_GLYPHS) {
    entry.lastIndex = at;
    const head = entry.exec(text);
    if (!head) break;
    const start = entry.lastIndex;
    const end = start + Number(head[2]);
    if (end > secret.length) break;
    closing.lastIndex = end;
    const after = closing.exec(text);
    // If no token ends the entry, the next entry follows immediately.
    const isMarked = after !== null && !after[0].includes("/");
    marks = { before: head[3]!, after: isMarked ? (after[1] ?? after[2])! : marks.after };
    const next = isMarked ? closing.lastIndex : end;
    const glyph = { name: head[1]!, start: at, end: next, charString: secret.subarray(start, end) };
    entries.push(glyph);
    if (!glyphs.has(glyph.name)) glyphs.set(glyph.name, glyph);
    at = next;
  }
  return { glyphs, entries, glyphsEnd: at < 0 ? from : at, marks };
}

/** Removes the six-byte segment headers of a PFB file. */
function withoutSegments(file: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at + 6 <= file.length && file[at] === 0x80 && file[at + 1]! < 3; ) {
    const size = file[at + 2]! + file[at + 3]! * 2 ** 8 + file[at + 4]! * 2 ** 16 + file[at + 5]! * 2 ** 24;
    parts.push(file.subarray(at + 6, at + 6 + size));
    at += 6 + size;
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** Decodes the encrypted part if it is hexadecimal (7.2). */
function binary(bytes: Uint8Array): Uint8Array {
  const isHex = /^[\da-fA-F\s]{4}/.test(latin1(bytes.subarray(0, 4)));
  return isHex ? new Uint8Array(Buffer.from(latin1(bytes).replace(/[^\da-fA-F]/g, ""), "hex")) : bytes;
}

function decrypted(bytes: Uint8Array, key: number, skipped: number): Uint8Array {
  const plain = new Uint8Array(bytes.length);
  let state = key;
  for (let at = 0; at < bytes.length; at++) {
    const cipher = bytes[at]!;
    plain[at] = cipher ^ (state >> 8);
    state = ((cipher + state) * 52845 + 22719) & 0xffff;
  }
  return plain.subarray(skipped);
}

/** @param skipped number of random bytes before the text */
function encrypted(plain: Uint8Array, key: number, skipped: number): Uint8Array {
  const bytes = new Uint8Array(plain.length + skipped);
  let state = key;
  for (let at = 0; at < bytes.length; at++) {
    // Zeros at the start encrypt to bytes that are not all hexadecimal digits, as required (7.2).
    const cipher = (at < skipped ? 0 : plain[at - skipped]!) ^ (state >> 8);
    bytes[at] = cipher;
    state = ((cipher + state) * 52845 + 22719) & 0xffff;
  }
  return bytes;
}

const ENTRY_OF_ENCODING = /dup\s+(\d+)(?:#(\w+))?\s*\/([^\s/{}[\]()<>%]+)\s+put/g;

function readEncoding(head: string): Encoding {
  if (/\/Encoding\s+StandardEncoding\s+def/.test(head)) return standardEncoding();
  const encoding: (string | undefined)[] = new Array(256).fill(undefined);
  for (const [, code, base, name] of head.matchAll(ENTRY_OF_ENCODING)) {
    const value = base === undefined ? Number(code) : Number.parseInt(base, Number(code));
    if (value < 256) encoding[value] = name === NOTDEF ? undefined : name;
  }
  return encoding;
}

/** Reports whether the encoding is supported: the standard one, or a list of single codes. */
export function hasPlainEncoding({ clear, private: secret }: Type1Font): boolean {
  const head = latin1(clear);
  if (head.match(/\/Encoding\b/g)?.length !== 1 || /\/Encoding\b/.test(latin1(secret))) return false;
  const begin = /\/Encoding\s+(?:(StandardEncoding)\s+def\b|256\s+array\b)/.exec(head);
  if (!begin || begin[1] !== undefined) return begin !== null;
  const behind = head.slice(begin.index + begin[0].length);
  const end = behind.search(/\sdef\b/);
  if (end < 0) return false;
  const entries = behind
    .slice(0, end)
    .replace(/\b0\s+1\s+255\s*\{\s*1\s+index\s+exch\s*\/\.notdef\s+put\s*\}\s*(?:bind\s+)?for\b/, "")
    .replace(ENTRY_OF_ENCODING, "")
    .trim();
  return entries === "" || entries === "readonly";
}

interface Width {
  /** Start of the width's operands in the decrypted charstring. */
  readonly start: number;
  readonly end: number;
  readonly value: number;
}

/** Finds the operands of `hsbw` or `sbw`, with which every glyph starts (6.4). */
function findWidth(plain: Uint8Array): Width | undefined {
  const stack: Width[] = [];
  for (let at = 0; at < plain.length && stack.length < 48; ) {
    const start = at;
    const byte = plain[at++]!;
    if (byte >= 32) {
      const next = (offset: number) => plain[at + offset] ?? 0;
      let value = byte - 139;
      if (byte === 255) {
        value = (next(0) << 24) | (next(1) << 16) | (next(2) << 8) | next(3);
        at += 4;
      } else if (byte > 246) {
        value = byte <= 250 ? (byte - 247) * 256 + next(0) + 108 : -(byte - 251) * 256 - next(0) - 108;
        at++;
      }
      stack.push({ start, end: at, value });
    } else if (byte === HSBW) {
      return stack.length >= 2 ? stack.at(-1) : undefined;
    } else if (byte === ESCAPE && plain[at] === DIV && stack.length >= 2) {
      at++;
      const [divisor, dividend] = [stack.pop()!, stack.pop()!];
      stack.push({ start: dividend.start, end: at, value: dividend.value / divisor.value });
    } else if (byte === ESCAPE && plain[at] === SBW) {
      return stack.length >= 4 ? stack.at(-2) : undefined;
    } else {
      // The width is set in a subroutine, or missing.
      return undefined;
    }
  }
  return undefined;
}

export function decryptCharString({ lenIV }: Type1Font, charString: Uint8Array): Uint8Array {
  return lenIV < 0 ? charString : decrypted(charString, CHARSTRING_KEY, lenIV);
}

/** Returns a width in thousandths of an em; undefined if the glyph or its width is missing. */
export function type1Width(font: Type1Font, name: string): number | undefined {
  const glyph = font.glyphs.get(name);
  const width = glyph && findWidth(decryptCharString(font, glyph.charString));
  return width && width.value * font.scale;
}

function numberBytes(value: number): Uint8Array {
  const whole = Math.round(value);
  return Uint8Array.of(255, (whole >> 24) & 0xff, (whole >> 16) & 0xff, (whole >> 8) & 0xff, whole & 0xff);
}

export interface Type1Changes {
  /** Widths by name, in thousandths of an em. */
  readonly widths: ReadonlyMap<string, number>;
  /** Copies of other glyphs, with their own names. */
  readonly added: readonly { readonly name: string; readonly source: string; readonly width: number }[];
}

export interface Type1Program {
  readonly bytes: Uint8Array;
  /** Length1, Length2 and Length3 (ISO 32000-1, table 127). */
  readonly lengths: readonly [number, number, number];
}

/** @returns undefined if a width cannot be set */
export function writeType1(font: Type1Font, { widths, added }: Type1Changes): Type1Program | undefined {
  const pieces: Uint8Array[] = [];
  const entries = [...font.glyphs].sort(([, a], [, b]) => a.start - b.start);
  let at = font.count.end;
  const total = Number(latin1(font.private.subarray(font.count.start, font.count.end))) + added.length;
  pieces.push(font.private.subarray(0, font.count.start), Buffer.from(String(total)));
  for (const [name, glyph] of entries) {
    const width = widths.get(name);
    if (width === undefined) continue;
    const set = withWidth(font, glyph.charString, width);
    if (!set) return undefined;
    pieces.push(font.private.subarray(at, glyph.start), entryOf(font, name, set));
    at = glyph.end;
  }
  pieces.push(font.private.subarray(at, font.glyphsEnd));
  for (const { name, source, width } of added) {
    const original = font.glyphs.get(source);
    const like = original && withWidth(font, original.charString, width);
    pieces.push(entryOf(font, name, like ?? emptyGlyph(font, width)));
  }
  pieces.push(font.private.subarray(font.glyphsEnd));
  return programOf(font.clear, Buffer.concat(pieces));
}

/** @param plain the part to encrypt */
export function programOf(clear: Uint8Array, plain: Uint8Array): Type1Program {
  const secret = encrypted(Buffer.concat([plain, Buffer.from("\n")]), EEXEC_KEY, 4);
  const trailer = Buffer.from(TRAILER);
  const bytes = new Uint8Array(Buffer.concat([clear, secret, trailer]));
  return { bytes, lengths: [clear.length, secret.length, trailer.length] };
}

function entryOf({ marks }: Type1Font, name: string, charString: Uint8Array): Uint8Array {
  return Buffer.concat([
    Buffer.from(`\n/${name} ${charString.length} ${marks.before} `, "latin1"),
    charString,
    Buffer.from(` ${marks.after}`, "latin1"),
  ]);
}

function withWidth(font: Type1Font, charString: Uint8Array, width: number): Uint8Array | undefined {
  const plain = decryptCharString(font, charString);
  const place = findWidth(plain);
  if (!place || !(font.scale > 0)) return undefined;
  const number = numberBytes(width / font.scale);
  return encryptCharString(font, Buffer.concat([plain.subarray(0, place.start), number, plain.subarray(place.end)]));
}

function emptyGlyph(font: Type1Font, width: number): Uint8Array {
  return encryptCharString(
    font,
    Buffer.concat([Uint8Array.of(139), numberBytes(width / (font.scale || 1)), Uint8Array.of(HSBW, ENDCHAR)]),
  );
}

export function encryptCharString({ lenIV }: Pick<Type1Font, "lenIV">, plain: Uint8Array): Uint8Array {
  return lenIV < 0 ? plain : encrypted(plain, CHARSTRING_KEY, lenIV);
}
