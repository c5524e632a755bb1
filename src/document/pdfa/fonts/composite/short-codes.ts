// Replaces codes of more than two bytes, as in UTF-16 and GB 18030 CMaps, with two-byte codes. Some readers do not
// support longer codes in ToUnicode.
import type { CharacterCode, CMap } from "../../../text/cmap.ts";

export const MAX_CODE_BYTES = 2;

/** Two-byte codes for the long codes of a font. */
export interface ShortCodes {
  /** New codes, each with the code that it replaces. */
  readonly aliases: ReadonlyMap<CharacterCode, CharacterCode>;
  /** Returns a string with the new codes. */
  readonly recode: (latin1: string) => string;
}

/** @returns undefined if all codes are short, or there are not enough unused two-byte codes */
export function shortCodes(map: CMap, codes: readonly CharacterCode[]): ShortCodes | undefined {
  const long = codes.filter(({ bytes }) => bytes > MAX_CODE_BYTES);
  if (long.length === 0) return undefined;
  const taken = new Set(codes.filter(({ bytes }) => bytes === MAX_CODE_BYTES).map(({ code }) => code));
  const aliases = new Map<CharacterCode, CharacterCode>();
  const byCode = new Map<number, number>();
  let next = 0xffff;
  for (const one of long) {
    while (next > 0 && (taken.has(next) || !isTwoBytes(map, next))) next--;
    if (next === 0) return undefined;
    byCode.set(one.code, next);
    aliases.set({ code: next--, bytes: MAX_CODE_BYTES }, one);
  }
  const written = ({ code, bytes }: CharacterCode) => {
    const short = bytes > MAX_CODE_BYTES ? byCode.get(code) : undefined;
    const [value, length] = short === undefined ? [code, bytes] : [short, MAX_CODE_BYTES];
    return Array.from({ length }, (_, at) =>
      String.fromCharCode(Math.floor(value / 256 ** (length - 1 - at)) % 256),
    ).join("");
  };
  return { aliases, recode: (latin1) => map.split(latin1).map(written).join("") };
}

function isTwoBytes(map: CMap, code: number): boolean {
  const [only, ...others] = map.split(String.fromCharCode(code >> 8, code & 0xff));
  return only?.bytes === MAX_CODE_BYTES && others.length === 0;
}
