// The headers and footers of sections, made of the text that pages repeat at their edges.

import type { Tab } from "../formats/docx/looks.ts";
import { paragraphProperties } from "../formats/docx/looks.ts";
import type { Furniture } from "../formats/docx/section.ts";
import type { StyleLook } from "../formats/docx/styles.ts";
import { NAMESPACES, type WordPart } from "../formats/docx/write.ts";
import { HEAD } from "../formats/docx/xml-text.ts";
import { linesIn, type TextBlock } from "../layout/lines/blocks.ts";
import type { Hyphens } from "../layout/lines/hyphens.ts";
import { lineText } from "../layout/lines/plain-text.ts";
import type { Column } from "./text/measures.ts";
import { type Piece, piecesOf, runsXml } from "./text/pieces.ts";
import type { WordPage } from "./word-page.ts";

type PartName = "header" | "footer";
const PARTS: readonly PartName[] = ["header", "footer"];
/** Distance of baselines of one line, in points, and of a text from an edge or the middle. */
const SAME_LINE = 4;
const NEAR = 12;
const MAX_PARTS = 2000;
const PAGE = "PAGE";

const isAbove = ({ box }: TextBlock, { layout }: WordPage): boolean => (box[1] + box[3]) / 2 > layout.height / 2;

const blocksIn = (page: WordPage, part: PartName): readonly TextBlock[] =>
  page.running.filter((block) => isAbove(block, page) === (part === "header"));

const textOf = (block: TextBlock): string => linesIn(block).map(lineText).join(" ");

/** Returns the text at the edges of a page, with each number as one character. */
export const furnitureKey = (page: WordPage): string =>
  PARTS.map((part) =>
    blocksIn(page, part)
      .map((block) => textOf(block).replace(/\d+/g, "#"))
      .join("|"),
  ).join("||");

/** Returns the distance of the outermost header or footer from the edge of the page. */
export function furnitureEdge(pages: readonly WordPage[], part: PartName): number | undefined {
  const distances = pages.flatMap((page) =>
    blocksIn(page, part).map(({ box }) => (part === "header" ? page.layout.height - box[3] : box[1])),
  );
  return distances.length > 0 ? Math.max(0, Math.min(...distances)) : undefined;
}

export interface SectionFurniture {
  readonly references: readonly Furniture[];
  /** Number of the first page, if it is not the next one. */
  readonly firstNumber?: number | undefined;
}

/** Writes headers and footers, each of which is a part. */
export class FurnitureParts {
  readonly parts: WordPart[] = [];
  readonly #style: StyleLook;
  readonly #hyphens: Hyphens;
  /** True if left and right pages differ, which applies to the whole document. */
  alternates: boolean | undefined;
  #isEmpty = true;
  /** Difference of the numbers on pages and their places in the document. */
  #offset = 0;

  constructor(style: StyleLook, hyphens: Hyphens) {
    this.#style = style;
    this.#hyphens = hyphens;
  }

  /** Returns the headers and footers of a section. @param pages its first page and those after it */
  of(pages: readonly WordPage[], sides: Column): SectionFurniture {
    const keys = pages.map(furnitureKey);
    this.alternates ??= alternatesIn(keys);
    const [first, second = first, third = second] = pages as [WordPage, ...WordPage[]];
    const isTitle =
      !this.alternates && keys.length > 1 && keys[0] !== keys[1] && (keys[1] === keys[2] || keys.length === 2);
    const main = isTitle ? second : first;
    const kinds: (readonly [Furniture["type"], WordPage])[] = [["default", main]];
    if (isTitle) kinds.push(["first", first]);
    if (this.alternates) {
      const [odd, even] = second.layout.number % 2 === 1 ? [second, third] : [third, second];
      kinds.splice(0, 1, ["default", odd], ["even", even]);
    }
    const references = kinds.flatMap(([type, page]) => this.#references(type, page, pages, sides));
    const offset = numberOn(main, pages)?.offset ?? this.#offset;
    const isNew = offset !== this.#offset;
    this.#offset = offset;
    return { references, firstNumber: isNew ? Math.max(0, first.layout.number + offset) : undefined };
  }

  #references(
    type: Furniture["type"],
    page: WordPage,
    pages: readonly WordPage[],
    sides: Column,
  ): readonly Furniture[] {
    return PARTS.flatMap((part): readonly Furniture[] => {
      const blocks = blocksIn(page, part);
      // A part without text replaces that of the section before.
      if ((blocks.length === 0 && this.#isEmpty) || this.parts.length >= MAX_PARTS) return [];
      if (blocks.length > 0) this.#isEmpty = false;
      const name = `${part}${this.parts.length + 1}`;
      const content = this.#content(part, page, pages, sides);
      const root = part === "header" ? "hdr" : "ftr";
      this.parts.push({
        id: `h${this.parts.length + 1}`,
        type: part,
        name,
        xml: `${HEAD}<w:${root} ${NAMESPACES}>${content}</w:${root}>`,
      });
      return [{ part, type, id: `h${this.parts.length}` }];
    });
  }

  #content(part: PartName, page: WordPage, pages: readonly WordPage[], sides: Column): string {
    const style = part === "header" ? "Header" : "Footer";
    const number = numberOn(page, pages);
    const rows: TextBlock[][] = [];
    for (const block of blocksIn(page, part).toSorted((a, b) => b.box[1] - a.box[1] || a.box[0] - b.box[0])) {
      const last = rows.at(-1);
      if (last && Math.abs(last[0]!.box[1] - block.box[1]) < SAME_LINE) last.push(block);
      else rows.push([block]);
    }
    if (rows.length === 0) return `<w:p>${paragraphProperties({}, { style })}</w:p>`;
    return rows
      .map((row) =>
        this.#row(
          row.sort((a, b) => a.box[0] - b.box[0]),
          { page, sides, style, number },
        ),
      )
      .join("");
  }

  #row(row: readonly TextBlock[], { page, sides, style, number }: RowContext): string {
    const tabs: Tab[] = [];
    const pieces: Piece[] = [];
    for (const block of row) {
      const own = piecesOf(block.lines, block.size, {
        hyphens: this.#hyphens,
        drawing: page.drawing,
        noteOf: () => undefined,
      });
      const tab = tabOf(block, sides);
      if (tab) {
        tabs.push(tab);
        pieces.push({ text: "", look: own[0]!.look, xml: "<w:tab/>" });
      } else if (pieces.length > 0) pieces.push({ text: " ", look: own[0]!.look });
      pieces.push(...(number?.block === block ? withField(own, number.index) : own));
    }
    return `<w:p>${paragraphProperties({ tabs }, { style })}${runsXml(pieces, this.#style, () => undefined)}</w:p>`;
  }
}

interface RowContext {
  readonly page: WordPage;
  readonly sides: Column;
  readonly style: string;
  readonly number: PageNumber | undefined;
}

/** @returns undefined at the left margin */
function tabOf({ box }: TextBlock, { left, right }: Column): Tab | undefined {
  const middle = (box[0] + box[2]) / 2;
  if (Math.abs(box[0] - left) < NEAR) return undefined;
  if (Math.abs(box[2] - right) < NEAR) return { at: right - left, align: "right" };
  if (Math.abs(middle - (left + right) / 2) < NEAR) return { at: (right - left) / 2, align: "center" };
  return { at: box[0] - left, align: "left" };
}

function alternatesIn([first, second, third, fourth, fifth]: readonly string[]): boolean {
  if (second === undefined || third === undefined || fourth === undefined) return false;
  return second !== third && second === fourth && (first === third || third === fifth);
}

interface PageNumber {
  readonly block: TextBlock;
  /** Index among the numbers of its text. */
  readonly index: number;
  /** Difference of the number and the place of the page. */
  readonly offset: number;
}

const numbersIn = (block: TextBlock): readonly number[] => (textOf(block).match(/\d+/g) ?? []).map(Number);

/** Finds the number of a page in the text at its edges: it counts with the pages. */
function numberOn(page: WordPage, pages: readonly WordPage[]): PageNumber | undefined {
  const { number } = page.layout;
  for (const block of page.running) {
    const numbers = numbersIn(block);
    for (const [index, own] of numbers.entries()) {
      const counts = pages
        .filter((other) => other !== page)
        .flatMap((other) => {
          const there = other.running.find(
            (one) => Math.abs(one.box[1] - block.box[1]) < SAME_LINE && numbersIn(one).length === numbers.length,
          );
          return there ? [numbersIn(there)[index]! - own === other.layout.number - number] : [];
        });
      const isNumber = counts.length > 0 ? counts.filter(Boolean).length * 2 > counts.length : own === number;
      if (isNumber) return { block, index, offset: own - number };
    }
  }
  return undefined;
}

/** Replaces a number in text by the number of the page. */
function withField(pieces: readonly Piece[], index: number): readonly Piece[] {
  let seen = -1;
  return pieces.flatMap((piece): readonly Piece[] =>
    piece.text.split(/(\d+)/).flatMap((text): readonly Piece[] => {
      if (text === "") return [];
      if (/^\d+$/.test(text) && ++seen === index) return [{ ...piece, text, xml: fieldXml(text) }];
      return [{ ...piece, text }];
    }),
  );
}

const fieldXml = (shown: string): string =>
  [
    '<w:fldChar w:fldCharType="begin"/>',
    `<w:instrText xml:space="preserve"> ${PAGE} </w:instrText>`,
    `<w:fldChar w:fldCharType="separate"/><w:t>${shown}</w:t><w:fldChar w:fldCharType="end"/>`,
  ].join("");
