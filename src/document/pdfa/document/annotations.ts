// Repairs annotations (ISO 19005-1, 6.5 and 6.6; -2, 6.3 and 6.4): types, flags, appearances. Hidden annotations are
// removed, and hidden widgets lose their appearance. Annotations of forbidden types become stamps with the same
// appearance.

import { madeAppearances } from "../../annotations/made-appearances.ts";
import { convertToStamp } from "../../content/stamp.ts";
import { EngineFailure } from "../../contract/failure.ts";
import { type FieldAppearance, FieldAppearances, RENEWED } from "../../forms/field-appearance.ts";
import { encodeTextString } from "../../objects/text-strings.ts";
import { Dictionary, Name, Reference, type Value } from "../../objects/values.ts";
import { ANNOTATION_FLAGS, isHiddenOnScreen } from "../../visibility/annotation-flags.ts";
import { addEmptyForm } from "../content/xobjects.ts";
import { type PdfaDocument, rectangleOf } from "../pdfa-document.ts";
import { drawBeneath, makeOpaque } from "./opaque-appearances.ts";

const TYPES_1 =
  "Text Link FreeText Line Square Circle Highlight Underline Squiggly StrikeOut Stamp Ink Popup Widget " +
  "PrinterMark TrapNet";
const TYPES_2 = `${TYPES_1} Polygon PolyLine Caret FileAttachment Watermark Redact`;
/** Forbidden flags: an annotation must be visible and printed. */
const FORBIDDEN_FLAGS =
  ANNOTATION_FLAGS.invisible | ANNOTATION_FLAGS.hidden | ANNOTATION_FLAGS.noView | ANNOTATION_FLAGS.toggleNoView;
/**
 * Annotation types that some parts forbid and whose appearance MuPDF creates: shapes, and the icon of a removed file.
 */
const DRAWN = new Set(["Polygon", "PolyLine", "Caret", "FileAttachment"]);
const MAX_LEVELS = 64;
/**
 * Maximum number of appearances to create; src/service/http/contract/errors.ts states it to clients. MuPDF needs half a
 * millisecond for each, and frees the memory only after the last one.
 */
const MAX_MADE = 50_000;

interface Annotation {
  readonly dictionary: Dictionary;
  readonly reference: Reference;
  readonly type: string;
  /** Field type of a widget, which it can inherit. */
  readonly fieldType: string | undefined;
  readonly isHidden: boolean;
}

export async function repairAnnotations(document: PdfaDocument): Promise<void> {
  const repairer = new AnnotationRepairer(document);
  document.pages.forEach((page, pageIndex) => {
    repairer.settle(page, pageIndex);
  });
  await repairer.finish();
}

class AnnotationRepairer {
  readonly #document: PdfaDocument;
  readonly #types: ReadonlySet<string>;
  readonly #form: Dictionary | undefined;
  /** Annotations that need a new appearance, and their page indexes. */
  readonly #bare: { readonly pageIndex: number; readonly annotation: Annotation }[] = [];
  /** True for annotations that stay, by object number. */
  readonly #settled = new Map<number, boolean>();
  /** Object numbers of signature widgets that became stamps. */
  readonly #signatures = new Set<number>();

  constructor(document: PdfaDocument) {
    this.#document = document;
    this.#form = document.file.dictionary(document.file.catalog.get("AcroForm"));
    this.#types = new Set((document.level.part === 1 ? TYPES_1 : TYPES_2).split(" "));
  }

  settle(page: Reference, pageIndex: number): void {
    const { file } = this.#document;
    const dictionary = this.#document.page(page);
    if (!dictionary.has("Annots")) return;
    const kept: Value[] = [];
    const removed = new Set<number>();
    for (const value of file.array(dictionary.get("Annots")) ?? []) {
      const own = file.dictionary(value);
      if (!own) continue;
      const reference = value instanceof Reference ? value : file.add(own);
      // Several pages can share an annotation, which is repaired once.
      const stays = this.#settled.get(reference.number) ?? this.#settle(this.#read(own, reference), pageIndex);
      this.#settled.set(reference.number, stays);
      if (stays) kept.push(reference);
      else removed.add(reference.number);
    }
    const isOrphan = (value: Value) => {
      const popup = file.dictionary(value);
      const parent = popup?.get("Parent");
      return file.name(popup?.get("Subtype")) === "Popup" && parent instanceof Reference && removed.has(parent.number);
    };
    dictionary.set(
      "Annots",
      kept.filter((value) => !isOrphan(value)),
    );
  }

  async finish(): Promise<void> {
    await this.#dress();
    this.#form?.delete("NeedAppearances");
    this.#endSignatures();
  }

  #read(dictionary: Dictionary, reference: Reference): Annotation {
    const { file } = this.#document;
    const type = file.name(dictionary.get("Subtype")) ?? "";
    return {
      dictionary,
      reference,
      type,
      fieldType: file.name(inherited(this.#document, dictionary, "FT")),
      isHidden: isHiddenOnScreen(type, file.number(dictionary.get("F")) ?? 0),
    };
  }

  /** @returns true if the annotation stays */
  #settle(annotation: Annotation, pageIndex: number): boolean {
    const { file, level } = this.#document;
    const { dictionary, reference, type, isHidden, fieldType } = annotation;
    if (isHidden && type !== "Widget" && type !== "Link" && type !== "Popup") return false;
    const isLost = this.#isLost(annotation);
    const isSigned = type === "Widget" && fieldType === "Sig" && this.#isSigned(dictionary);
    if ((isLost || isSigned) && this.#normal(dictionary) && !isHidden) {
      if (isSigned) {
        this.#signatures.add(reference.number);
        if (!dictionary.has("Contents")) dictionary.set("Contents", encodeTextString("Signature"));
      }
      convertToStamp(dictionary);
    } else if (isLost && (!DRAWN.has(type) || isEmpty(this.#document, dictionary))) return false;
    const flags = file.number(dictionary.get("F")) ?? 0;
    if (type !== "Popup" || level.part === 1 || dictionary.has("F"))
      dictionary.set("F", (flags & ~FORBIDDEN_FLAGS) | ANNOTATION_FLAGS.print);
    if (level.part === 1) dictionary.delete("CA");
    if (type === "Widget") dictionary.delete("A");
    this.#settleAppearance(annotation, pageIndex);
    return true;
  }

  /** Reports whether an annotation cannot keep its type. */
  #isLost({ dictionary, type }: Annotation): boolean {
    return !this.#types.has(type) || (type === "FileAttachment" && !dictionary.has("FS"));
  }

  #isSigned(dictionary: Dictionary): boolean {
    return this.#document.file.dictionary(inherited(this.#document, dictionary, "V")) !== undefined;
  }

  #normal(dictionary: Dictionary): Value | undefined {
    const { file } = this.#document;
    const normal = file.dictionary(dictionary.get("AP"))?.get("N");
    return file.dictionary(normal) ? normal : undefined;
  }

  #settleAppearance(annotation: Annotation, pageIndex: number): void {
    const { dictionary, type, isHidden } = annotation;
    if (type === "Popup") {
      dictionary.delete("AP");
      return;
    }
    const isButton = this.#isButton(annotation);
    const normal = this.#normal(dictionary);
    if (isHidden && type === "Widget") this.#setEmpty(dictionary, isButton);
    else if (isHidden && type === "Link") hideLink(dictionary);
    else if (normal !== undefined && !this.#isRenewed(annotation)) this.#setNormal(dictionary, normal, isButton);
    else if (type === "Link") dictionary.delete("AP");
    else if (isEmpty(this.#document, dictionary)) this.#setEmpty(dictionary, isButton);
    else this.#bare.push({ pageIndex, annotation });
  }

  #isRenewed({ type, fieldType }: Annotation): boolean {
    const isAsked = this.#document.file.boolean(this.#form?.get("NeedAppearances")) === true;
    return isAsked && type === "Widget" && RENEWED.has(fieldType ?? "");
  }

  #isButton({ dictionary, fieldType }: Annotation): boolean {
    return this.#document.file.name(dictionary.get("Subtype")) === "Widget" && fieldType === "Btn";
  }

  #setEmpty(dictionary: Dictionary, isButton: boolean): void {
    const [left, bottom, right, top] = rectangleOf(this.#document.file, dictionary.get("Rect")) ?? [0, 0, 0, 0];
    this.#setNormal(dictionary, addEmptyForm(this.#document, right - left, top - bottom), isButton);
  }

  /**
   * Sets the normal appearance and removes all others. A button must have a dictionary of states, any other annotation
   * a stream.
   */
  #setNormal(dictionary: Dictionary, normal: Value, isButton: boolean): void {
    const { file } = this.#document;
    const object = file.resolve(normal);
    const state = file.name(dictionary.get("AS"));
    if (isButton) {
      const states = object instanceof Dictionary ? object.clone() : Dictionary.of({ [state ?? "Off"]: normal });
      // The values in a dictionary of states must be streams.
      for (const [name, value] of [...states]) if (!file.stream(value)) states.delete(name);
      const current = state ?? "Off";
      if (!states.has(current)) states.set(current, this.#emptyFor(dictionary));
      dictionary.set("AS", Name.of(current)).set("AP", Dictionary.of({ N: states }));
      return;
    }
    let stream: Value = normal;
    if (object instanceof Dictionary) {
      const chosen = state === undefined ? undefined : object.get(state);
      stream = chosen !== undefined && file.stream(chosen) ? chosen : this.#emptyFor(dictionary);
      dictionary.delete("AS");
    }
    dictionary.set("AP", Dictionary.of({ N: stream }));
  }

  #emptyFor(dictionary: Dictionary): Reference {
    const [left, bottom, right, top] = rectangleOf(this.#document.file, dictionary.get("Rect")) ?? [0, 0, 0, 0];
    return addEmptyForm(this.#document, right - left, top - bottom);
  }

  /** Creates missing appearances. */
  async #dress(): Promise<void> {
    const numbers = new Map<number, Set<number>>();
    const { length } = this.#bare;
    if (length > MAX_MADE) throw new EngineFailure("too-much-content", `${length} annotations without an appearance`);
    const fields = new FieldAppearances(this.#document.file);
    let dressedPage = -1;
    for (const { pageIndex, annotation } of this.#bare) {
      if (annotation.type === "Widget") {
        if (pageIndex !== dressedPage) fields.beginPage();
        dressedPage = pageIndex;
        this.#dressField(annotation, fields.make(annotation.dictionary));
        continue;
      }
      const some = numbers.get(pageIndex) ?? new Set();
      numbers.set(pageIndex, some.add(annotation.reference.number));
    }
    const made = await madeAppearances(this.#document, numbers);
    for (const { annotation, pageIndex } of this.#bare) {
      const { dictionary, reference, type } = annotation;
      if (type === "Widget") continue;
      if (this.#isLost(annotation)) convertToStamp(dictionary);
      const appearance = made.get(reference.number);
      if (!appearance) {
        this.#setEmpty(dictionary, false);
        continue;
      }
      const { normal } = appearance;
      const rectangle = this.#inUnitsOf(pageIndex, appearance.rectangle);
      dictionary.set("Rect", rectangle);
      if (this.#document.level.part === 1) {
        makeOpaque(this.#document, normal);
        const page = this.#document.page(this.#document.pages[pageIndex]!);
        if (type === "Highlight" && drawBeneath(this.#document, page, normal, rectangle)) {
          this.#setEmpty(dictionary, false);
          continue;
        }
      }
      this.#setNormal(dictionary, normal, false);
    }
  }

  #dressField(annotation: Annotation, made: FieldAppearance | undefined): void {
    const { dictionary } = annotation;
    if (made?.state !== undefined) dictionary.set("AS", Name.of(made.state));
    const normal = made?.normal ?? this.#normal(dictionary);
    if (normal === undefined) this.#setEmpty(dictionary, this.#isButton(annotation));
    else this.#setNormal(dictionary, normal, this.#isButton(annotation));
  }

  /**
   * Converts a rectangle to the user units of its page. The appearance's matrix stays, because viewers fit the
   * appearance into the rectangle (ISO 32000-1, 12.5.5).
   */
  #inUnitsOf(pageIndex: number, rectangle: Value): Value {
    const { file, pages, units } = this.#document;
    const unit = units.get(pages[pageIndex]!.number);
    const place = unit === undefined ? undefined : rectangleOf(file, rectangle);
    return place ? place.map((side) => side / unit!) : rectangle;
  }

  /** Removes all signatures: the conversion invalidates them, and no signature must look valid. */
  #endSignatures(): void {
    const { file, places } = this.#document;
    for (const { dictionary } of places) {
      if (file.name(dictionary.get("FT")) !== "Sig") continue;
      for (const key of ["V", "Lock", "SV"]) dictionary.delete(key);
    }
    const form = this.#form;
    if (!form || this.#signatures.size === 0) return;
    const fields = (file.array(form.get("Fields")) ?? []).filter((field) => this.#keepsWidgets(field, 0));
    form.set("Fields", fields);
  }

  /**
   * Removes widgets that became stamps from the Kids of a field.
   * @returns true if the field still has widgets
   */
  #keepsWidgets(field: Value, level: number): boolean {
    if (field instanceof Reference && this.#signatures.has(field.number)) return false;
    const { file } = this.#document;
    const dictionary = file.dictionary(field);
    const kids = file.array(dictionary?.get("Kids"));
    if (!dictionary || !kids || level > MAX_LEVELS) return true;
    const kept = kids.filter((kid) => this.#keepsWidgets(kid, level + 1));
    if (kept.length < kids.length) dictionary.set("Kids", kept);
    return kept.length > 0;
  }
}

function isEmpty({ file }: PdfaDocument, dictionary: Dictionary): boolean {
  const [left, bottom, right, top] = rectangleOf(file, dictionary.get("Rect")) ?? [0, 0, 0, 0];
  return right - left === 0 || top - bottom === 0;
}

/** Links never need an appearance, and without one a viewer draws a border of 1 point unless the link names another. */
function hideLink(link: Dictionary): void {
  for (const key of ["AP", "AS", "BS"]) link.delete(key);
  link.set("Border", [0, 0, 0]);
}

/** Returns an entry of a field, or of the closest ancestor that has it (ISO 32000-1, 12.7.3.1). */
function inherited({ file }: PdfaDocument, dictionary: Dictionary, key: string): Value | undefined {
  let at: Dictionary | undefined = dictionary;
  for (let level = 0; at && level < MAX_LEVELS; level++) {
    const value: Value | undefined = at.get(key);
    if (value !== undefined) return value;
    at = file.dictionary(at.get("Parent"));
  }
  return undefined;
}

/**
 * Removes the color entries of annotations, which are allowed only with an RGB output intent (ISO 19005-1, 6.5.3).
 * Appearances stay.
 */
export function removeColors(document: PdfaDocument): void {
  for (const page of document.pages) {
    for (const value of document.file.array(document.page(page).get("Annots")) ?? []) {
      const annotation = document.file.dictionary(value);
      annotation?.delete("C");
      annotation?.delete("IC");
    }
  }
}
