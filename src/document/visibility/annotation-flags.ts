// Interprets types and flags of annotations (ISO 32000-1, table 165), which decide whether one is visible on screen.

export const ANNOTATION_FLAGS = { invisible: 1, hidden: 2, print: 4, noView: 32, toggleNoView: 256 } as const;

/** Annotation types of ISO 32000-1, table 169, and ISO 32000-2, table 171. */
const STANDARD_TYPES = new Set(
  (
    "Text Link FreeText Line Square Circle Polygon PolyLine Highlight Underline Squiggly StrikeOut Caret " +
    "Stamp Ink Popup " +
    "FileAttachment Sound Movie Screen Widget PrinterMark TrapNet Watermark 3D Redact Projection RichMedia"
  ).split(" "),
);

/** The types that play sounds, videos and scenes. */
export const MULTIMEDIA: ReadonlySet<string> = new Set(["Sound", "Movie", "Screen", "3D", "RichMedia"]);

/** Returns the flags that have an effect. The flag Invisible affects only annotations of unknown types. */
export function effectiveFlags(subtype: string, flags: number): number {
  return STANDARD_TYPES.has(subtype) ? flags & ~ANNOTATION_FLAGS.invisible : flags;
}

/** Reports whether viewers hide the annotation on screen. Does not apply to popups. */
export function isHiddenOnScreen(subtype: string, flags: number): boolean {
  const { invisible, hidden, noView } = ANNOTATION_FLAGS;
  return (effectiveFlags(subtype, flags) & (invisible | hidden | noView)) !== 0;
}
