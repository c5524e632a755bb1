// Marks: the Redact annotations of a preview (ISO 32000-2, 12.5.6.23), and the record of its expressions, which the
// catalog's private data holds (ISO 32000-1, 14.5) until the marks are applied.
import * as z from "zod";
import { readBox } from "../content/boxes.ts";
import { EngineFailure } from "../contract/failure.ts";
import { isOwnData, OWN_DATA, ownDataOf } from "../objects/own-data.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serializeNumber } from "../objects/serialize.ts";
import { decodeTextString, encodeTextString } from "../objects/text-strings.ts";
import {
  Dictionary,
  Name,
  type PdfObject,
  PdfStream,
  PdfString,
  plainBody,
  Reference,
  type Value,
} from "../objects/values.ts";
import type { Rewriting } from "../objects/writer.ts";
import { completePage } from "../pages/page-tree.ts";
import type { SourcePage } from "../pages/pages.ts";
import { type Expression, expressions } from "./expressions/expressions.ts";
import { boundsOfQuads, ordered, type Quad } from "./quads.ts";

const ENTRY = "Redactions";
const PRINTED = 4;
/** Stands for an object until it is written. */
const PENDING = 0;
/** The key of a reference to the record in each mark: the catalog of a merged or divided document is a new one. */
export const OF_MARK = "PagewrightRedactions";
const UNIT: Quad = [0, 1, 1, 1, 0, 0, 1, 0];
/** Maximum distance in points between quadrilaterals that count as equal. */
const EQUAL = 0.1;

/** The quadrilaterals of one mark, in user space. */
export type Mark = readonly Quad[];

/** Returns the quadrilaterals of an annotation; without any, its rectangle. */
export const quadsOfAnnotation = (file: PdfFile, annotation: Dictionary): Mark => {
  const numbers = (file.array(annotation.get("QuadPoints")) ?? []).map((value) => file.number(value) ?? Number.NaN);
  const quads: Quad[] = [];
  for (let at = 0; at + 8 <= numbers.length; at += 8) quads.push(ordered(numbers.slice(at, at + 8)));
  if (quads.length > 0) return quads.filter((quad) => quad.every(Number.isFinite));
  const box = readBox(file, annotation.get("Rect"));
  if (!box) return [];
  const [left, bottom, right, top] = box;
  return [[left, top, right, top, left, bottom, right, bottom]];
};

export const isMark = (file: PdfFile, annotation: Value): boolean =>
  file.name(file.dictionary(annotation)?.get("Subtype")) === "Redact";

/** Returns the marks of a page. */
export const marksOf = (file: PdfFile, { reference }: SourcePage): Mark[] =>
  (file.array(file.dictionary(reference)?.get("Annots")) ?? [])
    .filter((annotation) => isMark(file, annotation))
    .map((annotation) => quadsOfAnnotation(file, file.dictionary(annotation)!))
    .filter((quads) => quads.length > 0);

/**
 * Adds marks to pages, except those that a page already has. A document can get 100,000 of them, so their objects exist
 * only while they are written.
 */
export class Marker implements Rewriting {
  readonly #file: PdfFile;
  readonly #record: Reference;
  readonly #pending = new Map<number, () => PdfObject>();
  #state: Reference | undefined;
  /** The appearance of all marks that are rectangles: viewers scale it. */
  #rectangular: Reference | undefined;

  /** @param record the record of the expressions */
  constructor(file: PdfFile, record: Reference) {
    this.#file = file;
    this.#record = record;
  }

  add(page: SourcePage, marks: readonly Mark[]): void {
    const file = this.#file;
    const added = newMarks(marksOf(file, page), marks);
    if (added.length === 0) return;
    const dictionary = completePage(file, page);
    const before = file.array(dictionary.get("Annots")) ?? [];
    dictionary.set("Annots", [...before, ...added.map((mark) => this.#annotation(mark, page.reference))]);
    file.put(page.reference, dictionary);
  }

  canonical(reference: Reference): Reference {
    return reference;
  }

  rewrite(object: PdfObject, { number }: Reference): PdfObject {
    return this.#pending.get(number)?.() ?? object;
  }

  #later(make: () => PdfObject): Reference {
    const reference = this.#file.add(PENDING);
    this.#pending.set(reference.number, make);
    return reference;
  }

  #annotation(mark: Mark, page: Reference): Reference {
    const rectangle = boundsOfQuads(mark);
    const [left, bottom, right, top] = rectangle;
    const isRectangle = keyOf(mark) === keyOf([[left, top, right, top, left, bottom, right, bottom]]);
    if (isRectangle) this.#rectangular ??= this.#appearance([UNIT], [0, 0, 1, 1]);
    const appearance = isRectangle ? this.#rectangular! : this.#appearance(mark, rectangle);
    return this.#pendingMark(mark, page, appearance);
  }

  #pendingMark(mark: Mark, page: Reference, appearance: Reference): Reference {
    return this.#later(() =>
      Dictionary.of({
        Type: Name.of("Annot"),
        Subtype: Name.of("Redact"),
        Rect: boundsOfQuads(mark),
        QuadPoints: mark.flat(),
        C: [1, 0, 0],
        IC: [0, 0, 0],
        F: PRINTED,
        P: page,
        AP: Dictionary.of({ N: appearance }),
        [OF_MARK]: this.#record,
      }),
    );
  }

  /** Returns the appearance of a mark: a red area under which the text stays readable. */
  #appearance(mark: Mark, rectangle: readonly number[]): Reference {
    this.#state ??= this.#file.add(Dictionary.of({ Type: Name.of("ExtGState"), ca: 0.3, BM: Name.of("Multiply") }));
    const state = this.#state;
    return this.#later(() => {
      const content = mark.map((quad) => `${pathOf(quad)} f`).join("\n");
      const dictionary = Dictionary.of({
        Type: Name.of("XObject"),
        Subtype: Name.of("Form"),
        BBox: [...rectangle],
        Resources: Dictionary.of({ ExtGState: Dictionary.of({ G: state }) }),
      });
      return new PdfStream(dictionary, plainBody(new Uint8Array(Buffer.from(`/G gs 1 0 0 rg ${content}`))));
    });
  }
}

/** Returns the marks whose quadrilaterals are not those of known ones. */
export function newMarks(known: readonly Mark[], marks: readonly Mark[]): Mark[] {
  const keys = new Set(known.map(keyOf));
  return marks.filter((mark) => !keys.has(keyOf(mark)));
}

const keyOf = (mark: Mark): string =>
  mark
    .flat()
    .map((number) => Math.round(number / EQUAL))
    .join();

/** Returns the operators of a closed path around a quadrilateral. */
export function pathOf([ulx, uly, urx, ury, llx, lly, lrx, lry]: Quad): string {
  const point = (x: number, y: number) => `${serializeNumber(x)} ${serializeNumber(y)}`;
  return `${point(ulx, uly)} m ${point(urx, ury)} l ${point(lrx, lry)} l ${point(llx, lly)} l h`;
}

/**
 * Returns the expressions that the catalog and the marks record. A merged document has several records.
 * @throws EngineFailure `damaged` if there is a record that cannot be read: ignoring it would keep the matches
 */
export function readRecord(file: PdfFile, pages: readonly SourcePage[]): Expression[] {
  const texts = new Set<string>();
  for (const piece of ownDataOf(file, file.catalog.get("PieceInfo")).values()) {
    const text = file.string(file.dictionary(file.dictionary(piece)?.get("Private"))?.get(ENTRY));
    texts.add(decodeTextString(text ?? new PdfString("")));
  }
  for (const record of recordsOfMarks(file, pages)) {
    texts.add(decodeTextString(file.string(record) ?? new PdfString("")));
  }
  try {
    const all = [...texts].flatMap((text) => expressions.parse(JSON.parse(text)));
    return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    throw new EngineFailure("damaged", "the record of redactions", { cause: error });
  }
}

/** Returns the distinct records of all marks. */
function recordsOfMarks(file: PdfFile, pages: readonly SourcePage[]): Iterable<Value> {
  const found = new Map<unknown, Value>();
  for (const { reference } of pages) {
    for (const annotation of file.array(file.dictionary(reference)?.get("Annots")) ?? []) {
      const record = isMark(file, annotation) ? file.dictionary(annotation)?.get(OF_MARK) : undefined;
      if (record !== undefined) found.set(record instanceof Reference ? record.number : record, record);
    }
  }
  return found.values();
}

/**
 * Records expressions in addition to those of an earlier preview, in the catalog and in the earlier marks.
 * @returns the record, for new marks
 */
export function writeRecord(file: PdfFile, pages: readonly SourcePage[], given: readonly Expression[]): Reference {
  const all = new Map([...readRecord(file, pages), ...given].map((one) => [JSON.stringify(one), one]));
  const text = encodeTextString(JSON.stringify([...all.values()]));
  for (const earlier of recordsOfMarks(file, pages)) if (earlier instanceof Reference) file.put(earlier, text);
  const record = file.add(text);
  const pieces = file.dictionary(file.catalog.get("PieceInfo"))?.clone() ?? new Dictionary();
  for (const owner of [...pieces.keys()]) if (isOwnData(owner)) pieces.delete(owner);
  const now = `${new Date().toISOString().replace(/\D/g, "").slice(0, 14)}Z`;
  const piece = { LastModified: new PdfString(`D:${now}`), Private: Dictionary.of({ [ENTRY]: record }) };
  file.catalog = file.catalog.clone().set("PieceInfo", pieces.set(OWN_DATA, Dictionary.of(piece)));
  return record;
}
