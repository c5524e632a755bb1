// Describes fonts of composite fonts that lack a descriptor (ISO 32000-1, 9.7.4.1): MuPDF cannot load them, and takes
// each byte of their text for a character.

import { FONT_FLAGS } from "../../fonts/symbolic.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, Reference } from "../../objects/values.ts";

/** @returns true if a font changed */
export function addDescriptors(file: PdfFile, fonts: Iterable<number>): boolean {
  let isChanged = false;
  for (const number of fonts) {
    const reference = new Reference(number);
    const font = file.dictionary(reference);
    const inner = file.dictionary(file.array(font?.get("DescendantFonts"))?.[0]);
    if (!font || !inner || file.dictionary(inner.get("FontDescriptor"))) continue;
    const described = inner.clone().set("FontDescriptor", file.add(descriptorOf(file, inner)));
    file.put(reference, font.clone().set("DescendantFonts", [file.add(described)]));
    isChanged = true;
  }
  return isChanged;
}

const descriptorOf = (file: PdfFile, font: Dictionary): Dictionary =>
  Dictionary.of({
    Type: Name.of("FontDescriptor"),
    FontName: Name.of(file.name(font.get("BaseFont")) ?? "Font"),
    Flags: FONT_FLAGS.symbolic,
    FontBBox: [0, -200, 1000, 900],
    ItalicAngle: 0,
    Ascent: 900,
    Descent: -200,
    CapHeight: 700,
    StemV: 80,
  });
