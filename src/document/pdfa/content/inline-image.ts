// Repairs inline images (ISO 32000-1, 8.9.7) according to ISO 19005-1, 6.1.10 and 6.2.4, and -2, 6.1.10 and 6.2.8.
import { deflateSync } from "node:zlib";
import type { ContentOperation } from "../../content/content.ts";
import { EngineFailure } from "../../contract/failure.ts";
import { decodeLzw } from "../../formats/lzw/decode.ts";
import { undoFilter } from "../../images/inline-images.ts";
import { serialize } from "../../objects/serialize.ts";
import { Dictionary, Name, type Value } from "../../objects/values.ts";
import { RENDERING_INTENTS } from "./graphics-states.ts";

const FORBIDDEN = ["I", "Interpolate", "Alternates", "OPI"];
const LZW = ["LZW", "LZWDecode"];
const MAX_DECODED_BYTES = 64 * 2 ** 20;

/** @returns the replacement, one character per byte; undefined to keep the operation */
export function repairInlineImage({ operands, data }: ContentOperation, content: Uint8Array): string | undefined {
  const before = operands[0] as Dictionary;
  const dictionary = before.clone();
  let hasChanged = false;
  for (const key of FORBIDDEN) hasChanged = dictionary.delete(key) || hasChanged;
  const intent = dictionary.get("Intent");
  if (intent !== undefined && !(intent instanceof Name && RENDERING_INTENTS.has(intent.text))) {
    dictionary.delete("Intent");
    hasChanged = true;
  }
  const bytes = content.subarray(data!.start, data!.end);
  let decoded: Uint8Array | undefined;
  try {
    decoded = withoutLzw(dictionary, bytes);
  } catch (error) {
    if (error instanceof EngineFailure) throw error;
    // An image with an unsupported filter cannot be shown, so it is removed.
    return "";
  }
  if (!hasChanged && !decoded) return undefined;
  let syntax = "BI";
  for (const [key, value] of dictionary) syntax += ` /${key} ${serialize(value, () => 0)}`;
  return `${syntax} ID ${Buffer.from(decoded ?? bytes).toString("latin1")}\nEI`;
}

/**
 * Replaces LZW with Flate, whose parameters have the same meaning. The data is then encoded as hexadecimal digits, so
 * that it cannot contain `EI`, which would end the image.
 */
function withoutLzw(dictionary: Dictionary, bytes: Uint8Array): Uint8Array | undefined {
  const filters = listOf(dictionary.get("F") ?? dictionary.get("Filter")).map((value) =>
    value instanceof Name ? value.text : "",
  );
  const index = filters.findIndex((name) => LZW.includes(name));
  if (index < 0) return undefined;
  const parameters = listOf(dictionary.get("DP") ?? dictionary.get("DecodeParms"));
  const own = parameters[index];
  if (own instanceof Dictionary && own.get("EarlyChange") === 0) return undefined;
  const undone = filters.slice(0, index).reduce((data, filter) => undoFilter(filter, data, MAX_DECODED_BYTES), bytes);
  for (const key of ["F", "Filter", "DP", "DecodeParms", "L", "Length"]) dictionary.delete(key);
  dictionary.set(
    "F",
    ["AHx", "Fl", ...filters.slice(index + 1)].map((name) => Name.of(name)),
  );
  if (parameters.length > index) dictionary.set("DP", [null, ...parameters.slice(index)]);
  return Buffer.from(`${deflateSync(lzwDecoded(undone)).toString("hex")}>`, "latin1");
}

const listOf = (value: Value | undefined): Value[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

function lzwDecoded(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const piece of decodeLzw(bytes)) {
    parts.push(piece.slice());
    size += piece.length;
    if (size > MAX_DECODED_BYTES) throw new EngineFailure("too-large", "an inline image without end");
  }
  return Buffer.concat(parts);
}
