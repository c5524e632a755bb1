// Repairs Type 3 fonts (ISO 32000-1, 9.6.5). Every shown code gets a glyph description, whose width equals the width in
// the font dictionary. All other operators stay.

import { readOperations } from "../../content/content.ts";
import { NOTDEF, unicodeOfName } from "../../fonts/names/glyph-names.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { serializeNumber } from "../../objects/serialize.ts";
import { Dictionary, Name, type PdfStream, type Value } from "../../objects/values.ts";
import { hasSoundWidths, setWidths, simpleWidths } from "../../text/font-widths.ts";
import { encodingOf, readSimpleEncoding } from "../../text/simple-encoding.ts";
import { needsUnicode } from "../level.ts";
import { plainStream } from "./font-program.ts";
import type { FontTask, ShownFont } from "./shown-font.ts";
import { repairToUnicode } from "./to-unicode.ts";

const MAX_PROCEDURE_BYTES = 16 * 2 ** 20;
/** Maximum difference of widths, in thousandths of an em. */
const TOLERANCE = 1;

/** Changes the font dictionary. */
export function repairType3(task: FontTask, { font, codes }: ShownFont): void {
  const { file, level } = task;
  const original = readSimpleEncoding(file, font.get("Encoding"), []).names;
  const names = [...original];
  const procedures = file.dictionary(font.get("CharProcs"))?.clone() ?? new Dictionary();
  const widthOf = simpleWidths(file, font) ?? (() => 0);
  const scale = Math.abs(file.number(file.array(font.get("FontMatrix"))?.[0]) ?? 0.001) * 1000;
  const widths = new Map<string, number>();
  let isChanged = false;
  let isEncodingChanged = false;
  for (const { code } of codes) {
    const width = widthOf(code);
    let name = names[code];
    const stream = name === undefined || name === NOTDEF ? undefined : file.stream(procedures.get(name));
    const set = name === undefined ? undefined : widths.get(name);
    const isTaken = set !== undefined && Math.abs(set - width) * scale > TOLERANCE;
    if (!stream || isTaken) {
      const source = name;
      if (name === undefined || name === NOTDEF || isTaken) {
        name = freeName(procedures, `${name ?? "nothing"}.${code}`);
        names[code] = name;
        isEncodingChanged = true;
      }
      procedures.set(name, stream ? procedures.get(source!)! : emptyProcedure(file, width));
      isChanged = true;
    }
    widths.set(name!, width);
    const procedure = file.stream(procedures.get(name!));
    const repaired = procedure && withWidth(file, procedure, width, scale);
    if (!repaired) continue;
    procedures.set(name!, file.add(repaired));
    isChanged = true;
  }
  if (isChanged) font.set("CharProcs", file.add(procedures));
  if (isEncodingChanged) font.set("Encoding", encodingOf(names));
  if (!hasSoundWidths(file, font))
    setWidths(
      file,
      font,
      widthOf,
      codes.map(({ code }) => code),
    );
  font.set("Type", Name.of("Font"));
  repairToUnicode({
    file,
    font,
    codes,
    derived: ({ code }) => textOf(code, original[code]),
    isDemanded: needsUnicode(level),
    isDistrusted: task.isUnicodeDistrusted,
    isChanged: isEncodingChanged,
  });
}

/**
 * Returns the text of a code. The glyph names of bitmap fonts are meaningless, for example `a65`. The number in the
 * name, or else the code, is mostly an ASCII character, and readers treat it as one.
 */
function textOf(code: number, name: string | undefined): string | undefined {
  const known = name === undefined ? undefined : unicodeOfName(name);
  if (known !== undefined || name === undefined) return known;
  const number = /^a(\d{2,3})$/.exec(name)?.[1];
  const character = number === undefined ? code : Number(number);
  return character > 0x20 && character < 0x7f ? String.fromCharCode(character) : undefined;
}

function freeName(procedures: Dictionary, wanted: string): string {
  let name = wanted;
  for (let suffix = 1; procedures.has(name); suffix++) name = `${wanted}.${suffix}`;
  return name;
}

function emptyProcedure(file: PdfFile, width: number): Value {
  return file.add(plainStream(file, Buffer.from(`${serializeNumber(width)} 0 d0\n`)));
}

/** @returns undefined if the width is correct, or the glyph description states no width */
function withWidth(file: PdfFile, stream: PdfStream, width: number, scale: number): PdfStream | undefined {
  const bytes = stream.body.decoded(MAX_PROCEDURE_BYTES);
  for (const { operator, operands, start, end } of readOperations(bytes)) {
    if (operator !== "d0" && operator !== "d1") return undefined;
    const [own, ...others] = operands;
    if (typeof own !== "number" || Math.abs(own - width) * scale <= TOLERANCE) return undefined;
    const numbers = others.map((one) => (typeof one === "number" ? serializeNumber(one) : "0"));
    const changed = Buffer.from(`${[serializeNumber(width), ...numbers].join(" ")} ${operator}`);
    const all = Buffer.concat([bytes.subarray(0, start), changed, bytes.subarray(end)]);
    const dictionary = stream.dictionary.clone();
    for (const key of ["Filter", "DecodeParms", "DL"]) dictionary.delete(key);
    return plainStream(file, all, dictionary);
  }
  return undefined;
}
