// Finds annotations that must become content, too, when annotations above them do, because content lies below all
// annotations. Annotations lie above each other in the order of their page's list.
import { readBox } from "../content/boxes.ts";
import { readOperations } from "../content/content.ts";
import type { Box } from "../content/matrix.ts";
import { nonPaintingEquivalent, PATH_STROKING, TEXT_SHOWING } from "../content/operators.ts";
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
/** Types that mark what they lie on. Text that is drawn in another order with them looks the same, or nearly so. */
const MARKS = new Set(["Text", "Highlight", "Underline", "Squiggly", "StrikeOut"]);
/** Maximum number of annotations above that are compared with one below, so that the time is limited. */
const MAX_ABOVE = 2_000;

/** What an annotation paints: `lines` are strokes and text, which hardly cover anything. */
type Paint = "nothing" | "lines" | "areas";

interface Painted {
  readonly type: string;
  readonly box: Box;
  readonly paint: () => Paint;
}

/** @param listed the annotations of a page, in their order */
export function coveredAnnotations<T extends Listed>(
  file: PdfFile,
  listed: readonly T[],
  isChosen: (type: string) => boolean,
): ReadonlySet<T> {
  const covered = new Set<T>();
  const above: Painted[] = [];
  for (const annotation of listed.toReversed()) {
    const { type, dictionary, isVisible } = annotation;
    const box = isVisible ? readBox(file, dictionary.get("Rect")) : undefined;
    if (!box) continue;
    let known: Paint | undefined;
    const paint = () => {
      known ??= paintOf(file, annotation);
      return known;
    };
    const painted = { type, box, paint };
    if (!isChosen(type)) {
      if (!DRAWABLE.has(type) || !above.some((other) => haveOrder(painted, other))) continue;
      covered.add(annotation);
    }
    if (above.length < MAX_ABOVE) above.push(painted);
  }
  return covered;
}

/** Reports whether it matters which annotation lies above the other. */
function haveOrder(one: Painted, other: Painted): boolean {
  const [a, b] = [one.box, other.box];
  const overlap = a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  if (!overlap || one.paint() === "nothing" || other.paint() === "nothing") return false;
  return !(isMarkOn(one, other) || isMarkOn(other, one));
}

const isMarkOn = (mark: Painted, other: Painted): boolean => MARKS.has(mark.type) && other.paint() === "lines";

function paintOf(file: PdfFile, { dictionary, type }: Listed): Paint {
  const normal = file.dictionary(file.dictionary(dictionary.get("AP"))?.get("N"));
  if (type !== "Widget") return normal ? contentPaint(file, dictionary) : type === "Link" ? "nothing" : "areas";
  const form = file.dictionary(file.catalog.get("AcroForm"));
  const isNew = normal === undefined || file.boolean(form?.get("NeedAppearances")) === true;
  const widget = new Widget(file, form, dictionary);
  if (isNew && (widget.type === "Btn" || widget.look.has("BG"))) return "areas";
  const paint = normal ? contentPaint(file, dictionary) : "nothing";
  const hasLines = isNew && (widget.look.has("BC") || widget.values().join("") !== "");
  return paint === "nothing" && hasLines ? "lines" : paint;
}

function contentPaint(file: PdfFile, annotation: Dictionary): Paint {
  const appearance = file.stream(shownAppearance(file, annotation));
  let paint: Paint = "nothing";
  for (const { operator, operands } of appearance ? readOperations(decodeContent(appearance)) : []) {
    const text = operands.at(-1);
    if (text instanceof PdfString && text.latin1 === "") continue;
    if (TEXT_SHOWING.has(operator) || PATH_STROKING.has(operator)) paint = "lines";
    else if (nonPaintingEquivalent(operator, operands) !== undefined) return "areas";
  }
  return paint;
}

/** Returns the normal appearance of the annotation's state (12.5.5). */
export function shownAppearance(file: PdfFile, annotation: Dictionary): Reference | undefined {
  const normal = file.dictionary(annotation.get("AP"))?.get("N");
  const isStream = file.stream(normal) !== undefined;
  const shown = isStream ? normal : file.dictionary(normal)?.get(file.name(annotation.get("AS")) ?? "Off");
  return shown instanceof Reference && file.stream(shown) ? shown : undefined;
}
