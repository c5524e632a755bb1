// Writes the text of a document: sections, paragraphs, tables and pictures, page by page.
import { type Picture, pictureXml } from "../formats/docx/drawing.ts";
import type { ParagraphLook } from "../formats/docx/looks.ts";
import { type Section, type SectionStart, sectionProperties } from "../formats/docx/section.ts";
import type { StyleLook, StyleName } from "../formats/docx/styles.ts";
import { rowsXml, TABLE_END, tableStart } from "../formats/docx/table.ts";
import { type Block, type FigureBlock, isTextBlock, type TableBlock, type TextBlock } from "../layout/lines/blocks.ts";
import type { Hyphens } from "../layout/lines/hyphens.ts";
import { lineText } from "../layout/lines/plain-text.ts";
import { TableParts } from "../sheets/table-parts.ts";
import { CellWriter } from "./cells.ts";
import type { FurnitureParts } from "./furniture.ts";
import { furnitureKey } from "./furniture.ts";
import type { Lists } from "./lists.ts";
import { type Notes, notesByMark } from "./notes.ts";
import type { PageBox } from "./pictures.ts";
import type { Region } from "./regions.ts";
import { columnsOf, isSameForm, LETTER, ROOM, SAME_COLUMN, sectionOf } from "./sections.ts";
import { widened } from "./style-looks.ts";
import { placedTable } from "./tables.ts";
import type { Bookmarks } from "./text/bookmarks.ts";
import { type Column, edgesOf, isLeftward, type Pitches, partsOf } from "./text/measures.ts";
import { type Paragraph, paragraphOf, styleOf } from "./text/paragraphs.ts";
import { joinedPieces, type Piece, type PieceContext } from "./text/pieces.ts";
import { OpenParagraph, ParagraphWriter } from "./text/written-paragraphs.ts";
import { bodyOf, type Extent, type SpacedItem, sidesOf, spacedItems, type WordPage } from "./word-page.ts";

/** What the writer of the text shares with the other parts of a document. */
export interface BodyContext {
  readonly hyphens: Hyphens;
  readonly pitches: Pitches;
  readonly styles: ReadonlyMap<StyleName, StyleLook>;
  readonly lists: Lists;
  readonly notes: Notes;
  readonly furniture: FurnitureParts;
  readonly bookmarks: Bookmarks;
  readonly pictures: PageBox[];
  /** Numbers of the pages that become pictures. */
  readonly picturedPages: number[];
  /** Returns the attribute that names the target of a link. */
  linkId(link: string): string | undefined;
}

/** Part of the height of a picture beside which there is text. */
const BESIDE = 0.3;
/** Difference of spaces in points that does not count. */
const NEARLY = 0.6;
const MAX_PICTURES = 5000;
const SENTENCE_GOES_ON = /[\p{L}\p{N},\u2010-]$/u;

export class BodyWriter {
  readonly #context: BodyContext;
  readonly #paragraphs: ParagraphWriter;
  readonly #cells: CellWriter;
  /** The section of the text so far, and how it starts. */
  #section: { readonly section: Section; readonly start: SectionStart; readonly body: Extent } | undefined;
  #key = "";
  #open: OpenParagraph | undefined;
  #out: string[] = [];
  /** Height of the lower edge of the text so far. */
  #y = 0;
  #page: WordPage | undefined;
  /** True until something is written on the page, and if it starts on a page of its own. */
  #isPageStart = true;
  #breaks: "page" | "column" | undefined;
  /** True if the page follows the one before without a break. */
  #flows = false;
  #anchored: Piece[] = [];
  #notes: ReadonlyMap<string, TextBlock> = new Map();
  #written = new Set<TextBlock>();
  /** Names of the texts of the page that links lead to, and those of a text that goes on from the page before. */
  #names: ReadonlyMap<Block, readonly string[]> = new Map();
  readonly #places: string[] = [];
  readonly #tables = new TableParts();
  /** Widths of the columns of the table at the end of the text, which can go on. */
  #table: readonly number[] | undefined;
  /** Number of headers that a table at the start of the page repeats, if it goes on with the one before. */
  #repeated: number | undefined;

  constructor(context: BodyContext) {
    this.#context = context;
    this.#paragraphs = new ParagraphWriter(context);
    this.#cells = new CellWriter(context);
  }

  /** Writes a page. @param pages the page and those after it */
  page(pages: readonly WordPage[]): string {
    const [page] = pages as [WordPage];
    const before = this.#page;
    this.#page = page;
    this.#notes = notesByMark(page.notes);
    this.#written = new Set();
    this.#names = this.#context.bookmarks.of(page.layout);
    this.#repeated = this.#repeatedRows(page);
    this.#isPageStart = true;
    this.#breaks = undefined;
    for (const [at, region] of page.regions.entries()) this.#region(region, at === 0 ? before : undefined, pages);
    if (page.regions.length === 0 && before) this.#breaks = "page";
    if (page.regions.length === 0) this.#emptyPage(pages);
    for (const note of page.notes) if (!this.#written.has(note)) this.#text(note, sidesOf(page, this.#section!.body));
    return this.#taken();
  }

  /** @returns undefined unless the page starts with a table that goes on with the one before */
  #repeatedRows(page: WordPage): number | undefined {
    const { layout, drawing } = page;
    const [part] = this.#tables.of(layout);
    const [block] = layout.blocks.filter(({ kind }) => kind !== "running");
    const isNext = part?.isContinuation && block?.kind === "table" && !drawing.isScan && this.#table !== undefined;
    return isNext && isSameForm(this.#section!.section, page, []) ? block.rows.length - part.rows.length : undefined;
  }

  /** Ends the text. */
  end(): string {
    if (this.#anchored.length > 0 || !this.#section) this.#spacer(0);
    this.#flush();
    const { section, start } = this.#section ?? { section: LETTER, start: { type: "nextPage" as const } };
    this.#write(sectionProperties(section, start));
    return this.#taken();
  }

  #taken(): string {
    const text = this.#out.join("");
    this.#out = [];
    return text;
  }

  /** Writes a paragraph or a table, after the end of a table that could go on. */
  #write(xml: string): void {
    this.#out.push(this.#table === undefined ? xml : TABLE_END + xml);
    this.#table = undefined;
  }

  #flush(section?: string): void {
    if (section !== undefined && !this.#open) this.#spacer(0);
    const open = this.#open;
    this.#open = undefined;
    if (open) this.#write(this.#paragraphs.xml(open, section));
  }

  /** Starts a section of a page, unless that of the text before has the same form. */
  #startSection(pages: readonly WordPage[], region: Region | undefined, isContinuous: boolean): void {
    const [page] = pages as [WordPage];
    const old = this.#section;
    const isSamePage = this.#page === page && isContinuous;
    const body = isSamePage && old ? old.body : bodyOf(pages);
    const columns = columnsOf(region, sidesOf(page, body));
    const key = furnitureKey(page);
    const isSameFurniture =
      isContinuous || !pages[1] || key === this.#key || furnitureKey(pages[1]) !== key || !isKnownKey(this.#key);
    const isSame = old && isSameForm(old.section, page, columns) && (isSameFurniture || this.#breaks !== "page");
    if (isSame) return;
    if (old) this.#flush(sectionProperties(old.section, old.start));
    if (!isContinuous) this.#key = pages[1] ? furnitureKey(pages[1]) : key;
    const furniture = isContinuous ? { references: [] } : this.#context.furniture.of(pages, sidesOf(page, body));
    const start: SectionStart = {
      type: isContinuous ? "continuous" : "nextPage",
      ...{ furniture: furniture.references, firstNumber: furniture.firstNumber },
    };
    this.#section = { section: sectionOf(pages, body, columns), start, body };
    if (this.#breaks === "page" || !isContinuous) this.#breaks = undefined;
    if (!isContinuous) this.#y = body.top;
  }

  #region(region: Region, before: WordPage | undefined, pages: readonly WordPage[]): void {
    const [page] = pages as [WordPage];
    const items = spacedItems(region, this.#context.pitches);
    const first = items[0]!.block;
    const isFirst = this.#isPageStart;
    const room = before && this.#section ? this.#y - this.#section.body.bottom : 0;
    const space = isTextBlock(first) ? this.#usualSpace(styleOf(first)) : 0;
    if (
      isFirst &&
      before &&
      !this.#goesOn(first) &&
      this.#repeated === undefined &&
      room > space + neededBy(first, this.#context.pitches)
    )
      this.#breaks = "page";
    const old = this.#section;
    this.#startSection(pages, region, !isFirst);
    this.#flows = isFirst && before !== undefined && this.#section === old && this.#breaks === undefined;
    const { body } = this.#section!;
    if (isFirst) this.#y = body.top;
    const top = this.#y;
    let last = 0;
    for (const item of items) {
      if (item.column !== last) {
        const bottom = Math.min(...region.items.map(({ block }) => edgesOf(block, this.#context.pitches).bottom));
        if (this.#y - bottom > neededBy(item.block, this.#context.pitches)) this.#breaks = "column";
        this.#y = top;
        last = item.column;
      }
      this.#item(item, region, widened(region.columns, sidesOf(page, body))[item.column]!);
    }
    const lowest = Math.min(...items.map(({ block }) => edgesOf(block, this.#context.pitches).bottom));
    this.#y = Math.min(this.#y, lowest);
  }

  /** Writes a page without text. */
  #emptyPage(pages: readonly WordPage[]): void {
    this.#startSection(pages, undefined, false);
    const { drawing, layout } = this.#page!;
    const { width, height, number } = layout;
    if (drawing.isScan && this.#context.pictures.length < MAX_PICTURES) {
      this.#context.picturedPages.push(number);
      const about = this.#picture([0, 0, width, height]);
      this.#anchored.push({
        text: "",
        look: {},
        xml: pictureXml({ ...about, place: { left: 0, top: 0, isBehind: true } }),
      });
    }
    this.#spacer(0);
    this.#y = this.#section!.body.top;
  }

  /** Adds a picture of a part of the page. */
  #picture(box: Block["box"]): Picture {
    const { pictures } = this.#context;
    const number = pictures.length + 1;
    pictures.push({ id: `p${number}`, page: this.#page!.layout.number, box });
    return { number, id: `p${number}`, width: box[2] - box[0], height: box[3] - box[1] };
  }

  #item({ block }: SpacedItem, region: Region, column: Column): void {
    if (block.kind === "table") this.#placeTable(block, column);
    else if (block.kind === "figure") this.#figure(block, region, column);
    else this.#text(block, column);
    this.#isPageStart = false;
    this.#repeated = undefined;
  }

  #contextOf(): PieceContext {
    const { hyphens } = this.#context;
    return { hyphens, drawing: this.#page!.drawing, noteOf: (mark) => this.#noteOf(mark) };
  }

  #noteOf(mark: string): Piece | undefined {
    const note = this.#notes.get(mark);
    const { notes, pitches } = this.#context;
    if (!note || this.#written.has(note) || notes.isFull) return undefined;
    this.#written.add(note);
    const [column, drawing] = [{ left: note.box[0], right: this.#section!.body.right }, this.#page!.drawing];
    return notes.add(mark, (label) => {
      const context = { hyphens: this.#context.hyphens, drawing, noteOf: () => undefined };
      const paragraph = paragraphOf(note, column, { ...context, pitches, hasMarker: false });
      return this.#paragraphs.noteXml(paragraph, label);
    });
  }

  #text(block: TextBlock, column: Column): void {
    const { pitches, lists, hyphens } = this.#context;
    if (block.kind !== "item" && block.kind !== "paragraph") lists.end();
    const numbering = block.kind === "item" ? lists.add(block) : undefined;
    const paragraph = paragraphOf(block, column, { ...this.#contextOf(), pitches, hasMarker: numbering === undefined });
    const { bottom, top } = edgesOf(block, pitches);
    if (this.#isPageStart && this.#goesOn(block) && this.#breaks === undefined) {
      const open = this.#open!;
      open.pieces = joinedPieces(open.pieces, paragraph.pieces, hyphens);
      this.#places.push(...(this.#names.get(block) ?? []));
      this.#y = bottom;
      return;
    }
    this.#flush();
    const space = this.#flows && this.#isPageStart ? this.#usualSpace(paragraph.style) : 0;
    const start = this.#y;
    const before = this.#openParagraph(paragraph, numbering, Math.min(top, start - space));
    this.#open!.block = block;
    this.#open!.bookmarks = [...this.#places.splice(0), ...(this.#names.get(block) ?? [])];
    // Where the text ends in Word, so that differences from the page do not add up.
    this.#y = partsOf(block).length > 1 || space > 0 ? Math.min(bottom, start) : start - before - (top - bottom);
  }

  /** @returns the space above the paragraph: that of its style, if it is nearly the same */
  #openParagraph(paragraph: Paragraph, numbering: OpenParagraph["numbering"], top: number): number {
    const [exact, usual] = [Math.max(0, this.#y - top), this.#usualSpace(paragraph.style)];
    const before = Math.abs(exact - usual) < NEARLY ? usual : exact;
    const own: Piece[] = [];
    if (this.#breaks === "column") own.push({ text: "", look: {}, xml: '<w:br w:type="column"/>' });
    own.push(...this.#anchored);
    this.#anchored = [];
    const fill = paragraph.look.fill;
    const look: ParagraphLook = { ...paragraph.look, before, ...(fill === undefined ? {} : { fill }) };
    this.#open = new OpenParagraph({ ...paragraph, look, pieces: [...own, ...paragraph.pieces] }, numbering);
    if (this.#breaks === "page") this.#open.startsPage = true;
    this.#breaks = undefined;
    return before;
  }

  /** Returns the space above paragraphs of a style, which programs leave out at the top of a page. */
  #usualSpace(style: StyleName): number {
    const { styles } = this.#context;
    return styles.get(style)?.before ?? styles.get("Normal")?.before ?? 0;
  }

  /** Reports whether a block continues the paragraph at the end of the page before. */
  #goesOn(block: Block): boolean {
    const last = this.#open?.block;
    if (!last || block.kind !== "paragraph" || last.kind !== "paragraph") return false;
    if (Math.abs(last.size - block.size) > 0.3 || isLeftward(last.lines) !== isLeftward(block.lines)) return false;
    return SENTENCE_GOES_ON.test(lineText(last.lines.at(-1)!)) && /^\p{Ll}/u.test(lineText(block.lines[0]!));
  }

  /** Opens a paragraph without text, as high as a space. */
  #spacer(height: number): void {
    this.#flush();
    const look = {
      line: Math.max(1, height),
      before: 0,
      after: 0,
      start: 0,
      end: 0,
      first: 0,
      align: "start" as const,
    };
    this.#openParagraph({ style: "Normal", look, pieces: [] }, undefined, this.#y);
  }

  #placeTable(block: TableBlock, column: Column): void {
    const { drawing } = this.#page!;
    this.#context.lists.end();
    const context = this.#contextOf();
    const placed = placedTable(block, drawing, (lines, place) => this.#cells.write(lines, place, context));
    if (!placed) return;
    if (this.#repeated !== undefined && this.#table) {
      this.#out.push(rowsXml(placed.table.rows.slice(this.#repeated), this.#table));
      this.#y = placed.bottom;
      return;
    }
    const space = Math.max(0, this.#y - placed.top);
    const isAfterText = this.#open !== undefined && this.#breaks === undefined && this.#anchored.length === 0;
    if (isAfterText && !this.#isPageStart) this.#open!.look = { ...this.#open!.look, after: space };
    else if (this.#out.length > 0 || this.#breaks !== undefined || this.#anchored.length > 0 || space > 1)
      this.#spacer(space);
    this.#flush();
    const { left, ...table } = placed.table;
    this.#write(tableStart({ ...table, indent: left - column.left }) + rowsXml(table.rows, table.widths));
    this.#table = table.widths;
    this.#y = placed.bottom;
  }

  #figure(block: FigureBlock, region: Region, column: Column): void {
    if (this.#context.pictures.length >= MAX_PICTURES) return;
    const { layout } = this.#page!;
    const [left, bottom, right, top] = clipped(block.box, layout);
    const [width, height] = [right - left, top - bottom];
    if (!(width >= 1 && height >= 1)) return;
    const isBeside = region.items.some(({ block: other }) => {
      const shared = Math.min(top, other.box[3]) - Math.max(bottom, other.box[1]);
      return (
        other !== block &&
        shared > BESIDE * Math.min(height, other.box[3] - other.box[1]) &&
        region.columns.length === 1
      );
    });
    const isOutside = left < column.left - SAME_COLUMN || right > column.right + SAME_COLUMN;
    const about = { ...this.#picture([left, bottom, right, top]), alternateText: block.alternateText };
    const place = isBeside || isOutside ? { place: { left, top: layout.height - top } } : {};
    const piece: Piece = { text: "", look: {}, xml: pictureXml({ ...about, ...place }) };
    if (isBeside || isOutside) {
      if (isBeside && this.#open?.block && !this.#isPageStart) this.#open.pieces = [piece, ...this.#open.pieces];
      else this.#anchored.push(piece);
      return;
    }
    this.#flush();
    const [start, end] = [left - column.left, column.right - right];
    const align = Math.abs(start - end) < SAME_COLUMN ? "center" : "start";
    const look = {
      line: 0,
      align,
      start: align === "center" ? 0 : Math.max(0, start),
      end: 0,
      first: 0,
      after: 0,
    } as const;
    this.#openParagraph({ style: "Normal", look, pieces: [piece] }, undefined, top);
    this.#y = Math.min(this.#y, bottom);
  }
}

const isKnownKey = (key: string): boolean => key !== "";

function clipped(
  [left, bottom, right, top]: Block["box"],
  { width, height }: { width: number; height: number },
): Block["box"] {
  return [Math.max(0, left), Math.max(0, bottom), Math.min(width, right), Math.min(height, top)];
}

/** Returns the number of lines that must be on one page. A paragraph of three lines cannot be divided. */
const firstLines = (count: number): number => (count <= 3 ? count : 2);

/** Returns the height that the start of a block needs. */
function neededBy(block: Block, pitches: Pitches): number {
  if (block.kind === "figure") return block.box[3] - block.box[1];
  if (!isTextBlock(block)) return (block.box[3] - block.box[1]) / Math.max(1, block.rows.length) + 2;
  const pitch = pitches.of(block.lines, block.size);
  return pitch * (block.kind === "heading" ? block.lines.length + 2 : firstLines(block.lines.length)) + ROOM * pitch;
}
