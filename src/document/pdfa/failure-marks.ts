// Marks broken rules on pages: a red frame around each box, and a note in the upper left corner of a page for places
// without one. The first page has the note on the document.
import { type Box, boundsOf } from "../content/matrix.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { encodeTextString } from "../objects/text-strings.ts";
import { Dictionary, Name, type Reference, type Value } from "../objects/values.ts";
import { displayedSize, shownSpace } from "../pages/page-size.ts";
import { completePage, placesOf } from "../pages/page-tree.ts";
import type { FoundPlace } from "./failure-places.ts";

const PRINTED = 4;
/** The icon keeps its size and its direction. */
const FIXED = 8 | 16;
const NOTE_POINTS = 20;
const MAX_RULES = 50;
const RED = [1, 0, 0];

/** Texts of rules by what they mark: a box, or `undefined` for a note. */
type PageMarks = Map<string | undefined, { readonly box: Box | undefined; readonly rules: Set<string> }>;

export class FailureMarks {
  readonly #file: PdfFile;
  readonly #pages = new Map<number, PageMarks>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** @param rule the text of the mark */
  add({ pageIndex = 0, box }: FoundPlace, rule: string): void {
    const marks: PageMarks = this.#pages.get(pageIndex) ?? new Map();
    this.#pages.set(pageIndex, marks);
    const mark = marks.get(box?.join()) ?? { box, rules: new Set() };
    marks.set(box?.join(), mark);
    mark.rules.add(rule);
  }

  /** Adds an annotation for each mark to the pages. */
  write(): void {
    const file = this.#file;
    const places = placesOf(file);
    for (const [index, marks] of this.#pages) {
      const place = places[index];
      if (!place) continue;
      const page = completePage(file, place);
      const note = noteBox(file, page);
      const added = [...marks.values()].map(({ box, rules }) =>
        file.add(annotation(box ?? note, box !== undefined, [...rules], place.reference)),
      );
      page.set("Annots", [...(file.array(page.get("Annots")) ?? []), ...added]);
      file.put(place.reference, page);
    }
  }
}

function noteBox(file: PdfFile, page: Dictionary): Box {
  const { height } = displayedSize(file, page);
  return boundsOf(shownSpace(file, page), [0, height - NOTE_POINTS, NOTE_POINTS, height]);
}

function annotation(box: Box, isFrame: boolean, rules: readonly string[], page: Reference): Dictionary {
  const more = rules.length > MAX_RULES ? [`… and ${rules.length - MAX_RULES} more rules.`] : [];
  const own: Readonly<Record<string, Value>> = isFrame
    ? { Subtype: Name.of("Square"), F: PRINTED, BS: Dictionary.of({ W: 1 }) }
    : { Subtype: Name.of("Text"), Name: Name.of("Note"), F: PRINTED | FIXED };
  return Dictionary.of({
    ...{ Type: Name.of("Annot"), ...own, Rect: [...box], C: RED, P: page, T: encodeTextString("veraPDF") },
    Contents: encodeTextString([...rules.slice(0, MAX_RULES), ...more].join("\n\n")),
  });
}
