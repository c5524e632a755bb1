// The filter that nearly every stream has (FlateDecode; ISO 32000-1, 7.4.4), by the platform's zlib. All other filters are the
// engine's business.
import { inflateSync } from "node:zlib";
import { EngineFailure } from "../../core/failure.ts";
import { type Dictionary, Name } from "./values.ts";

/**
 * @returns undefined for bytes with other filters, with a predictor, or that zlib does not take as they are
 * @throws EngineFailure `too-large` where they are more than `limitBytes`
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
    // The one kind of error that Node and workerd have in common for a limit that is reached; damage is an Error of another kind.
    if (!(error instanceof RangeError)) return undefined;
    throw new EngineFailure("too-large", `a stream of more than ${limitBytes} bytes`, { cause: error });
  }
}
