// Converts the colors of annotations and fields that are not in appearances (ISO 32000-1, 12.5.2 and 12.7.3.3): device
// colors, which an output intent defines. Colors stay if the target has no device space.
import { readOperations } from "../content/content.ts";
import { applyEdits } from "../content/edits.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serializeNumber } from "../objects/serialize.ts";
import { type Dictionary, PdfString, type Value } from "../objects/values.ts";
import { readAnySpace } from "../pdfa/transfer/transferred-colors.ts";
import { type ColorConverter, deviceName } from "./color-converter.ts";

const OPERATORS = { 1: "g", 3: "rg", 4: "k" } as const;

export function convertedAnnotation(file: PdfFile, annotation: Dictionary, converter: ColorConverter): Dictionary {
  const made = annotation.clone();
  for (const key of ["C", "IC"]) put(file, made, key, converter);
  const looks = file.dictionary(annotation.get("MK"))?.clone();
  for (const key of ["BC", "BG"]) if (looks) put(file, looks, key, converter);
  if (looks) made.set("MK", looks);
  const text = convertedAppearance(file, annotation.get("DA"), converter);
  return text ? made.set("DA", text) : made;
}

/** Converts the colors of a default appearance string. */
export function convertedAppearance(
  file: PdfFile,
  value: Value | undefined,
  converter: ColorConverter,
): PdfString | undefined {
  const bytes = file.string(value)?.bytes;
  if (!bytes || converter.target.isLab) return undefined;
  const edits = [...readOperations(bytes)].flatMap(({ operator, operands, start, end }) => {
    const isColor = Object.values(OPERATORS).some((known) => known === operator);
    const made = isColor ? converted(file, operands, converter) : undefined;
    const text = made && `${made.map(serializeNumber).join(" ")} ${OPERATORS[converter.target.channels]}`;
    return text === undefined ? [] : [{ start, end, text }];
  });
  return new PdfString(applyEdits(bytes, edits, bytes.length));
}

function put(file: PdfFile, holder: Dictionary, key: string, converter: ColorConverter): void {
  const made = converter.target.isLab ? undefined : converted(file, file.array(holder.get(key)) ?? [], converter);
  if (made) holder.set(key, made);
}

/** @returns undefined for a transparent or an invalid color */
function converted(file: PdfFile, color: readonly Value[], converter: ColorConverter): number[] | undefined {
  const components = color.flatMap((part) => file.number(part) ?? []);
  const space = [1, 3, 4].includes(components.length)
    ? readAnySpace(file, deviceName(components.length as 1 | 3 | 4))
    : undefined;
  if (!space) return undefined;
  const made = converter.batch(undefined, (map) => map(space, components));
  return made.map((part) => Number(part.toFixed(4)));
}
