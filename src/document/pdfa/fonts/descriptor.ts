// Adds missing required entries to font descriptors (ISO 32000-1, 9.8), and creates new descriptors.
import { asSymbolic, FONT_FLAGS } from "../../fonts/symbolic.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name } from "../../objects/values.ts";

/** Returns a copy of the descriptor with all entries that table 122 requires, for a font that keeps its program. */
export function validDescriptor(file: PdfFile, original: Dictionary, font: Dictionary): Dictionary {
  const descriptor = original.clone().set("Type", Name.of("FontDescriptor"));
  const baseFont = file.name(font.get("BaseFont"));
  if (file.name(descriptor.get("FontName")) === undefined) descriptor.set("FontName", Name.of(baseFont ?? "Font"));
  if (file.number(descriptor.get("Flags")) === undefined) descriptor.set("Flags", asSymbolic());
  const box = file.array(descriptor.get("FontBBox"));
  if (box?.length !== 4) descriptor.set("FontBBox", [-500, -300, 1500, 1000]);
  for (const [key, value] of [
    ["ItalicAngle", 0],
    ["Ascent", 800],
    ["Descent", -200],
    ["CapHeight", 700],
    ["StemV", 80],
  ] as const) {
    if (file.number(descriptor.get(key)) === undefined) descriptor.set(key, value);
  }
  return descriptor;
}

export interface FontStyle {
  readonly isFixed: boolean;
  readonly isSerif: boolean;
  readonly isItalic: boolean;
  readonly isBold: boolean;
}

/** Returns the descriptor of a substitute font, which is always symbolic. */
export function newDescriptor(name: string, { isFixed, isSerif, isItalic, isBold }: FontStyle): Dictionary {
  const flags =
    (isFixed ? FONT_FLAGS.fixedPitch : 0) |
    (isSerif ? FONT_FLAGS.serif : 0) |
    (isItalic ? FONT_FLAGS.italic : 0) |
    (isBold ? FONT_FLAGS.forceBold : 0);
  return Dictionary.of({
    Type: Name.of("FontDescriptor"),
    FontName: Name.of(name),
    Flags: asSymbolic(flags),
    FontBBox: [-500, -300, 1500, 1000],
    ItalicAngle: isItalic ? -12 : 0,
    Ascent: 905,
    Descent: -212,
    CapHeight: 700,
    StemV: isBold ? 140 : 80,
  });
}
