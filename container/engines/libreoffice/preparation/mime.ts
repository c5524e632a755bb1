// Parses MIME entities (RFC 2045, 2046): headers, and the parts of nested multiparts. Reads each nesting level once.
// Limits the nesting depth and the number of parts.

import { EngineFailure } from "../../../../src/document/contract/failure.ts";

export interface MimePart {
  /** Media type in lower case, such as `text/html`. */
  readonly type: string;
  readonly charset?: string;
  /** Content-ID without angle brackets (RFC 2392). */
  readonly id?: string;
  /** Content-Location (RFC 2557). */
  readonly location?: string;
  /** Returns the content without its transfer encoding. */
  content(): Buffer;
}

export interface Multipart {
  /** Media type of the whole message. */
  readonly type: string;
  /** Content-ID of the part to show first (RFC 2387). */
  readonly start?: string;
  /** The leaf parts, in order. */
  readonly parts: readonly MimePart[];
}

const MAX_LEVELS = 10;
const MAX_PARTS = 20_000;
const MAX_HEADER_BYTES = 2 ** 16;

/** @throws EngineFailure `too-complex` for too many parts or levels */
export function readMime(bytes: Buffer): Multipart {
  const parts: MimePart[] = [];
  const blank = /^(?:\xef\xbb\xbf)?\s*/.exec(bytes.toString("latin1", 0, MAX_HEADER_BYTES))![0].length;
  const { type, start } = collect(bytes.subarray(blank), parts, MAX_LEVELS);
  return { type: type.value, ...(start === undefined ? {} : { start }), parts };
}

function collect(entity: Buffer, parts: MimePart[], levels: number) {
  const { fields, body } = split(entity);
  const type = parameters(fields.get("content-type") ?? "text/plain");
  const boundary = type.value.startsWith("multipart/") ? type.parameters.get("boundary") : undefined;
  if (boundary) {
    if (levels === 0) throw new EngineFailure("too-complex", "too many levels of multiparts");
    for (const part of between(body, boundary)) collect(part, parts, levels - 1);
  } else {
    if (parts.length === MAX_PARTS) throw new EngineFailure("too-complex", `more than ${MAX_PARTS} parts`);
    parts.push(partOf(type, fields, body));
  }
  return { type, start: withoutBrackets(type.parameters.get("start")) };
}

function partOf(type: Parameters, fields: ReadonlyMap<string, string>, body: Buffer): MimePart {
  const charset = type.parameters.get("charset");
  const id = withoutBrackets(fields.get("content-id"));
  // Removes the white space of URLs folded over several lines. A space that belongs to a URL is escaped.
  const location = fields.get("content-location")?.replace(/\s+/g, "");
  return {
    type: type.value,
    ...(charset === undefined ? {} : { charset }),
    ...(id === undefined ? {} : { id }),
    ...(location === undefined ? {} : { location }),
    content: () => decoded(body, fields.get("content-transfer-encoding")?.trim().toLowerCase()),
  };
}

const withoutBrackets = (id: string | undefined) => id?.trim().replace(/^<(.*)>$/, "$1");

/** Splits an entity into header fields and body, at its first empty line. */
function split(entity: Buffer): { fields: ReadonlyMap<string, string>; body: Buffer } {
  const text = entity.toString("latin1", 0, MAX_HEADER_BYTES);
  const blank = /^\r?\n|\r?\n\r?\n/.exec(text);
  const head = blank ? text.slice(0, blank.index) : text;
  const fields = new Map<string, string>();
  for (const line of head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (name !== "" && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
  }
  return { fields, body: blank ? entity.subarray(blank.index + blank[0].length) : Buffer.alloc(0) };
}

/** Yields the parts of a multipart's body (RFC 2046, 5.1.1). */
function* between(body: Buffer, boundary: string): Generator<Buffer> {
  const delimiter = Buffer.from(`--${boundary}`, "latin1");
  let start = -1;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    const isAtLine = at === 0 || body[at - 1] === 0x0a;
    const after = body.toString("latin1", at + delimiter.length, at + delimiter.length + 2);
    if (!isAtLine || !/^(--|[\r\n \t]|$)/.test(after)) continue;
    if (start >= 0) yield body.subarray(start, Math.max(start, at - (body[at - 2] === 0x0d ? 2 : 1)));
    if (after === "--") return;
    const line = body.indexOf(0x0a, at + delimiter.length);
    if (line < 0) return;
    start = line + 1;
  }
  // The closing boundary might be missing.
  if (start >= 0) yield body.subarray(start);
}

interface Parameters {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads a value with parameters, such as `text/html; charset="utf-8"`. */
function parameters(field: string): Parameters {
  const [value = ""] = field.split(";", 1);
  const found = field.matchAll(/;\s*([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]*)/g);
  const unquoted = (text: string) => (text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text);
  return {
    value: value.trim().toLowerCase(),
    parameters: new Map([...found].map(([, name, text]) => [name!.toLowerCase(), unquoted(text!)])),
  };
}

function decoded(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "base64") return Buffer.from(body.toString("latin1"), "base64");
  return encoding === "quoted-printable" ? unquotedPrintable(body) : body;
}

const [EQUALS, RETURN, NEWLINE] = [0x3d, 0x0d, 0x0a];
/** Values of hexadecimal digits by their codes. */
const DIGITS = new Map([..."0123456789abcdefABCDEF"].map((digit) => [digit.charCodeAt(0), Number.parseInt(digit, 16)]));

/** Decodes quoted-printable (RFC 2045, 6.7). An equals sign without a valid code stays. */
function unquotedPrintable(body: Buffer): Buffer {
  const result = Buffer.alloc(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at++) {
    const [byte, next = 0, last = 0] = [body[at]!, body[at + 1], body[at + 2]];
    const [high, low] = byte === EQUALS ? [DIGITS.get(next), DIGITS.get(last)] : [];
    if (high !== undefined && low !== undefined) {
      result[length++] = 16 * high + low;
      at += 2;
    } else if (byte === EQUALS && next === NEWLINE) {
      at += 1;
    } else if (byte === EQUALS && next === RETURN && last === NEWLINE) {
      at += 2;
    } else {
      result[length++] = byte;
    }
  }
  return result.subarray(0, length);
}
