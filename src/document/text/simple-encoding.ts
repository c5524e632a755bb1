// Reads the Encoding of a simple font (ISO 32000-1, 9.6.6): a glyph name per code.

import { type Encoding, NOTDEF, namedEncoding } from "../fonts/names/glyph-names.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, type Value } from "../objects/values.ts";

export interface SimpleEncoding {
  readonly names: Encoding;
  /** Name of a predefined encoding, used directly or as BaseEncoding. */
  readonly baseName: string | undefined;
  /** Glyph names in Differences, by code. */
  readonly differences: ReadonlyMap<number, string>;
}

/** @param base the encoding to use if the value names none */
export function readSimpleEncoding(file: PdfFile, value: Value | undefined, base: Encoding): SimpleEncoding {
  const object = file.resolve(value);
  const dictionary = object instanceof Dictionary ? object : undefined;
  const baseName = object instanceof Name ? object.text : file.name(dictionary?.get("BaseEncoding"));
  const names = [...(namedEncoding(baseName) ?? base)];
  const differences = new Map<number, string>();
  let code = 0;
  for (const element of file.array(dictionary?.get("Differences")) ?? []) {
    const one = file.resolve(element);
    if (typeof one === "number") code = one;
    else if (one instanceof Name) {
      if (code >= 0 && code < 256) {
        differences.set(code, one.text);
        names[code] = one.text === NOTDEF ? undefined : one.text;
      }
      code++;
    }
  }
  return { names, baseName, differences };
}

/** Returns an Encoding without a BaseEncoding. */
export function encodingOf(names: Encoding): Dictionary {
  const differences: Value[] = [];
  let next = -1;
  names.forEach((name, code) => {
    if (name === undefined) return;
    if (code !== next) differences.push(code);
    differences.push(Name.of(name));
    next = code + 1;
  });
  return Dictionary.of({ Type: Name.of("Encoding"), Differences: differences });
}
