// Draws the rows of a table on a page: backgrounds, then contents, then borders. Backgrounds and borders are artifacts.
import { serializeNumber } from "../objects/serialize.ts";
import type { Reference } from "../objects/values.ts";
import type { Overlay } from "../pages/overlay/overlay.ts";
import type { Typesetter } from "../typesetting/typesetter.ts";
import { borderLines } from "./borders.ts";
import { heightOf, TOLERANCE, widthOf } from "./cell-content.ts";
import type { CellPart, PlacedRows } from "./row-group.ts";
import type { TableTags } from "./table-tags.ts";

/** Rows on a page. */
export interface PageRows {
  readonly placed: PlacedRows;
  /** True for rows that readers have already met, such as a repeated header. */
  readonly isRepeated: boolean;
}

export interface PaintServices {
  readonly overlay: Overlay;
  readonly typesetter: Typesetter;
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
  /** Number of cells whose content is cut off. */
  cutCount = 0;

  constructor(services: PaintServices, columns: Columns, tags: TableTags | undefined) {
    this.#services = services;
    this.#columns = columns;
    this.#tags = tags;
  }

  /** @param top upper edge of the first rows, in points from the lower edge of the page */
  async paint(number: number, top: number, groups: readonly PageRows[]): Promise<void> {
    const { overlay } = this.#services;
    const boxes: { readonly part: CellPart; readonly box: Box; readonly row: number; readonly isRepeated: boolean }[] =
      [];
    const edges = [top];
    for (const { placed, isRepeated } of groups) {
      const first = edges.length - 1;
      for (const height of placed.heights) edges.push(edges.at(-1)! - height);
      if (!isRepeated) this.#tags?.addRows(placed.rows);
      for (const part of placed.cells) {
        boxes.push({ part, box: this.#boxOf(part, edges, first), row: first + part.row, isRepeated });
      }
    }
    let content = "";
    for (const { part, box } of boxes) content += this.#background(number, part, box);
    for (const { part, box, isRepeated } of boxes) content += await this.#content(number, part, box, isRepeated);
    const cells = boxes.map(({ part, row }) => ({ cell: part.cell, row, rowSpan: part.rowSpan }));
    for (const { edge, path } of borderLines(cells, edges, this.#columns)) {
      const color = `${edge.color.map(serializeNumber).join(" ")} ${edge.color.length === 4 ? "K" : "RG"}`;
      const width = `${serializeNumber(edge.width)} w 2 J`;
      content += `${ARTIFACT} q ${this.#state(number, edge.opacity)}${color} ${width}\n${path}S Q EMC\n`;
    }
    overlay.write(number, content);
  }

  #boxOf({ cell, row, rowSpan }: CellPart, rowEdges: readonly number[], first: number): Box {
    const { edges, isRightToLeft } = this.#columns;
    const [start, end] = [cell.column, cell.column + cell.source.col_span];
    const last = edges.length - 1;
    const [left, right] = isRightToLeft ? [edges[last - end]!, edges[last - start]!] : [edges[start]!, edges[end]!];
    return { left, right, top: rowEdges[first + row]!, bottom: rowEdges[first + row + rowSpan]! };
  }

  #state(number: number, opacity: number): string {
    if (opacity === 1) return "";
    return `/${this.#services.overlay.nameOf(number, "ExtGState", this.#services.stateOf(opacity))} gs `;
  }

  #background(number: number, { cell: { look } }: CellPart, box: Box): string {
    const { background, opacity } = look;
    if (!background) return "";
    const color = `${background.map(serializeNumber).join(" ")} ${background.length === 4 ? "k" : "rg"}`;
    return `${ARTIFACT} q ${this.#state(number, opacity)}${color} ${rectangle(box)} f Q EMC\n`;
  }

  async #content(number: number, part: CellPart, box: Box, isRepeated: boolean): Promise<string> {
    const { look, source } = part.cell;
    const { content } = part;
    if ("lines" in content && content.lines.length === 0) return "";
    const { padding } = look;
    const [left, right] = [box.left + padding.left, Math.max(box.left + padding.left, box.right - padding.right)];
    const height = heightOf(content);
    const isCut =
      widthOf(content) > box.right - box.left - padding.left + TOLERANCE || height > box.top - box.bottom + TOLERANCE;
    if (isCut) this.cutCount++;
    const slack = box.top - box.bottom - padding.top - padding.bottom - height;
    const share = part.isPart ? 0 : { top: 0, middle: 0.5, bottom: 1 }[look.verticalAlign];
    const top = box.top - padding.top - Math.max(0, slack) * share;
    const across = (width: number) => left + Math.max(0, right - left - width) * this.#acrossShare(part);
    const drawn =
      "image" in content ? this.#image(number, content, across, top) : await this.#lines(number, part, across, top);
    const isTagged = this.#tags && !isRepeated && !source.image?.tag_is_artifact;
    const tag = isTagged ? this.#tags!.mark(part.cell, this.#services.overlay.pages[number - 1]!.reference) : undefined;
    const mark = tag ? `/${tag.type} <</MCID ${tag.id}>> BDC` : ARTIFACT;
    return `${mark} q ${isCut ? `${rectangle(box)} W n ` : ""}${this.#state(number, look.opacity)}${drawn} Q EMC\n`;
  }

  #acrossShare({ cell: { look, source } }: CellPart): number {
    const isRightToLeft = source.is_rtl ?? this.#columns.isRightToLeft;
    return { left: 0, center: 0.5, right: 1 }[look.align ?? (isRightToLeft ? "right" : "left")];
  }

  #image(
    number: number,
    {
      image,
      width,
      height,
    }: {
      readonly image: { readonly reference: Reference; readonly box: { width: number; height: number } };
      readonly width: number;
      readonly height: number;
    },
    across: (width: number) => number,
    top: number,
  ): string {
    const name = this.#services.overlay.nameOf(number, "XObject", image.reference);
    const matrix = [width / image.box.width, 0, 0, height / image.box.height, across(width), top - height];
    return `${matrix.map(serializeNumber).join(" ")} cm /${name} Do`;
  }

  #lines(number: number, { cell: { look }, content }: CellPart, across: (width: number) => number, top: number) {
    const { overlay, typesetter, signal } = this.#services;
    const lines = "lines" in content ? content.lines : [];
    const baseline = top - lines[0]!.ascent - lines[0]!.y;
    const placed = lines.map((line) => ({ runs: line.runs, x: across(line.width), y: baseline + line.y }));
    return typesetter.write(placed, look, { nameOf: (font) => overlay.nameOf(number, "Font", font), signal });
  }
}

const rectangle = ({ left, bottom, right, top }: Box): string =>
  `${[left, bottom, right - left, top - bottom].map(serializeNumber).join(" ")} re`;
