// Draws the border of a link (ISO 32000-1, 12.5.4; table 164 for Border), as most viewers do: a link that specifies no
// border has none, although the standard defines a default, and a border that would cover the link is thin.

import { readBox } from "../content/boxes.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serializeNumber } from "../objects/serialize.ts";
import { Dictionary, Name, PdfStream, plainBody, type Reference, type Value } from "../objects/values.ts";

interface Border {
  readonly width: number;
  readonly dash: readonly number[];
  readonly isUnderline: boolean;
}

/** The operators that set a stroking color, by number of components. */
const STROKE_COLORS: Readonly<Record<number, string>> = { 1: "G", 3: "RG", 4: "K" };
const DASH = [3];
const THIN = 1;

/** @returns a form with the size of the link's rectangle; undefined if the link shows no border */
export function addLinkBorder(file: PdfFile, link: Dictionary): Reference | undefined {
  const box = readBox(file, link.get("Rect"));
  const { width: wanted, dash, isUnderline } = borderOf(file, link);
  const color = colorOf(file, link.get("C"));
  if (!box || !(wanted > 0) || color === undefined) return undefined;
  const [across, up] = [box[2] - box[0], box[3] - box[1]];
  const width = wanted > Math.min(across, up) / 2 ? THIN : wanted;
  const half = width / 2;
  const path = isUnderline ? [0, half, "m", across, half, "l"] : [half, half, across - width, up - width, "re"];
  const parts = [
    color,
    `${serializeNumber(width)} w`,
    `[${dash.map(serializeNumber).join(" ")}] 0 d`,
    ...path.map(part),
  ];
  const form = { Type: Name.of("XObject"), Subtype: Name.of("Form"), BBox: [0, 0, across, up] };
  return file.add(new PdfStream(Dictionary.of(form), plainBody(Buffer.from(`${parts.join(" ")} S\n`, "latin1"))));
}

const part = (value: number | string): string => (typeof value === "number" ? serializeNumber(value) : value);

/** Returns the border style, or otherwise the border array. */
function borderOf(file: PdfFile, link: Dictionary): Border {
  const style = file.dictionary(link.get("BS"));
  if (style) {
    const isDashed = file.name(style.get("S")) === "D";
    return {
      width: file.number(style.get("W")) ?? 1,
      dash: isDashed ? (numbersOf(file, style.get("D")) ?? DASH) : [],
      isUnderline: file.name(style.get("S")) === "U",
    };
  }
  const border = file.array(link.get("Border"));
  return {
    width: file.number(border?.[2]) ?? 0,
    dash: numbersOf(file, border?.[3]) ?? [],
    isUnderline: false,
  };
}

/** Returns the lengths of dashes and gaps; undefined if they are missing or invalid. */
function numbersOf(file: PdfFile, value: Value | undefined): readonly number[] | undefined {
  const numbers = file.array(value)?.map((element) => file.number(element) ?? -1);
  return numbers?.some((number) => number > 0) && numbers.every((number) => number >= 0) ? numbers : undefined;
}

/** Returns the operation that sets the color: black by default; undefined for a transparent border. */
function colorOf(file: PdfFile, value: Value | undefined): string | undefined {
  const numbers = file.array(value)?.map((element) => file.number(element) ?? 0);
  if (!numbers) return "0 G";
  const operator = STROKE_COLORS[numbers.length];
  return operator && `${numbers.map(serializeNumber).join(" ")} ${operator}`;
}
