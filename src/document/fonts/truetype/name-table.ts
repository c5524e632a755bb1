// Writes the names of a font (OpenType, "name"), with the copyright and the license of the font that it was made from.
import { type TrueTypeFont, viewOf } from "./truetype.ts";

export interface FontNames {
  readonly family: string;
  readonly style: string;
}

const WINDOWS = 3;
const UNICODE = 1;
const ENGLISH = 0x409;
/** Name IDs: copyright, license, address of the license. */
const LEGAL = [0, 13, 14];
const FAMILY = 1;
const utf16 = new TextDecoder("utf-16be");

type Tables = Pick<TrueTypeFont, "tables">;

export function nameTable(font: Tables, { family, style }: FontNames): Uint8Array {
  const full = style === "Regular" ? family : `${family} ${style}`;
  const names: [number, string][] = [
    ...englishNames(font, LEGAL),
    [1, family],
    [2, style],
    [3, full],
    [4, full],
    [6, `${family}-${style}`.replaceAll(" ", "")],
  ];
  names.sort(([a], [b]) => a - b);
  const header = 6 + 12 * names.length;
  const table = new Uint8Array(header + 2 * names.reduce((sum, [, text]) => sum + text.length, 0));
  const view = viewOf(table);
  view.setUint16(2, names.length);
  view.setUint16(4, header);
  let at = 0;
  names.forEach(([id, text], index) => {
    [WINDOWS, UNICODE, ENGLISH, id, 2 * text.length, at].forEach((value, place) => {
      view.setUint16(6 + 12 * index + 2 * place, value);
    });
    for (let unit = 0; unit < text.length; unit++, at += 2) view.setUint16(header + at, text.charCodeAt(unit));
  });
  return table;
}

export const familyNameOf = (font: Tables): string | undefined => englishNames(font, [FAMILY])[0]?.[1];

function englishNames({ tables }: Tables, ids: readonly number[]): [number, string][] {
  const table = tables.get("name");
  if (!table || table.length < 6) return [];
  const view = viewOf(table);
  const texts = new Map<number, string>();
  for (let at = 6; at + 12 <= Math.min(table.length, 6 + 12 * view.getUint16(2)); at += 12) {
    const id = view.getUint16(at + 6);
    if (view.getUint16(at) !== WINDOWS || view.getUint16(at + 4) !== ENGLISH) continue;
    if (!ids.includes(id) || texts.has(id)) continue;
    const start = view.getUint16(4) + view.getUint16(at + 10);
    texts.set(id, utf16.decode(table.subarray(start, start + view.getUint16(at + 8))));
  }
  return [...texts];
}
