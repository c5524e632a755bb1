// Builds the edits that flattening makes to content streams.
import type { Edit } from "../content/edits.ts";
import type { ContentNode, Paint, TextShow } from "./scan/content-node.ts";

/** Returns edits that make text invisible. The text still advances the text position. */
export const hideText = ({ start, end, mode }: TextShow): Edit[] => [
  { start, end: start, text: ` ${mode >= 4 ? 7 : 3} Tr ` },
  { start: end, end, text: ` ${mode} Tr ` },
];

/** Saves the graphics state and sets an empty clip: nothing is painted until the next `Q`. */
const NOTHING = "q 0 0 0 0 re W n ";

/**
 * Returns edits that prevent the painting of an operation. A path still clips, and text still advances the text
 * position.
 * @param instead operators that replace an image, a form or a shading
 */
export function hidePainting(paint: Paint, instead = ""): Edit[] {
  const { kind, start, end, operator } = paint;
  switch (kind) {
    case "path":
      return [{ start: end - operator.length, end, text: "n" }];
    case "text":
      return droppedText(paint);
    default:
      return [{ start, end, text: ` ${instead} ` }];
  }
}

/**
 * Makes text invisible. Type 3 glyphs ignore the text rendering mode (9.3.6, table 106): an empty clip encloses them.
 */
function droppedText({ start, end, shows, settings, node }: Paint): Edit[] {
  const edits = shows.flatMap(hideText);
  if (!shows.some(({ isType3 }) => isType3)) return edits;
  return [
    { start, end: start, text: ` ${NOTHING}` },
    ...edits,
    { start: end, end, text: ` Q ${sliceText(node.bytes, settings)} ` },
  ];
}

/**
 * Returns the operations in these byte ranges as text. Callers repeat them after a `Q`, which undoes their settings.
 */
export function sliceText(
  bytes: Uint8Array,
  spans: readonly { readonly start: number; readonly end: number }[],
): string {
  return spans.map(({ start, end }) => Buffer.from(bytes.subarray(start, end)).toString("latin1")).join(" ");
}

/** Returns the operators that close all open `q`, `BT` and marked-content sequences. */
export function closeOperators(saved: number, marked: number): string {
  return `\n${"EMC ".repeat(marked)}${"Q ".repeat(saved)}`;
}

/** Returns edits that enclose the whole content in `q` and `Q`, and remove each `Q` without a matching `q`. */
export function wrapInSaveRestore({ bytes, ending }: ContentNode): Edit[] {
  const { saved, marked, strays } = ending;
  const end = bytes.length;
  return [
    { start: 0, end: 0, text: "q\n" },
    ...strays.map((span) => ({ ...span, text: " " })),
    { start: end, end, text: `${closeOperators(saved, marked)}Q\n` },
  ];
}
