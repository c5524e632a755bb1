// Finds the PostScript program in a file: after printer commands, in an EPS file with a preview, or in a Macintosh
// wrapper. Parses comments that Ghostscript ignores or whose values it only guesses.

import { type FileHandle, open } from "node:fs/promises";

/** Lower left and upper right corners, in points. */
export type Box = readonly [llx: number, lly: number, urx: number, ury: number];

/** A byte range of a file. */
export interface Section {
  readonly offset: number;
  readonly length: number;
}

export interface PostscriptProgram extends Section {
  /** True for an EPS file (EPSF specification 3.0): one image with a bounding box. */
  readonly isEncapsulated: boolean;
  /** Bounding box that the comments declare, if it is valid. */
  readonly box?: Box;
  /** Number of pages that the comments declare, or 0. */
  readonly declaredPages: number;
  /** Values that further comments declare. */
  readonly title?: string;
  readonly author?: string;
  readonly creator?: string;
}

/** Number of bytes at the start, and at the end, that are searched for comments. */
const COMMENT_BYTES = 64 * 1024;

/**
 * Maximum characters of a comment's value. A line has at most 255 (DSC 3.0, 3), but octal escapes can make it longer.
 */
const MAX_VALUE = 2048;

/**
 * `MIN_SIDE` is the minimum side of a page in points, because PDF readers reject smaller pages. `FARTHEST` limits
 * coordinates, because Ghostscript's are 32-bit floats.
 */
const MIN_SIDE = 0.05;
const FARTHEST = 1_000_000;

/** Binary header of EPS files with a preview for DOS (EPSF specification 3.0, 5.2). */
const DOS_HEADER = Buffer.from("c5d0d3c6", "hex");
/** Signature of AppleSingle files (RFC 1740, appendix A). */
const APPLE_SINGLE = Buffer.from("00051600", "hex");
const DATA_FORK = 1;
const MAC_BINARY_HEADER_BYTES = 128;

/** Universal Exit Language, which switches to and from the printer's job language (PJL Technical Reference, 2). */
const UNIVERSAL_EXIT = "\x1b%-12345X";

/** @returns undefined if the file contains no program */
export async function findProgram(path: string, name: string): Promise<PostscriptProgram | undefined> {
  await using file = await open(path);
  const { size } = await file.stat();
  const outer = await unwrapped(file, size);
  if (outer === undefined) return undefined;
  const start = await textOf(file, { offset: outer.offset, length: Math.min(outer.length, COMMENT_BYTES) });
  const skipped = beforeProgram(start);
  const section = { offset: outer.offset + skipped, length: outer.length - skipped };
  const endLength = Math.min(section.length, COMMENT_BYTES);
  const end = await textOf(file, { offset: section.offset + section.length - endLength, length: endLength });
  const length = section.length - afterProgram(end);
  if (length <= 0) return undefined;
  return { offset: section.offset, length, ...readComments(start.slice(skipped), end, name, outer.isDos) };
}

/** Returns the range of the PostScript inside a wrapper, or of the whole file. */
async function unwrapped(file: FileHandle, size: number): Promise<(Section & { isDos: boolean }) | undefined> {
  const whole = { offset: 0, length: size, isDos: false };
  const head = await bytesOf(file, { offset: 0, length: Math.min(size, 1024) });
  if (head.subarray(0, 4).equals(DOS_HEADER)) {
    if (head.length < 12) return undefined;
    const section = { offset: head.readUInt32LE(4), length: head.readUInt32LE(8), isDos: true };
    return fitted(section, size);
  }
  if (head.subarray(0, 4).equals(APPLE_SINGLE)) return appleSingle(head, size);
  if (isMacBinary(head)) {
    return fitted({ offset: MAC_BINARY_HEADER_BYTES, length: head.readUInt32BE(83), isDos: false }, size);
  }
  return whole;
}

/**
 * Returns a range, shortened to the end of a truncated file. @returns undefined if the range begins after the file's
 * end
 */
function fitted<S extends Section>(section: S, size: number): S | undefined {
  const length = Math.min(section.length, size - section.offset);
  return length > 0 ? { ...section, length } : undefined;
}

function appleSingle(head: Buffer, size: number) {
  if (head.length < 26) return undefined;
  const entries = head.readUInt16BE(24);
  for (let at = 26; at + 12 <= head.length && at < 26 + 12 * entries; at += 12) {
    if (head.readUInt32BE(at) !== DATA_FORK) continue;
    return fitted({ offset: head.readUInt32BE(at + 4), length: head.readUInt32BE(at + 8), isDos: false }, size);
  }
  return undefined;
}

/**
 * Reports whether the file is MacBinary: it has zeros at fixed positions, a name of 1 to 63 characters, and a
 * PostScript program after the header.
 */
function isMacBinary(head: Buffer): boolean {
  if (head.length < MAC_BINARY_HEADER_BYTES + 2 || head[0] !== 0 || head[74] !== 0) return false;
  return head[1]! >= 1 && head[1]! <= 63 && head.toString("latin1", 128, 130) === "%!";
}

/** Returns the number of bytes before the program: printer commands, end-of-transmission characters and white space. */
function beforeProgram(start: string): number {
  const blank = blanksFrom(start, 0);
  if (!start.startsWith(UNIVERSAL_EXIT, blank)) return blank;
  const enter = /@PJL\s+ENTER\s+LANGUAGE\s*=\s*(\w+)/i.exec(start);
  const endOfLine = enter === null ? -1 : start.indexOf("\n", enter.index + enter[0].length);
  if (enter === null || endOfLine < 0) {
    const program = start.indexOf("%!");
    return program < 0 ? start.length : program;
  }
  // The printer job is in another page description language.
  if (enter[1]!.toUpperCase() !== "POSTSCRIPT") return start.length;
  return blanksFrom(start, endOfLine + 1);
}

/** Returns the number of such bytes after the program. */
function afterProgram(end: string): number {
  let length = end.length;
  for (let exit = end.lastIndexOf(UNIVERSAL_EXIT); exit >= 0; exit = end.lastIndexOf(UNIVERSAL_EXIT, exit - 1)) {
    if (!isCommands(end.slice(exit + UNIVERSAL_EXIT.length, length))) break;
    length = exit;
    if (exit === 0) break;
  }
  while (length > 0 && isBlank(end[length - 1]!)) length--;
  return end.length - length;
}

/** Reports whether all lines are blank or printer commands. */
const isCommands = (text: string) =>
  text.split(/[\r\n]/).every((line) => /^\s*(?:@PJL|$)/.test(line.slice(blanksFrom(line, 0))));

function blanksFrom(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text[at]!)) at++;
  return at;
}

const isBlank = (character: string) => " \t\r\n\f\0\x04".includes(character);

/** Reads the comments of the Document Structuring Conventions 3.0. */
function readComments(start: string, end: string, name: string, isDos: boolean) {
  const firstLine = /^[^\r\n]*/.exec(start)![0];
  // Comments after the header can belong to embedded documents.
  const header = start.split(/^%%(?:EndComments|BeginProlog|BeginDocument|Page:)/m, 1)[0]!;
  const declaredPages = Number(comment(header, end, "Pages", /^\d{1,9}/)?.[0] ?? 0);
  const saysSo = /^%!PS-Adobe-\S+\s+EPSF/.test(firstLine) || isDos;
  const box = boxOf(header, end, "HiResBoundingBox") ?? boxOf(header, end, "BoundingBox");
  const information = {
    title: textIn(comment(header, end, "Title", /^.*/)?.[0]),
    author: textIn(comment(header, end, "For", /^.*/)?.[0]),
    creator: textIn(comment(header, end, "Creator", /^.*/)?.[0]),
  };
  const isEncapsulated = (saysSo || (/\.(eps|epsf|epsi)$/i.test(name) && box !== undefined)) && declaredPages <= 1;
  return {
    isEncapsulated,
    declaredPages,
    ...(isEncapsulated && box !== undefined ? { box } : {}),
    ...Object.fromEntries(Object.entries(information).filter(([, text]) => text !== undefined)),
  };
}

/**
 * Returns the text of a comment's value (DSC 3.0, 4.6): a PostScript string in parentheses, a PDF text string (ISO
 * 32000-1, 7.9.2.2) in parentheses or in hexadecimal digits, or plain text.
 */
function textIn(value: string | undefined): string | undefined {
  if (value === undefined || value.startsWith("(atend)")) return undefined;
  const digits = /^<((?:fe\s*ff|ff\s*fe|ef\s*bb\s*bf)[\da-f\s]*)>/i.exec(value)?.[1]?.replace(/\s/g, "");
  const plain = value.startsWith("(") ? inParentheses(value) : value;
  const bytes = digits === undefined ? Buffer.from(plain, "latin1") : Buffer.from(digits, "hex");
  const text = decoded(bytes)
    .replace(/\p{Cc}/gu, " ")
    .trim();
  return text === "" ? undefined : text;
}

/** Decodes text by its byte order mark; else as UTF-8, if it is valid; else as Latin-1. */
function decoded(bytes: Buffer): string {
  const mark = bytes.toString("hex", 0, 2);
  if (mark === "feff" || mark === "fffe")
    return new TextDecoder(mark === "feff" ? "utf-16be" : "utf-16le").decode(bytes);
  const utf8 = bytes.toString("utf8");
  return Buffer.from(utf8, "utf8").equals(bytes) ? utf8.replace(/^\ufeff/, "") : bytes.toString("latin1");
}

const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** Returns the characters of a string in parentheses (PLRM 3.3.2), which can be truncated. */
function inParentheses(value: string): string {
  let depth = 0;
  let text = "";
  for (const [token, escaped] of value.matchAll(/\\([0-7]{1,3}|.?)|[^\\]/gs)) {
    if (token === ")" && --depth === 0) break;
    if (escaped === undefined) text += token === "(" && depth === 0 ? "" : token;
    else if (/^[0-7]/.test(escaped)) text += String.fromCharCode(Number.parseInt(escaped, 8) & 0xff);
    else text += CONTROLS[escaped] ?? escaped;
    if (token === "(") depth++;
  }
  return text;
}

/** Returns a box if it is large enough for a page. */
function boxOf(header: string, end: string, key: string): Box | undefined {
  // The pattern is unambiguous, so a mismatch does not cause backtracking.
  const number = "([-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?)";
  const found = comment(header, end, key, new RegExp(`^${[number, number, number, number].join("[\\s,]+")}`));
  if (found === undefined) return undefined;
  const [llx, lly, urx, ury] = found.slice(1).map(Number) as [number, number, number, number];
  const isPage = [urx - llx, ury - lly].every((side) => side >= MIN_SIDE);
  const isNear = [llx, lly, urx, ury].every((place) => Math.abs(place) <= FARTHEST);
  return isPage && isNear ? [llx, lly, urx, ury] : undefined;
}

/**
 * Returns the comment's value from the header. If it is missing there or "(atend)", returns its last value in the
 * trailer.
 */
function comment(header: string, end: string, key: string, value: RegExp): RegExpExecArray | undefined {
  const lines = (text: string) =>
    [...text.matchAll(new RegExp(`^%%${key}:[ \\t]*([^\\r\\n]*)`, "gm"))].map(([, text]) => text!.slice(0, MAX_VALUE));
  const atHead = lines(header)
    .map((text) => value.exec(text))
    .find((match) => match !== null);
  if (atHead) return atHead;
  const trailer = end.split(/^%%Trailer/m);
  const matches = lines(trailer.length > 1 ? trailer.at(-1)! : end).map((text) => value.exec(text));
  return matches.findLast((match) => match !== null) ?? undefined;
}

async function textOf(file: FileHandle, section: Section): Promise<string> {
  return (await bytesOf(file, section)).toString("latin1");
}

async function bytesOf(file: FileHandle, { offset, length }: Section): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}
