// Finds the looks of styles: what most paragraphs of a kind have in common.
import type { StyleLook, StyleName } from "../formats/docx/styles.ts";
import { isTextBlock } from "../layout/lines/blocks.ts";
import type { Column, Pitches } from "./text/measures.ts";
import { paragraphLook, runLook, styleOf } from "./text/paragraphs.ts";
import { type Extent, sidesOf, spacedItems, type WordPage } from "./word-page.ts";

type Value = StyleLook[keyof StyleLook];

/** Grain of lengths in points, within which they count as equal. */
const GRAIN: Readonly<Record<string, number>> = { line: 0.05, before: 1, start: 1, end: 1, first: 1 };

/** Counts the values of a property. */
class Counts {
  readonly #counts = new Map<string, { value: Value; count: number }>();

  add(key: string, value: Value, weight: number): void {
    const grain = GRAIN[key];
    const rounded = grain && typeof value === "number" ? Math.round(value / grain) * grain : value;
    const text = String(rounded);
    const known = this.#counts.get(text) ?? { value: rounded, count: 0 };
    known.count += weight;
    this.#counts.set(text, known);
  }

  get most(): Value {
    let [most, found] = [-1, undefined as Value];
    for (const { value, count } of this.#counts.values()) if (count > most) [most, found] = [count, value];
    return found;
  }
}

/** @returns the looks of the styles that pages use; further pages may use others */
export function styleLooks(pages: readonly WordPage[], body: Extent, pitches: Pitches): Map<StyleName, StyleLook> {
  const styles = new Map<StyleName, Map<string, Counts>>();
  const add = (style: StyleName, look: StyleLook, weight: number) => {
    const counts = styles.get(style) ?? new Map<string, Counts>();
    styles.set(style, counts);
    for (const [key, value] of Object.entries(look)) {
      if (key === "tabs" || key === "isRightToLeft" || key === "fill") continue;
      const one = counts.get(key) ?? new Counts();
      counts.set(key, one);
      one.add(key, value as Value, weight);
    }
  };
  for (const page of pages) {
    for (const region of page.regions) {
      for (const { block, above, column } of spacedItems(region, pitches)) {
        if (!isTextBlock(block)) continue;
        const place = widened(region.columns, sidesOf(page, body))[column]!;
        const before = above === undefined ? {} : { before: Math.max(0, above) };
        const weight = block.kind === "paragraph" ? block.lines.length ** 2 : 1;
        add(styleOf(block), { ...runLook(block, page), ...paragraphLook(block, place, pitches), ...before }, weight);
      }
    }
    for (const note of page.notes) add("FootnoteText", { ...runLook(note, page), ...noteLook(note, pitches) }, 1);
  }
  const looks = new Map(Array.from(styles, ([style, counts]) => [style, lookOf(counts)] as const));
  return completed(looks);
}

const noteLook = (note: Parameters<typeof paragraphLook>[0], pitches: Pitches): StyleLook => ({
  ...{ align: "start", start: 0, end: 0, first: 0, before: 0 },
  line: pitches.of(note.lines, note.size),
});

/** Least space between columns that are widened, in points. */
const GUTTER = 12;

/** Returns the places of columns: that of the text of the page, if there is only one; others reach to the next one. */
export function widened(columns: readonly Column[], sides: Column): readonly Column[] {
  if (columns.length < 2) return [sides];
  const starts = columns.map(({ left }, at) => (at === 0 ? Math.min(left, sides.left) : left));
  return columns.map(({ right }, at) => {
    const next = starts[at + 1];
    const end = next === undefined ? Math.max(right, sides.right) : Math.min(Math.max(right, next - GUTTER), next);
    return { left: starts[at]!, right: end };
  });
}

const lookOf = (counts: ReadonlyMap<string, Counts>): StyleLook =>
  Object.fromEntries(Array.from(counts, ([key, one]) => [key, one.most]));

/** Completes the looks: `Normal` has all lengths, and others have what they do not share with it. */
function completed(looks: Map<StyleName, StyleLook>): Map<StyleName, StyleLook> {
  const usual: StyleLook = { font: "Arial", size: 10, line: 12, before: 0, align: "start", start: 0, end: 0, first: 0 };
  const normal = withoutShared({ ...usual, ...looks.get("Normal") }, {});
  const all = new Map<StyleName, StyleLook>([["Normal", normal]]);
  const edge: StyleLook = { ...{ before: 0, line: 0, align: "start" }, ...{ start: 0, end: 0, first: 0 } };
  for (const style of ["Header", "Footer"] as const) all.set(style, withoutShared(edge, normal));
  for (const [style, look] of looks) if (style !== "Normal") all.set(style, withoutShared(look, normal));
  return all;
}

const withoutShared = (look: StyleLook, other: StyleLook): StyleLook =>
  Object.fromEntries(
    Object.entries(look).filter(([key, value]) => {
      const shared = other[key as keyof StyleLook];
      return (
        value !== shared && ((value !== undefined && value !== false) || (shared !== undefined && shared !== false))
      );
    }),
  );
