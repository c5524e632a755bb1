// What is replaced in content streams where they are flattened. Knows no operators but those it writes.
import type { Edit } from "../content/edits.ts";
import type { ContentNode, Paint, Show } from "./content-node.ts";

/** Text that moves the current point as before and leaves no mark. */
export const hidden = ({ start, end, mode }: Show): Edit[] => [
  { start, end: start, text: ` ${mode >= 4 ? 7 : 3} Tr ` },
  { start: end, end, text: ` ${mode} Tr ` },
];

/** A clip that nothing is inside of. */
const NOTHING = "q 0 0 0 0 re W n ";

/**
 * What makes an operation leave no mark.
 * @param instead of a form or an image: what is written in its place
 */
export function dropped(paint: Paint, instead = ""): Edit[] {
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

/** The rendering mode means nothing to glyphs that are content streams (9.3.6, table 106). */
function droppedText({ start, end, shows, settings, node }: Paint): Edit[] {
  const edits = shows.flatMap(hidden);
  if (!shows.some(({ isType3 }) => isType3)) return edits;
  return [
    { start, end: start, text: ` ${NOTHING}` },
    ...edits,
    { start: end, end, text: ` Q ${textOf(node.bytes, settings)} ` },
  ];
}

/** Operations once more, so that what they set goes on behind a `Q`. */
export function textOf(bytes: Uint8Array, spans: readonly { readonly start: number; readonly end: number }[]): string {
  return spans.map(({ start, end }) => Buffer.from(bytes.subarray(start, end)).toString("latin1")).join(" ");
}

/** What ends everything that is open. */
export function closing(saved: number, marked: number): string {
  return `\n${"EMC ".repeat(marked)}${"Q ".repeat(saved)}`;
}

/** Edits by which all of a content stream stands between `q` and `Q`. */
export function enclosed({ bytes, ending }: ContentNode): Edit[] {
  const { saved, marked, strays } = ending;
  const end = bytes.length;
  return [
    { start: 0, end: 0, text: "q\n" },
    ...strays.map((span) => ({ ...span, text: " " })),
    { start: end, end, text: `${closing(saved, marked)}Q\n` },
  ];
}
