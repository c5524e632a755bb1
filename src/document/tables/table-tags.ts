// The structure elements of a table (ISO 32000-1, 14.8.4.3.4): rows in their sections, and cells with their spans.
import type { MarkedContent, StructureLinks } from "../annotations/structure-links.ts";
import { Dictionary, Name, type Reference } from "../objects/values.ts";
import type { GridCell, GridRow, SectionName } from "./grid.ts";

const SECTION_TYPES: Readonly<Record<SectionName, string>> = {
  ...{ header_rows: "THead", rows: "TBody", footer_rows: "TFoot" },
};

export class TableTags {
  readonly #structure: StructureLinks;
  readonly #table: Reference;
  readonly #sections = new Map<SectionName, Reference>();
  readonly #rows = new Map<GridRow, Reference>();
  readonly #cells = new Map<GridCell, Reference>();

  constructor(structure: StructureLinks, language: string | undefined) {
    this.#structure = structure;
    this.#table = structure.addElement({ type: "Table", language });
  }

  /** Adds the elements of rows, and of cells that begin there. A row that goes on, on another page, has one element. */
  addRows(rows: readonly GridRow[]): void {
    for (const row of rows) {
      if (this.#rows.has(row)) continue;
      const parent = this.#structure.addElement({ type: "TR", parent: this.#sectionOf(row.section) });
      this.#rows.set(row, parent);
      for (const cell of row.cells) this.#cells.set(cell, this.#addCell(cell, row, parent));
    }
  }

  /** Adds content of a page to a cell. */
  mark(cell: GridCell, page: Reference): MarkedContent {
    const { image } = cell.source;
    const element = this.#cells.get(cell)!;
    if (!image) return this.#structure.mark(element, page);
    const { tag_structure_type: type = "Figure", tag_alt_text: alternateText } = image;
    return this.#structure.add({ parent: element, page, type, alternateText });
  }

  #sectionOf(name: SectionName): Reference {
    const known = this.#sections.get(name);
    if (known) return known;
    const made = this.#structure.addElement({ type: SECTION_TYPES[name], parent: this.#table });
    this.#sections.set(name, made);
    return made;
  }

  #addCell({ source }: GridCell, { section }: GridRow, parent: Reference): Reference {
    const { col_span, row_span, tag_actual_text: actualText } = source;
    const type = source.tag_structure_type ?? (section === "header_rows" ? "TH" : "TD");
    const attributes = Dictionary.of({
      O: Name.of("Table"),
      ColSpan: col_span > 1 ? col_span : undefined,
      RowSpan: row_span > 1 ? row_span : undefined,
      Scope: type === "TH" ? Name.of(section === "header_rows" ? "Column" : "Row") : undefined,
    });
    return this.#structure.addElement({
      ...{ type, parent, actualText },
      attributes: attributes.size > 1 ? attributes : undefined,
    });
  }
}
