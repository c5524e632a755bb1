// Decodes FlateDecode (ISO 32000-1, 7.4.4), the filter of nearly all streams. MuPDF decodes all other filters.
import { inflateSync } from "node:zlib";
import { EngineFailure } from "../../contract/failure.ts";
import { type Dictionary, Name } from "../values.ts";

/**
 * @returns undefined if there are other filters or a predictor, or the data is damaged
 * @throws EngineFailure `too-large` if the output exceeds `limitBytes`
 */
export function inflate(dictionary: Dictionary, raw: () => Uint8Array, limitBytes: number): Uint8Array | undefined {
  const filter = dictionary.get("Filter");
  const filters = filter === undefined ? [] : Array.isArray(filter) ? filter : [filter];
  const isFlate = filters.length === 1 && filters[0] instanceof Name && filters[0].text === "FlateDecode";
  if (!isFlate || dictionary.has("DecodeParms")) return undefined;
  const bytes = raw();
  try {
    return inflateSync(bytes, { maxOutputLength: Math.min(limitBytes, 2 ** 31 - 1) });
  } catch (error) {
    // Node and workerd both throw a RangeError at the limit, and other errors for damaged data.
    if (!(error instanceof RangeError)) return undefined;
    throw new EngineFailure("too-large", `a stream of more than ${limitBytes} bytes`, { cause: error });
  }
}
