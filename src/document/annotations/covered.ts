// Finds annotations that must become content, too, when annotations above them do, because content lies below all
// annotations. Annotations lie above each other in the order of their page's list.
import { readBox } from "../content/boxes.ts";
import { readOperations } from "../content/content.ts";
import type { Box } from "../content/matrix.ts";
import { nonPaintingEquivalent, TEXT_SHOWING } from "../content/operators.ts";
import { decodeContent } from "../content/page-content.ts";
import { Widget } from "../forms/widget.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, PdfString, Reference } from "../objects/values.ts";

export interface Listed {
  readonly dictionary: Dictionary;
  readonly type: string;
  readonly isVisible: boolean;
}

/** Types that can become content. Links, files, media and marks for redaction would lose more than their look. */
const DRAWABLE = new Set(
  (
    "Widget Text FreeText Line Square Circle Polygon PolyLine Highlight Underline Squiggly StrikeOut Caret Stamp Ink " +
    "Watermark"
  ).split(" "),
);
/** Maximum number of annotations above that are compared with one below, so that the time is limited. */
const MAX_ABOVE = 2_000;

/** @param listed the annotations of a page, in their order */
export function coveredAnnotations<T extends Listed>(
  file: PdfFile,
  listed: readonly T[],
  isChosen: (type: string) => boolean,
): ReadonlySet<T> {
  const covered = new Set<T>();
  const above: { readonly box: Box; readonly paints: () => boolean }[] = [];
  for (const annotation of listed.toReversed()) {
    const box = annotation.isVisible ? readBox(file, annotation.dictionary.get("Rect")) : undefined;
    if (!box) continue;
    let known: boolean | undefined;
    const paints = () => {
      known ??= paintsSomething(file, annotation);
      return known;
    };
    if (!isChosen(annotation.type)) {
      const isBelow = () => above.some((other) => overlap(box, other.box) && paints() && other.paints());
      if (!DRAWABLE.has(annotation.type) || !isBelow()) continue;
      covered.add(annotation);
    }
    if (above.length < MAX_ABOVE) above.push({ box, paints });
  }
  return covered;
}

const overlap = (one: Box, other: Box): boolean =>
  one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];

function paintsSomething(file: PdfFile, { dictionary, type }: Listed): boolean {
  if (file.dictionary(file.dictionary(dictionary.get("AP"))?.get("N")) === undefined) {
    if (type !== "Widget") return type !== "Link";
    const widget = new Widget(file, undefined, dictionary);
    return widget.type === "Btn" || widget.values().join("") !== "" || ["BG", "BC"].some((key) => widget.look.has(key));
  }
  const appearance = file.stream(shownAppearance(file, dictionary));
  if (!appearance) return false;
  for (const { operator, operands } of readOperations(decodeContent(appearance))) {
    const text = TEXT_SHOWING.has(operator) ? operands.at(-1) : undefined;
    if (text instanceof PdfString && text.latin1 === "") continue;
    if (nonPaintingEquivalent(operator, operands) !== undefined) return true;
  }
  return false;
}

/** Returns the normal appearance of the annotation's state (12.5.5). */
export function shownAppearance(file: PdfFile, annotation: Dictionary): Reference | undefined {
  const normal = file.dictionary(annotation.get("AP"))?.get("N");
  const isStream = file.stream(normal) !== undefined;
  const shown = isStream ? normal : file.dictionary(normal)?.get(file.name(annotation.get("AS")) ?? "Off");
  return shown instanceof Reference && file.stream(shown) ? shown : undefined;
}
