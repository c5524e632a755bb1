// Replaces inline images in a content stream (ISO 32000-1, 8.9.7). All other bytes stay unchanged.
import { inflateSync } from "node:zlib";
import { readOperations } from "../content/content.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serialize } from "../objects/serialize.ts";
import { Dictionary, PdfStream, plainBody, type StreamBody, type Value } from "../objects/values.ts";
import { type PdfImage, readImage } from "./image.ts";
import type { InlineUse } from "./image-uses.ts";
import type { RecodedImage } from "./recode-image.ts";

const MAX_CONTENT_BYTES = 64 * 2 ** 20;

/**
 * @param uses all inline images of one content stream
 * @param recode returns the replacement of an image; undefined to keep it
 * @returns the new content; undefined if it is unchanged
 */
export function replaceInlineImages(
  file: PdfFile,
  stream: PdfStream,
  uses: readonly InlineUse[],
  recode: (image: PdfImage, body: StreamBody, use: InlineUse) => RecodedImage | undefined,
): PdfStream | undefined {
  const content = stream.body.decoded(MAX_CONTENT_BYTES);
  const parts: Uint8Array[] = [];
  const byIndex = new Map(uses.map((use) => [use.index, use]));
  let copied = 0;
  let index = 0;
  for (const { operands, start, end, data } of readOperations(content)) {
    if (!data) continue;
    const use = byIndex.get(index);
    index++;
    const dictionary = operands[0];
    if (!use || !(dictionary instanceof Dictionary)) continue;
    const spaces = file.dictionary(use.resources?.get("ColorSpace")) ?? new Dictionary();
    const image = readImage(file, dictionary, spaces);
    if (!image) continue;
    const recoded = recode(image, inlineBody(content.subarray(data.start, data.end), image), use);
    const syntax = recoded && inlineSyntax(recoded, dictionary, spaces);
    if (!syntax) continue;
    parts.push(content.subarray(copied, start), Buffer.from(syntax, "latin1"), recoded.bytes, Buffer.from("\nEI"));
    copied = end;
  }
  if (parts.length === 0) return undefined;
  parts.push(content.subarray(copied));
  const bytes = Buffer.concat(parts);
  const changed = stream.dictionary.clone();
  for (const key of ["Filter", "DecodeParms", "DL", "F", "FFilter", "FDecodeParms"]) changed.delete(key);
  return new PdfStream(changed, plainBody(bytes));
}

/**
 * Returns the syntax from `BI` to the end of `ID`. Undefined if the dictionary has references, which inline images
 * cannot contain.
 */
function inlineSyntax({ dictionary, bytes }: RecodedImage, before: Dictionary, spaces: Dictionary): string | undefined {
  const short = before.get("CS") ?? before.get("ColorSpace");
  let syntax = "BI";
  let refers = false;
  for (const [key, value] of dictionary) {
    const isAsNamed = key === "ColorSpace" && isNamed(short, value, spaces);
    const text = serialize(isAsNamed ? short! : value, () => {
      refers = true;
      return 0;
    });
    syntax += ` /${key} ${text}`;
  }
  return refers ? undefined : `${syntax} /L ${bytes.length} ID `;
}

function isNamed(name: Value | undefined, space: Value, spaces: Dictionary): boolean {
  return name !== undefined && [...spaces.values()].includes(space);
}

export function inlineBody(bytes: Uint8Array, { filters }: PdfImage): StreamBody {
  return {
    raw: () => bytes,
    decoded(limitBytes) {
      return filters.reduce((data, filter) => undoFilter(filter, data, limitBytes), bytes);
    },
  };
}

/** @throws RangeError, or an error of zlib, if the data cannot be decoded */
export function undoFilter(filter: string, bytes: Uint8Array, limitBytes: number): Uint8Array {
  switch (filter) {
    case "FlateDecode":
    case "Fl":
      return inflateSync(bytes, { maxOutputLength: limitBytes });
    case "ASCIIHexDecode":
    case "AHx":
      return Buffer.from(
        Buffer.from(bytes)
          .toString("latin1")
          .replace(/>.*$/s, "")
          .replace(/[^\da-fA-F]/g, ""),
        "hex",
      );
    case "ASCII85Decode":
    case "A85":
      return undoAscii85(bytes);
    case "RunLengthDecode":
    case "RL":
      return undoRunLength(bytes, limitBytes);
    default:
      throw new RangeError(`an inline image with the filter ${filter}`);
  }
}

/** Decodes ASCII base-85 data (7.4.3). */
function undoAscii85(bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length * 4);
  let size = 0;
  let digits: number[] = [];
  const put = (group: readonly number[], count: number) => {
    const value = group.reduce((sum, digit) => sum * 85 + digit, 0);
    for (let index = 0; index < count; index++) result[size++] = Math.floor(value / 256 ** (3 - index)) & 0xff;
  };
  for (const byte of bytes) {
    if (byte === 0x7e) break;
    if (byte === 0x7a && digits.length === 0) size += 4;
    if (byte < 0x21 || byte > 0x75) continue;
    digits.push(byte - 0x21);
    if (digits.length < 5) continue;
    put(digits, 4);
    digits = [];
  }
  if (digits.length > 1) put([...digits, 84, 84, 84, 84].slice(0, 5), digits.length - 1);
  return result.subarray(0, size);
}

/** Decodes run-length data (7.4.5). */
function undoRunLength(bytes: Uint8Array, limitBytes: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let at = 0; at < bytes.length && bytes[at] !== 128 && size < limitBytes; ) {
    const length = bytes[at]!;
    const part =
      length < 128 ? bytes.subarray(at + 1, at + 2 + length) : new Uint8Array(257 - length).fill(bytes[at + 1] ?? 0);
    at += length < 128 ? length + 2 : 2;
    parts.push(part);
    size += part.length;
  }
  return Buffer.concat(parts);
}
