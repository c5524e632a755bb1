// Makes paragraphs of blocks of text: their style, their look, and their pieces.
import type { ParagraphLook, RunLook } from "../../formats/docx/looks.ts";
import type { StyleName } from "../../formats/docx/styles.ts";
import type { Line, TextBlock } from "../../layout/lines/blocks.ts";
import { codeLines } from "../../layout/lines/code-lines.ts";
import { arrangementOf, type Column, type Pitches, partsOf } from "./measures.ts";
import { lookOf, type Piece, type PieceContext, piecesOf, tabbedLines } from "./pieces.ts";

/** Level of the title among headings. */
export const TITLE = 0;

export interface Paragraph {
  readonly style: StyleName;
  /** The whole look, without the space above and below. */
  readonly look: ParagraphLook;
  readonly pieces: readonly Piece[];
}

export function styleOf({ kind, level = 1 }: Pick<TextBlock, "kind" | "level">): StyleName {
  switch (kind) {
    case "heading":
      if (level === TITLE) return "Title";
      return `Heading${Math.max(1, Math.min(6, level)) as 1 | 2 | 3 | 4 | 5 | 6}`;
    case "item":
      return "ListParagraph";
    case "code":
      return "HTMLPreformatted";
    case "caption":
      return "Caption";
    case "footnote":
      return "FootnoteText";
    default:
      return "Normal";
  }
}

/** Indent of the text after a bullet that is drawn as a shape, in font sizes. */
const BULLET = 1.2;

/** Returns the look of a block's paragraph in a column. */
export function paragraphLook(block: TextBlock, column: Column, pitches: Pitches): ParagraphLook {
  const { kind, size, markerWords = 0, marker } = block;
  const parts = partsOf(block);
  const lines = parts.reduce((longest, one) => (one.length > longest.length ? one : longest));
  const isWhole = lines === parts[0];
  const line = pitches.of(lines, size);
  if (kind === "code") {
    const start = Math.min(...lines.map(({ box }) => box[0])) - column.left;
    return { align: "start", start: Math.max(0, start), end: 0, first: 0, line };
  }
  const words = kind === "item" && isWhole ? markerWords : 0;
  const own = arrangementOf(lines, isWhole ? column : { left: leftOf(lines), right: rightOf(lines) }, {
    size,
    markerWords: words,
  });
  if (kind !== "item" || words > 0 || marker === undefined) return { ...own, line };
  const start = Math.max(own.start ?? 0, 0);
  return { ...own, line, start, first: -BULLET * size };
}

const leftOf = (lines: readonly Line[]): number => Math.min(...lines.map(({ box }) => box[0]));
const rightOf = (lines: readonly Line[]): number => Math.max(...lines.map(({ box }) => box[2]));

/** Returns the look with the most characters of a block. */
export function runLook(
  { lines, size }: Pick<TextBlock, "lines" | "size">,
  place: Pick<PieceContext, "drawing" | "background">,
): RunLook {
  const counts = new Map<string, { look: RunLook; count: number }>();
  for (const { words } of lines) {
    for (const word of words) {
      if (word.position !== undefined) continue;
      const look = lookOf(word, size, place);
      const key = JSON.stringify(look);
      const known = counts.get(key) ?? { look, count: 0 };
      known.count += word.text.length;
      counts.set(key, known);
    }
  }
  let [most, found] = [-1, {} as RunLook];
  for (const { look, count } of counts.values()) if (count > most) [most, found] = [count, look];
  return { ...found, position: undefined };
}

/** Returns a block as a paragraph. @param hasMarker false to leave out the marker of an item, which a list writes */
export function paragraphOf(
  block: TextBlock,
  column: Column,
  { pitches, hasMarker, ...place }: PieceContext & { readonly pitches: Pitches; readonly hasMarker: boolean },
): Paragraph {
  const { lines, size, markerWords = 0 } = block;
  const background = place.drawing.fillAround(block.box);
  const fill = background === place.background ? {} : { fill: background };
  const look = { ...paragraphLook(block, column, pitches), ...fill };
  const context = { ...place, background };
  const style = styleOf(block);
  if (block.kind === "code") return { style, look, pieces: codePieces(block, context) };
  const [first, ...others] = lines as [Line, ...Line[]];
  const start = hasMarker ? first : { ...first, words: first.words.slice(markerWords) };
  const all = start.words.length > 0 ? [start, ...others] : others;
  const tabbed = look.align === "both" ? undefined : tabbedLines(all, column, size, context);
  if (!tabbed) return { style, look, pieces: piecesOf(all, size, context) };
  return {
    style,
    look: { ...look, ...tabbed.indents, align: "start", end: 0, tabs: tabbed.tabs },
    pieces: tabbed.pieces,
  };
}

/** Writes each line of code as it is. */
function codePieces(block: TextBlock, context: PieceContext): readonly Piece[] {
  const look = runLook(block, context);
  return codeLines(block).flatMap((text, at): readonly Piece[] => {
    const line = { text, look };
    return at === 0 ? [line] : [{ text: "", look, xml: "<w:br/>" }, line];
  });
}
