// Draws the rows of a table on a page: backgrounds, then contents, then borders. Backgrounds and borders are artifacts.
import type { Budget } from "../objects/budget.ts";
import { serializeNumber } from "../objects/serialize.ts";
import type { Reference } from "../objects/values.ts";
import type { Overlay } from "../pages/overlay/overlay.ts";
import type { Line } from "../typesetting/layout.ts";
import type { Typesetter } from "../typesetting/typesetter.ts";
import { borderLines, type PagedCell } from "./borders.ts";
import { type CellImage, heightOf, innerWidthOf, isEmpty, TOLERANCE, widthOf } from "./cell-content.ts";
import type { GridCell } from "./grid.ts";
import type { CellPart, PlacedRows } from "./row-group.ts";
import type { TableTags } from "./table-tags.ts";

export interface PaintServices {
  readonly overlay: Overlay;
  readonly typesetter: Typesetter;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  /** Returns a graphics state with an opacity. */
  stateOf(opacity: number): Reference;
}

/** Edges of columns, from left to right, in points from the left edge of the page; and their direction. */
export interface Columns {
  readonly edges: readonly number[];
  readonly isRightToLeft: boolean;
}

/** A rectangle on the page. */
interface Box {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

const ARTIFACT = "/Artifact BMC";

export class TablePainter {
  readonly #services: PaintServices;
  readonly #columns: Columns;
  readonly #tags: TableTags | undefined;
  /** The current page, the edges of its rows from top to bottom, and the cells whose borders are not drawn yet. */
  #number = 0;
  #edges: number[] = [];
  #cells: PagedCell[] = [];
  /** The cells whose content is cut off. */
  readonly #cut = new Set<GridCell>();

  constructor(services: PaintServices, columns: Columns, tags: TableTags | undefined) {
    this.#services = services;
    this.#columns = columns;
    this.#tags = tags;
  }

  /** Number of cells whose content is cut off. */
  get cutCount(): number {
    return this.#cut.size;
  }

  /** Begins on a page. @param top upper edge of the first rows, in points from the lower edge of the page */
  begin(number: number, top: number): void {
    this.#number = number;
    this.#edges = [top];
    this.#cells = [];
  }

  /**
   * Draws rows below the ones before, without their borders.
   * @param isRepeated true for rows that readers have already met, such as a repeated header
   */
  async draw({ rows, heights, cells }: PlacedRows, isRepeated: boolean): Promise<void> {
    const first = this.#edges.length - 1;
    for (const height of heights) this.#edges.push(this.#edges.at(-1)! - height);
    if (!isRepeated) this.#tags?.addRows(rows);
    const boxes = cells.map((part) => ({ part, box: this.#boxOf(part, first) }));
    let content = "";
    for (const one of backgroundsOf(boxes)) content += this.#background(one);
    for (const { part, box } of boxes) content += await this.#content(part, box, isRepeated);
    for (const { cell, row, rowSpan } of cells) this.#cells.push({ cell, row: first + row, rowSpan });
    this.#write(content);
  }

  /** Draws the borders of all rows of the page. */
  end(): void {
    let content = "";
    for (const { edge, path } of borderLines(this.#cells, this.#edges, this.#columns)) {
      const color = `${edge.color.map(serializeNumber).join(" ")} ${edge.color.length === 4 ? "K" : "RG"}`;
      const width = `${serializeNumber(edge.width)} w 2 J`;
      content += `${ARTIFACT} q ${this.#state(edge.opacity)}${color} ${width}\n${path}S Q EMC\n`;
    }
    this.#write(content);
  }

  #write(content: string): void {
    const { overlay, budget } = this.#services;
    budget.charge(content.length);
    // Copied, because a string that was joined of many parts keeps all of them, in ten times the memory.
    if (content !== "") overlay.write(this.#number, Buffer.from(content, "latin1").toString("latin1"));
  }

  #boxOf({ cell, row, rowSpan }: CellPart, first: number): Box {
    const { edges, isRightToLeft } = this.#columns;
    const [start, end] = [cell.column, cell.column + cell.source.col_span];
    const last = edges.length - 1;
    const [left, right] = isRightToLeft ? [edges[last - end]!, edges[last - start]!] : [edges[start]!, edges[end]!];
    return { left, right, top: this.#edges[first + row]!, bottom: this.#edges[first + row + rowSpan]! };
  }

  #state(opacity: number): string {
    if (opacity === 1) return "";
    return `/${this.#services.overlay.nameOf(this.#number, "ExtGState", this.#services.stateOf(opacity))} gs `;
  }

  #background({ background, opacity, box }: Background): string {
    const color = `${background.map(serializeNumber).join(" ")} ${background.length === 4 ? "k" : "rg"}`;
    return `${ARTIFACT} q ${this.#state(opacity)}${color} ${rectangle(box)} f Q EMC\n`;
  }

  async #content(part: CellPart, box: Box, isRepeated: boolean): Promise<string> {
    const { content } = part;
    if (isEmpty(content)) return "";
    const place = placeIn(part, box, this.#columns.isRightToLeft);
    if (place.isCut) this.#cut.add(part.cell);
    const drawn = "image" in content ? this.#image(content, place) : this.#lines(part, content.lines, place);
    const clip = place.isCut ? `${rectangle(box)} W n ` : "";
    return `${this.#mark(part, isRepeated)} q ${clip}${this.#state(part.cell.look.opacity)}${drawn} Q EMC\n`;
  }

  /** Returns the operator that begins the content of a cell. */
  #mark({ cell }: CellPart, isRepeated: boolean): string {
    if (!this.#tags || isRepeated || cell.source.image?.tag_is_artifact) return ARTIFACT;
    const { type, id } = this.#tags.mark(cell, this.#services.overlay.pages[this.#number - 1]!.reference);
    return `/${type} <</MCID ${id}>> BDC`;
  }

  #image({ image, width, height }: CellImage, { top, leftOf }: ContentPlace): string {
    const name = this.#services.overlay.nameOf(this.#number, "XObject", image.reference);
    const matrix = [width / image.box.width, 0, 0, height / image.box.height, leftOf(width), top - height];
    return `${matrix.map(serializeNumber).join(" ")} cm /${name} Do`;
  }

  #lines({ cell }: CellPart, lines: readonly Line[], { top, leftOf }: ContentPlace): string {
    const { overlay, typesetter } = this.#services;
    const baseline = top - lines[0]!.ascent - lines[0]!.y;
    const placed = lines.map(({ runs, width, y }) => ({ runs, x: leftOf(width), y: baseline + y }));
    const nameOf = (font: Reference) => overlay.nameOf(this.#number, "Font", font);
    return typesetter.writer(nameOf).textObject(placed, cell.look);
  }
}

/** A colored area. */
interface Background {
  readonly background: readonly number[];
  readonly opacity: number;
  readonly box: Box;
}

/** Returns the backgrounds of cells. Neighbors of the same color are one area, because viewers show lines between two. */
function backgroundsOf(cells: readonly { readonly part: CellPart; readonly box: Box }[]): readonly Background[] {
  const areas: Background[] = [];
  for (const { part, box } of cells) {
    const { background, opacity } = part.cell.look;
    if (!background) continue;
    const last = areas.at(-1);
    const isNeighbor =
      last?.opacity === opacity &&
      last.background.join() === background.join() &&
      last.box.top === box.top &&
      last.box.bottom === box.bottom &&
      (last.box.right === box.left || last.box.left === box.right);
    if (!isNeighbor) areas.push({ background, opacity, box });
    else {
      const [left, right] = [Math.min(last.box.left, box.left), Math.max(last.box.right, box.right)];
      areas[areas.length - 1] = { background, opacity, box: { ...box, left, right } };
    }
  }
  return areas;
}

/** The place of a content in its cell. */
interface ContentPlace {
  readonly top: number;
  /** True if the content is larger than the cell. */
  readonly isCut: boolean;
  /** Returns the left end of a part of the content with a width. */
  leftOf(width: number): number;
}

function placeIn({ cell, content, isPart }: CellPart, box: Box, isTableRightToLeft: boolean): ContentPlace {
  const { look, source } = cell;
  const { padding } = look;
  const isRightToLeft = source.is_rtl ?? isTableRightToLeft;
  const space = box.top - box.bottom - padding.top - padding.bottom - heightOf(content);
  const down = isPart ? 0 : { top: 0, middle: 0.5, bottom: 1 }[look.verticalAlign];
  const inner = innerWidthOf(box.right - box.left, look);
  const across = { left: 0, center: 0.5, right: 1 }[look.align ?? (isRightToLeft ? "right" : "left")];
  const isTooHigh = space < -padding.bottom - TOLERANCE;
  const isTooWide = widthOf(content) > inner + padding[isRightToLeft ? "left" : "right"] + TOLERANCE;
  return {
    top: box.top - padding.top - Math.max(0, space) * down,
    isCut: isTooHigh || isTooWide,
    // The beginning of a line that is too long stays visible.
    leftOf: (width) => box.left + padding.left + (inner - width) * (width > inner ? Number(isRightToLeft) : across),
  };
}

const rectangle = ({ left, bottom, right, top }: Box): string =>
  `${[left, bottom, right - left, top - bottom].map(serializeNumber).join(" ")} re`;
