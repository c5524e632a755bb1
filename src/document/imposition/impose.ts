// Places pages on sheets: each page becomes a form XObject that keeps its resources, and links move with their page.
import { readBox } from "../content/boxes.ts";
import { type Box, boundsOf, inverse, type Matrix, multiply } from "../content/matrix.ts";
import { contentOf } from "../content/page-content.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serializeNumber } from "../objects/serialize.ts";
import { Dictionary, Name, type PdfObject, PdfStream, plainBody, Reference, type Value } from "../objects/values.ts";
import type { Rewriting } from "../objects/writer.ts";
import { displayedSize, type PageSize, shownSpace, visibleBox } from "../pages/page-size.ts";
import { putPageTree } from "../pages/page-tree.ts";
import { pageDictionary, type SourcePage } from "../pages/pages.ts";

/** A page on a sheet, and the place for it. */
export interface Placed {
  readonly page: SourcePage;
  readonly place: Box;
}

/** Entries of the filters of a stream. */
const FILTER_ENTRIES = ["Filter", "DecodeParms", "DL"];
const MAX_DEPTH = 100;

export class Imposition {
  readonly #file: PdfFile;
  readonly #forms = new Map<number, Reference>();
  readonly #sheets: Reference[] = [];
  /** The first sheet of each page, by the page's object number. */
  readonly #sheetOf = new Map<number, Reference>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  add(sheet: PageSize, placed: readonly Placed[]): void {
    const file = this.#file;
    const reference = file.reserve();
    const forms = new Dictionary();
    const links: Value[] = [];
    let content = "";
    for (const [index, { page, place }] of placed.entries()) {
      const dictionary = pageDictionary(file, page);
      const matrix = fitting(file, dictionary, place);
      forms.set(`Page${index}`, this.#formOf(page, dictionary));
      content += `q ${matrix.map(serializeNumber).join(" ")} cm /Page${index} Do Q\n`;
      links.push(...this.#linksOf(dictionary, matrix));
      const { number } = page.reference;
      if (!this.#sheetOf.has(number)) this.#sheetOf.set(number, reference);
    }
    const page = Dictionary.of({
      Type: Name.of("Page"),
      MediaBox: [0, 0, sheet.width, sheet.height],
      Resources: Dictionary.of({ XObject: forms }),
      Contents: file.add(new PdfStream(new Dictionary(), plainBody(Buffer.from(content, "latin1")))),
      Annots: links.length > 0 ? links : undefined,
    });
    file.put(reference, page);
    this.#sheets.push(reference);
  }

  /**
   * Replaces the pages of the document by the sheets.
   * @param pages the former pages
   * @returns how the file must be written, so that what led to a page leads to its sheet
   */
  finish(pages: readonly SourcePage[]): Rewriting {
    const file = this.#file;
    file.catalog = file.catalog.clone().set("Pages", putPageTree(file, this.#sheets));
    for (const { reference } of pages) file.put(reference, null);
    return {
      canonical: (reference) => this.#sheetOf.get(reference.number) ?? reference,
      rewrite: (object) => this.#withWholeSheets(object),
    };
  }

  #formOf({ reference }: SourcePage, page: Dictionary): Reference {
    const known = this.#forms.get(reference.number);
    if (known) return known;
    const file = this.#file;
    const { body, entries } = this.#contentsOf(page.get("Contents"));
    for (const key of ["Resources", "Group"]) entries.set(key, page.get(key) ?? null);
    entries
      .set("Type", Name.of("XObject"))
      .set("Subtype", Name.of("Form"))
      .set("BBox", [...visibleBox(file, page)]);
    const form = file.add(new PdfStream(entries, body));
    this.#forms.set(reference.number, form);
    return form;
  }

  /** Returns the content of a page. A single stream stays as it is coded. */
  #contentsOf(contents: Value | undefined) {
    const file = this.#file;
    const [only, ...others] = file.array(contents) ?? [contents];
    const stream = others.length === 0 ? file.stream(only) : undefined;
    if (stream) {
      const entries = stream.dictionary.clone();
      entries.retain((key) => FILTER_ENTRIES.includes(key));
      return { entries, body: stream.body };
    }
    const bytes = contentOf(file, contents);
    file.budget.charge(bytes.length);
    return { entries: new Dictionary(), body: plainBody(bytes) };
  }

  #linksOf(page: Dictionary, matrix: Matrix): Reference[] {
    const file = this.#file;
    return (file.array(page.get("Annots")) ?? []).flatMap((value) => {
      const link = file.dictionary(value);
      const box = readBox(file, link?.get("Rect"));
      if (!link || !box || file.name(link.get("Subtype")) !== "Link") return [];
      const moved = link.clone().set("Rect", [...boundsOf(matrix, box)]);
      const corners = (file.array(link.get("QuadPoints")) ?? []).map((corner) => file.number(corner) ?? 0);
      if (corners.length > 0) moved.set("QuadPoints", movedPoints(corners, matrix));
      for (const key of ["P", "StructParent"]) moved.delete(key);
      return [file.add(moved)];
    });
  }

  /** Replaces destinations within former pages by destinations that show the whole sheet. */
  #withWholeSheets(object: PdfObject): PdfObject {
    return object instanceof PdfStream || object === null ? object : this.#changed(object, 0);
  }

  #changed(value: Value, depth: number): Value {
    if (depth > MAX_DEPTH) return value;
    if (value instanceof Dictionary) return value.map((entry) => this.#changed(entry, depth + 1));
    if (!Array.isArray(value)) return value;
    const [page, view] = value;
    const isDestination = page instanceof Reference && this.#sheetOf.has(page.number) && view instanceof Name;
    return isDestination ? [page, Name.of("Fit")] : value.map((element) => this.#changed(element, depth + 1));
  }
}

/** Returns the matrix from user space to a place: the page as it is shown, as large as possible, centered. */
function fitting(file: PdfFile, page: Dictionary, [left, bottom, right, top]: Box): Matrix {
  const { width, height } = displayedSize(file, page);
  const scale = Math.min((right - left) / width, (top - bottom) / height);
  const x = (left + right - width * scale) / 2;
  const y = (bottom + top - height * scale) / 2;
  return multiply(inverse(shownSpace(file, page))!, [scale, 0, 0, scale, x, y]);
}

function movedPoints(points: readonly number[], [a, b, c, d, e, f]: Matrix): number[] {
  return points.map((value, index) =>
    index % 2 === 0 ? a * value + c * (points[index + 1] ?? 0) + e : b * points[index - 1]! + d * value + f,
  );
}
