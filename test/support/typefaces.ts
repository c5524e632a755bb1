// Provides the machine's fonts to tests of operations that set text.
import { systemFonts } from "../../container/fonts/system-fonts.ts";
import type { TypefaceProvider } from "../../src/document/contract/font-provider.ts";
import type { Context } from "../../src/document/contract/operation.ts";
import { localTypefaces } from "../../src/operations/container-only/local-typefaces.ts";
import { CONTEXT } from "./operations.ts";

const fonts = localTypefaces(systemFonts);
const read = new Map<string, Promise<Uint8Array | undefined>>();

/** Reads each font once, as the cache of the edge does. */
export const TYPEFACES: TypefaceProvider = {
  ...fonts,
  typeface(part) {
    const key = JSON.stringify(part);
    const known = read.get(key) ?? fonts.typeface(part);
    read.set(key, known);
    return known;
  },
};

export const TYPESETTING: Context = { ...CONTEXT, typefaces: TYPEFACES };
