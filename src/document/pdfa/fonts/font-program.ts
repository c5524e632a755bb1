// Reads a font program from any FontFile entry of a descriptor, detects its actual format, and stores it under the
// right entry (ISO 32000-1, 9.9).
import { EngineFailure } from "../../contract/failure.ts";
import { builtInEncoding, type CffFont, cffTable, cffWidth, glyphNames, readCff } from "../../fonts/cff/cff.ts";
import { type CffGlyph, writeCff } from "../../fonts/cff/writer.ts";
import { type Encoding, NOTDEF } from "../../fonts/names/glyph-names.ts";
import { readTrueType, type TrueTypeFont, viewOf } from "../../fonts/truetype/truetype.ts";
import { readType1, type Type1Font, type1Width, writeType1 } from "../../fonts/type1/type1.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, plainBody } from "../../objects/values.ts";
import type { PdfaLevel } from "../level.ts";

export type FontProgram =
  | { readonly kind: "truetype"; readonly font: TrueTypeFont; readonly bytes: Uint8Array }
  | { readonly kind: "cff"; readonly font: CffFont; readonly bytes: Uint8Array; readonly isWrapped: boolean }
  | { readonly kind: "type1"; readonly font: Type1Font; readonly bytes: Uint8Array };

/** Descriptor entries of a font program. */
const PROGRAM_KEYS = ["FontFile", "FontFile2", "FontFile3"] as const;
const MAX_PROGRAM_BYTES = 64 * 2 ** 20;
const OTTO = 0x4f54544f;

/** @returns undefined if there is no program that can be decoded */
export function programBytes(file: PdfFile, descriptor: Dictionary | undefined): Uint8Array | undefined {
  for (const key of PROGRAM_KEYS) {
    const stream = file.stream(descriptor?.get(key));
    if (!stream) continue;
    try {
      return stream.body.decoded(MAX_PROGRAM_BYTES);
    } catch (error) {
      if (!(error instanceof EngineFailure) || error.reason === "crashed") throw error;
    }
  }
  return undefined;
}

/** @returns undefined if the bytes are not a font, or the font is damaged */
export function readProgram(bytes: Uint8Array): FontProgram | undefined {
  if (bytes.length < 12) return undefined;
  const version = viewOf(bytes).getUint32(0);
  if (version === OTTO || version === 0x00010000) {
    const table = cffTable(bytes);
    const font = table && readCff(table);
    if (font) return { kind: "cff", font, bytes, isWrapped: true };
  }
  const truetype = readTrueType(bytes) ?? readTrueType(bytes, true);
  if (truetype) return { kind: "truetype", font: truetype, bytes };
  const cff = readCff(bytes);
  if (cff) return { kind: "cff", font: cff, bytes, isWrapped: false };
  const type1 = readType1(bytes);
  return type1 && { kind: "type1", font: type1, bytes };
}

/** Returns a stream of bytes in memory, which the writer deflates. */
export function plainStream(file: PdfFile, bytes: Uint8Array, entries: Dictionary = new Dictionary()): PdfStream {
  file.budget.charge(bytes.length);
  return new PdfStream(entries, plainBody(bytes));
}

/** Sets the program of a descriptor, which the caller must own. */
export function setProgram(file: PdfFile, descriptor: Dictionary, program: FontProgram, level: PdfaLevel): void {
  for (const key of PROGRAM_KEYS) descriptor.delete(key);
  if (program.kind === "truetype") {
    const entries = Dictionary.of({ Length1: program.bytes.length });
    descriptor.set("FontFile2", file.add(plainStream(file, program.bytes, entries)));
  } else if (program.kind === "type1") {
    // Removes PFB headers between the parts, and computes the lengths of the parts.
    const { bytes, lengths } = writeType1(program.font, { widths: new Map(), added: [] })!;
    const entries = Dictionary.of({ Length1: lengths[0], Length2: lengths[1], Length3: lengths[2] });
    descriptor.set("FontFile", file.add(plainStream(file, bytes, entries)));
  } else {
    const isWrapped = program.isWrapped && level.part > 1;
    const subtype = isWrapped ? "OpenType" : program.font.isCid ? "CIDFontType0C" : "Type1C";
    const entries = Dictionary.of({ Subtype: Name.of(subtype) });
    const bytes = isWrapped ? program.bytes : program.font.bytes;
    descriptor.set("FontFile3", file.add(plainStream(file, bytes, entries)));
  }
}

/** A program whose glyphs have names. */
export interface NamedProgram {
  readonly names: ReadonlySet<string>;
  /** The built-in encoding. */
  readonly encoding: Encoding;
  /** Returns the width in thousandths of an em; undefined if the program has none. */
  widthOf(name: string): number | undefined;
  /**
   * Returns the program with changed widths and added glyphs.
   * @param widths widths by name, in thousandths of an em
   * @param added copies of other glyphs
   * @returns undefined if a width cannot be set
   */
  changed(widths: ReadonlyMap<string, number>, added: readonly AddedGlyph[]): FontProgram | undefined;
}

export interface AddedGlyph {
  readonly name: string;
  readonly source: string;
  readonly width: number;
}

/** @returns undefined for a program whose glyphs have no names, or are not selected by name */
export function namedProgram(program: FontProgram): NamedProgram | undefined {
  if (program.kind === "type1") return namedType1(program.font);
  return program.kind === "cff" && !program.font.isCid ? namedCff(program.font) : undefined;
}

function namedType1(font: Type1Font): NamedProgram {
  return {
    names: new Set(font.glyphs.keys()),
    encoding: font.encoding,
    widthOf: (name) => type1Width(font, name),
    changed(widths, added) {
      const bytes = writeType1(font, { widths, added })?.bytes;
      return bytes && readProgram(bytes);
    },
  };
}

function namedCff(font: CffFont): NamedProgram {
  const names = glyphNames(font);
  const glyphs = new Map<string, number>();
  names.forEach((name, glyph) => {
    if (!glyphs.has(name)) glyphs.set(name, glyph);
  });
  return {
    names: new Set(names),
    encoding: builtInEncoding(font, names),
    widthOf: (name) => (glyphs.has(name) ? cffWidth(font, glyphs.get(name)!) : undefined),
    changed(widths, added) {
      const all: CffGlyph[] = names.map((name, source) => {
        return { source, identity: name, width: glyphs.get(name) === source ? widths.get(name) : undefined };
      });
      for (const { name, source, width } of added) {
        all.push({ source: glyphs.get(source) ?? glyphs.get(NOTDEF) ?? 0, identity: name, width });
      }
      const bytes = all.length <= 0xffff ? writeCff(font, all, { keepsEncoding: true }) : undefined;
      return bytes && readProgram(bytes);
    },
  };
}
