// Adds tables to pages of a PDF, on top of their content, and pages for rows that do not fit. Yields one output.
import * as z from "zod";
import { StructureLinks } from "../document/annotations/structure-links.ts";
import { OutOfRange } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { countedNotices } from "../document/contract/notice.ts";
import { defineOperation, type Input } from "../document/contract/operation.ts";
import { hasPages } from "../document/contract/pages.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { json } from "../document/contract/parameters/json.ts";
import { checkUntagged, tagParameters } from "../document/contract/parameters/tags.ts";
import type { Reference } from "../document/objects/values.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { addImageForm, type ImageForm } from "../document/pages/image-form.ts";
import { type OpenPdf, pdfToPdf } from "../document/pages/open-pdf.ts";
import { Overlay, opacityState } from "../document/pages/overlay/overlay.ts";
import { CellLooks } from "../document/tables/cell-look.ts";
import { columnCountOf, SECTIONS } from "../document/tables/grid.ts";
import { type NamedTable, PlacedTable, paceOf, type TableServices } from "../document/tables/place-table.ts";
import type { PageSequence, Place } from "../document/tables/table-flow.ts";
import { type CellObject, type TableObject, tableObject } from "../document/tables/table-object.ts";
import { Typesetter } from "../document/typesetting/typesetter.ts";

const tableObjects = json(z.array(tableObject).min(1), { name: "TableObjects" });

const parameters = {
  tableObjects: parameter("JSON with the tables, their cells, their look and their positions.", {
    ...tableObjects,
    read: (text) => [tableObjects.read(text)].flat(),
  }),
  ...tagParameters("tables"),
};
export type AddTablesParams = Params<typeof parameters>;

const PARAMETER = "tableObjects";
const TOO_MANY_CELLS = `The tables of a request have at most ${LIMITS.tableCells} cells.`;
const TOO_MANY_COLUMNS = `A table has at most ${LIMITS.tableColumns} columns.`;
const TOO_MANY_PAGES = `The tables of a request add at most ${LIMITS.tablePages} pages.`;
const TOO_LONG = `The tables of a request have at most ${LIMITS.tableTextLength} characters.`;

/** @throws OutOfRange if a page, an image or a font does not exist, or if a table does not fit, before any output */
const run = pdfToPdf<AddTablesParams>(async (pdf, params, { others, typefaces, signal }) => {
  const { tagEnabled, tagLanguage: language } = params;
  const overlay = new Overlay(pdf.file);
  const tables = params.tableObjects.map((object, index) => ({ object, path: `${PARAMETER}.${index}` }));
  check(tables, overlay.pageCount, tagEnabled);
  const images = await imagesOf(pdf, tables, others, signal);
  const texts = tables.flatMap(({ object }) => cellsOf(object).flatMap(({ cell }) => cell.text || []));
  const typesetter = await Typesetter.open(pdf, typefaces, texts);
  const structure = tagEnabled ? new StructureLinks(pdf.file) : undefined;
  const states = new Map<number, Reference>();
  const stateOf = (opacity: number) => {
    const state = states.get(opacity) ?? opacityState(pdf.file, opacity);
    states.set(opacity, state);
    return state;
  };
  const imageOf: TableServices["imageOf"] = ({ source }) => source.image && images.get(source.image.image_index);
  const { budget } = pdf;
  const pace = paceOf(signal);
  const services = {
    overlay,
    typesetter,
    budget,
    signal,
    pace,
    stateOf,
    imageOf,
    looks: new CellLooks(),
    structure,
    language,
  };
  const cutCount = await placeAll(tables, services);
  const notices = typesetter.finish();
  overlay.finish();
  structure?.finish();
  pdf.notices.push(...notices, ...countedNotices("cells-cut", cutCount));
  pdf.notices.push(...withdrawClaims(pdf.file, (family) => family !== "PDF/UA"));
});

export const addTables = defineOperation({ name: "add-tables", parameters, run });

/** Returns the cells of a table with their names in errors. */
const cellsOf = (object: TableObject): readonly { readonly cell: CellObject; readonly path: string }[] =>
  SECTIONS.flatMap((name) =>
    (object[name] ?? []).flatMap(({ cells }, row) =>
      cells.map((cell, index) => ({ cell, path: `${name}.${row}.cells.${index}` })),
    ),
  );

/** @throws OutOfRange for tables that are too large, pages that do not exist, and tags although tags are off */
function check(tables: readonly NamedTable[], pageCount: number, tagEnabled: boolean): void {
  let [cellCount, length] = [0, 0];
  for (const { object, path } of tables) {
    const columns = columnCountOf(object);
    if (columns > LIMITS.tableColumns) throw new OutOfRange(`${path}.columns`, String(columns), TOO_MANY_COLUMNS);
    cellCount += columns * SECTIONS.reduce((sum, name) => sum + (object[name]?.length ?? 0), 0);
    if (cellCount > LIMITS.tableCells) throw new OutOfRange(PARAMETER, String(cellCount), TOO_MANY_CELLS);
    if (object.page > pageCount) {
      throw new OutOfRange(`${path}.page`, String(object.page), hasPages("The document", pageCount));
    }
    if (!tagEnabled) checkUntagged(object, path);
    for (const { cell, path: cellPath } of cellsOf(object)) {
      length += cell.text?.length ?? 0;
      if (tagEnabled) continue;
      checkUntagged(cell, `${path}.${cellPath}`);
      if (cell.image) checkUntagged(cell.image, `${path}.${cellPath}.image`);
    }
  }
  if (length > LIMITS.tableTextLength) throw new OutOfRange(PARAMETER, String(length), TOO_LONG);
}

/** Adds the images that cells show, each once. @throws OutOfRange for an image that was not sent */
async function imagesOf(
  pdf: OpenPdf,
  tables: readonly NamedTable[],
  inputs: readonly Input[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, ImageForm>> {
  const forms = new Map<number, ImageForm>();
  for (const { object, path } of tables) {
    for (const { cell, path: cellPath } of cellsOf(object)) {
      if (!cell.image || forms.has(cell.image.image_index)) continue;
      const index = cell.image.image_index;
      const input = inputs[index];
      if (!input) throw noImage(`${path}.${cellPath}.image.image_index`, index, inputs.length);
      forms.set(index, await addImageForm(pdf, input, signal));
    }
  }
  return forms;
}

function noImage(parameter: string, index: number, count: number): OutOfRange {
  const why = count === 1 ? "There is 1 image, from 0." : `There are ${count} images, from 0.`;
  return new OutOfRange(parameter, String(index), why);
}

/**
 * Places the tables of each page from top to bottom, so that a table that grows moves the ones below it.
 * @returns the number of cells whose content is cut off
 */
async function placeAll(tables: readonly NamedTable[], services: TableServices): Promise<number> {
  const sequences = new Map<number, PageSequence>();
  const done = new Map<number, { readonly table: PlacedTable; readonly end: Place }[]>();
  const made = { count: 0 };
  let cutCount = 0;
  const inOrder = tables.toSorted((one, other) => one.object.page - other.object.page || other.object.y - one.object.y);
  for (const named of inOrder) {
    const { page, y, spacing_before } = named.object;
    const size = services.overlay.sizeOf(page);
    const sequence = sequences.get(page) ?? sequenceOf(page, size.height, services.overlay, made);
    sequences.set(page, sequence);
    const table = await PlacedTable.prepare(named, size, services);
    const above = done.get(page) ?? [];
    done.set(page, above);
    const start = above
      .filter((one) => overlaps(one.table, table))
      .reduce((at, { end }) => later(at, end), { index: 0, y });
    const placed = await table.place(sequence, { ...start, y: start.y - spacing_before });
    above.push({ table, end: placed.end });
    cutCount += placed.cutCount;
  }
  return cutCount;
}

const overlaps = ({ sides: one }: PlacedTable, { sides: other }: PlacedTable): boolean =>
  one.left < other.right && other.left < one.right;

const later = (one: Place, other: Place): Place =>
  other.index > one.index || (other.index === one.index && other.y < one.y) ? other : one;

function sequenceOf(page: number, height: number, overlay: Overlay, made: { count: number }): PageSequence {
  const numbers = [page];
  return {
    height,
    numberOf(index) {
      while (numbers.length <= index) {
        if (++made.count > LIMITS.tablePages) throw new OutOfRange(PARAMETER, String(made.count), TOO_MANY_PAGES);
        numbers.push(overlay.addPage(page));
      }
      return numbers[index]!;
    },
  };
}
