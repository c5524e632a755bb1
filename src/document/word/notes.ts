// The footnotes of a document, which their marks in the text refer to.
import { NAMESPACES } from "../formats/docx/write.ts";
import { HEAD } from "../formats/docx/xml-text.ts";
import type { Block, TextBlock } from "../layout/lines/blocks.ts";
import type { Piece } from "./text/pieces.ts";

/** Maximum number of notes, and identifiers of the two lines that each document has. */
const MAX_NOTES = 20_000;
const FIRST = 1;

export class Notes {
  readonly #xml: string[] = [];
  /** Number of the next note whose mark is counted. */
  #next = 1;

  /** Adds a note. @returns its reference */
  add(mark: string, contentOf: (mark: string) => string): Piece {
    const isCounted = mark === String(this.#next);
    if (isCounted) this.#next++;
    const id = FIRST + this.#xml.length;
    const own = isCounted ? "<w:footnoteRef/>" : `<w:t>${mark}</w:t>`;
    const label = `<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr>${own}</w:r>`;
    this.#xml.push(`<w:footnote w:id="${id}">${contentOf(label)}</w:footnote>`);
    const custom = isCounted ? "" : ' w:customMarkFollows="1"';
    const xml = `<w:footnoteReference${custom} w:id="${id}"/>${isCounted ? "" : `<w:t>${mark}</w:t>`}`;
    return { text: mark, look: {}, xml, style: "FootnoteReference" };
  }

  get isFull(): boolean {
    return this.#xml.length >= MAX_NOTES;
  }

  get count(): number {
    return this.#xml.length;
  }

  xml(): string {
    const line = (id: number, type: string, content: string) =>
      `<w:footnote w:type="${type}" w:id="${id}"><w:p><w:r><w:${content}/></w:r></w:p></w:footnote>`;
    const own = [line(-1, "separator", "separator"), line(0, "continuationSeparator", "continuationSeparator")];
    return `${HEAD}<w:footnotes ${NAMESPACES}>${own.join("")}${this.#xml.join("")}</w:footnotes>`;
  }
}

/** Returns the footnotes of a page by their marks. */
export function notesByMark(blocks: readonly Block[]): ReadonlyMap<string, TextBlock> {
  const notes = new Map<string, TextBlock>();
  for (const block of blocks) {
    if (block.kind === "footnote" && block.marker !== undefined && !notes.has(block.marker))
      notes.set(block.marker, block);
  }
  return notes;
}
