// Writes the text of the cells of a table as paragraphs.
import type { StyleLook, StyleName } from "../formats/docx/styles.ts";
import type { Line, TextBlock } from "../layout/lines/blocks.ts";
import { boxOfWords, usualSize } from "../layout/lines/segments.ts";
import type { CellPlace } from "./tables.ts";
import { type Column, edgesOf, type Pitches } from "./text/measures.ts";
import { paragraphOf } from "./text/paragraphs.ts";
import type { PieceContext } from "./text/pieces.ts";
import { OpenParagraph, ParagraphWriter } from "./text/written-paragraphs.ts";

interface CellContext {
  readonly pitches: Pitches;
  readonly styles: ReadonlyMap<StyleName, StyleLook>;
  linkId(link: string): string | undefined;
}

/** Space in a line in which the next word would have had room, in font sizes. */
const ROOM = 0.8;
const EMPTY = '<w:p><w:pPr><w:spacing w:before="0" w:line="20" w:lineRule="exact"/></w:pPr></w:p>';

export class CellWriter {
  readonly #pitches: Pitches;
  readonly #paragraphs: ParagraphWriter;

  constructor(context: CellContext) {
    this.#pitches = context.pitches;
    this.#paragraphs = new ParagraphWriter(context);
  }

  write(lines: readonly Line[], { column, top, fill }: CellPlace, context: PieceContext): string {
    const own = { ...context, background: fill };
    if (lines.length === 0) return EMPTY;
    let y = top;
    return blocksOf(lines, column)
      .map((block) => {
        const paragraph = paragraphOf(block, column, { ...own, pitches: this.#pitches, hasMarker: true });
        const edges = edgesOf(block, this.#pitches);
        const before = Math.max(0, y - edges.top);
        y = Math.min(y, edges.bottom);
        return this.#paragraphs.xml(new OpenParagraph({ ...paragraph, look: { ...paragraph.look, before } }));
      })
      .join("");
  }
}

/** Divides the lines of a cell where the next word would have had room. */
function blocksOf(lines: readonly Line[], { right }: Column): readonly TextBlock[] {
  const blocks: Line[][] = [];
  for (const line of lines) {
    const last = blocks.at(-1)?.at(-1);
    const { corners, size } = line.words[0]!;
    const width = Math.abs(corners[2]! - corners[0]!);
    if (last && last.box[2] + width + ROOM * size > right) blocks.at(-1)!.push(line);
    else blocks.push([line]);
  }
  return blocks.map((own): TextBlock => {
    const words = own.flatMap((line) => line.words);
    const box = boxOfWords(words);
    return { kind: "paragraph", lines: own, box, indent: box[0], size: usualSize(words) };
  });
}
