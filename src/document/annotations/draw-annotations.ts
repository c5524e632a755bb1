// Draws annotations and form fields into the content of their pages, as a viewer shows them on screen (ISO 32000-1,
// 12.5.5), and removes them.

import { appearanceMatrix, readBox } from "../content/boxes.ts";
import { type Matrix, multiply } from "../content/matrix.ts";
import type { TypefaceProvider } from "../contract/font-provider.ts";
import { countedNotices, type Notice, namedNotices } from "../contract/notice.ts";
import { RENEWED, withAppearance } from "../forms/field-appearance.ts";
import { FieldDrawer } from "../forms/field-drawer.ts";
import { Widget } from "../forms/widget.ts";
import { MupdfSource } from "../objects/engine/mupdf-source.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { readNameTree } from "../objects/trees.ts";
import { Dictionary, Name, PdfStream, Reference, type Value } from "../objects/values.ts";
import { specifiedName } from "../pages/attached-files.ts";
import { withdrawClaims } from "../pages/claims.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import { Overlay } from "../pages/overlay/overlay.ts";
import { quarterTurns } from "../pages/page-size.ts";
import { pageDictionary, type SourcePage } from "../pages/pages.ts";
import { removeFields } from "../pages/parts/forms/remove-fields.ts";
import { isHiddenOnScreen, MULTIMEDIA } from "../visibility/annotation-flags.ts";
import { coveredAnnotations, type Listed, shownAppearance } from "./covered.ts";
import { addLinkBorder } from "./link-border.ts";
import { madeAppearances } from "./made-appearances.ts";
import { StructureLinks } from "./structure-links.ts";

const NO_ROTATE = 16;
/** Rotations by 0 to 3 counterclockwise quarter turns. */
const TURNS: readonly Matrix[] = [
  [1, 0, 0, 1, 0, 0],
  [0, 1, -1, 0, 0, 0],
  [-1, 0, 0, -1, 0, 0],
  [0, -1, 1, 0, 0, 0],
];
const PAGES_AT_ONCE = 100;
/** Approximate memory per annotation. */
const ANNOTATION_BYTES = 200;

interface Annotation extends Listed {
  readonly page: SourcePage;
  /** Number of counterclockwise quarter turns that keep the annotation upright. */
  readonly turns: number;
  readonly value: Value;
  dictionary: Dictionary;
  /** The appearance stream; undefined if the annotation shows nothing. */
  appearance: Reference | undefined;
}

export interface Choice {
  /** Reports whether annotations of a type become content. Visible annotations of other types below them do, too. */
  readonly isChosen: (type: string) => boolean;
  /** Fonts for every script. @default fields show what the fonts of the form have */
  readonly typefaces?: TypefaceProvider | undefined;
  readonly signal: AbortSignal;
}

/** @returns the notices of what is lost */
export async function drawAnnotations(pdf: OpenPdf, choice: Choice): Promise<readonly Notice[]> {
  const drawer = new AnnotationDrawer(pdf, choice);
  await drawer.collect();
  await drawer.makeMissing();
  drawer.draw();
  return drawer.notices();
}

class AnnotationDrawer {
  readonly #pdf: OpenPdf;
  readonly #file: PdfFile;
  readonly #choice: Choice;
  readonly #form: Dictionary | undefined;
  readonly #overlay: Overlay;
  readonly #chosen: Annotation[] = [];
  /** Annotations that MuPDF must draw. */
  readonly #bare: Annotation[] = [];
  /** The annotations that stay, by object number of the page. */
  readonly #kept = new Map<number, Value[]>();
  /** The forms of appearances, by object number of the appearance. */
  readonly #forms = new Map<number, Reference>();
  /** Annotations that were not chosen, but lie below chosen ones. */
  readonly #covered: Annotation[] = [];
  #multiply: Reference | undefined;
  #hasMade = false;
  /** Number of fields with characters that no font contains. */
  #incomplete = 0;

  constructor(pdf: OpenPdf, choice: Choice) {
    this.#pdf = pdf;
    this.#file = pdf.file;
    this.#choice = choice;
    this.#form = pdf.file.dictionary(pdf.file.catalog.get("AcroForm"));
    this.#overlay = new Overlay(pdf.file);
  }

  /** Finds the chosen annotations, and creates the missing appearances of fields and links. */
  async collect(): Promise<void> {
    const file = this.#file;
    const areRenewed = file.boolean(this.#form?.get("NeedAppearances")) === true;
    const fields = new FieldDrawer(file, { pdf: this.#pdf, typefaces: this.#choice.typefaces });
    for (const page of this.#overlay.pages) {
      const found = this.#annotationsOf(page);
      if (found.length > 0) fields.beginPage();
      for (const annotation of found) {
        if (!annotation.isVisible) continue;
        const isBare = file.dictionary(file.dictionary(annotation.dictionary.get("AP"))?.get("N")) === undefined;
        if (annotation.type === "Widget") {
          const type = new Widget(file, this.#form, annotation.dictionary).type ?? "";
          if (isBare || (areRenewed && RENEWED.has(type))) this.#dress(annotation, fields, isBare);
        } else if (isBare && annotation.type === "Link") {
          const look = addLinkBorder(file, annotation.dictionary);
          if (look) annotation.dictionary = annotation.dictionary.clone().set("AP", Dictionary.of({ N: look }));
        } else if (isBare) this.#bare.push(annotation);
        annotation.appearance = shownAppearance(file, annotation.dictionary);
      }
      if (page.index % PAGES_AT_ONCE !== 0) continue;
      this.#choice.signal.throwIfAborted();
      await file.relieve();
    }
    await fields.finish(this.#choice.signal);
  }

  /** Creates the missing appearances of other annotations. */
  async makeMissing(): Promise<void> {
    const numbers = new Map<number, Set<number>>();
    for (const { page, value } of this.#bare) {
      if (!(value instanceof Reference)) continue;
      const some = numbers.get(page.index) ?? new Set();
      numbers.set(page.index, some.add(value.number));
    }
    const { bytes, memory, budget } = this.#pdf;
    const reopen = () => MupdfSource.open(bytes, memory.engineBytes, budget);
    const made = await madeAppearances({ file: this.#file, reopen }, numbers);
    for (const annotation of this.#bare) {
      const found = annotation.value instanceof Reference ? made.get(annotation.value.number) : undefined;
      if (!found) continue;
      this.#hasMade = true;
      const look = Dictionary.of({ N: found.normal });
      annotation.dictionary = annotation.dictionary.clone().set("AP", look).set("Rect", found.rectangle);
      annotation.appearance = shownAppearance(this.#file, annotation.dictionary);
    }
  }

  draw(): void {
    const file = this.#file;
    const structure = new StructureLinks(file);
    for (const annotation of this.#chosen) {
      const { page, value, dictionary, appearance, turns } = annotation;
      const form = appearance && file.stream(appearance)?.dictionary;
      const matrix = form && appearanceMatrix(file, dictionary, form);
      if (!matrix) {
        structure.remove(value);
        continue;
      }
      const shown = this.#asForm(appearance!);
      const attributes = this.#attributesOf(annotation);
      const tag = structure.replace({ annotation: value, page: page.reference, attributes });
      const layer = dictionary.get("OC");
      this.#overlay.paint(page.index + 1, shown, upright(file, dictionary, matrix, turns), {
        tag,
        state: this.#stateOf(annotation),
        layer: layer instanceof Dictionary ? file.add(layer) : layer instanceof Reference ? layer : undefined,
      });
    }
    this.#overlay.finish();
    for (const [number, kept] of this.#kept) {
      const page = new Reference(number);
      file.put(
        page,
        file
          .dictionary(page)!
          .clone()
          .set("Annots", kept.length > 0 ? kept : null),
      );
    }
    structure.finish();
    const fields = this.#covered.filter(({ type }) => type === "Widget");
    removeFields(file, new Set(fields.map(({ value }) => numberOf(value))));
  }

  notices(): readonly Notice[] {
    const isDrawn = this.#chosen.some(({ appearance }) => appearance);
    const isFalse = (family: string) => this.#hasMade || (isDrawn && ["PDF/X", "PDF/VT"].includes(family));
    const pagesOf = (areFields: boolean) =>
      this.#covered
        .filter(({ type }) => (type === "Widget") === areFields)
        .map(({ page }) => ({ name: String(page.index + 1) }));
    return [
      ...namedNotices("fields-drawn", pagesOf(true)),
      ...namedNotices("annotations-drawn", pagesOf(false)),
      ...namedNotices("attachments-removed", this.#lostFiles()),
      ...countedNotices("characters-missing", this.#incomplete),
      ...countedNotices("multimedia-removed", this.#chosen.filter(({ type }) => MULTIMEDIA.has(type)).length),
      ...withdrawClaims(this.#file, isFalse),
    ];
  }

  #annotationsOf(page: SourcePage): readonly Annotation[] {
    const file = this.#file;
    const dictionary = pageDictionary(file, page);
    const values = file.array(dictionary.get("Annots"));
    if (!values) return [];
    const turns = quarterTurns(file, dictionary);
    const listed = values.flatMap((value): Annotation[] => {
      const own = file.dictionary(value);
      if (!own) return [];
      const type = file.name(own.get("Subtype")) ?? "";
      const isVisible = type !== "Popup" && !isHiddenOnScreen(type, file.number(own.get("F")) ?? 0);
      return [{ page, turns, value, dictionary: own, type, isVisible, appearance: undefined }];
    });
    const covered = coveredAnnotations(file, listed, this.#choice.isChosen);
    for (const one of covered) this.#covered.push(one);
    const numbers = new Set([...covered].map(({ value }) => numberOf(value)));
    const isPopup = ({ type, dictionary }: Annotation) =>
      type === "Popup" && numbers.has(numberOf(dictionary.get("Parent")) || -1);
    const isDrawn = (one: Annotation) => this.#choice.isChosen(one.type) || covered.has(one) || isPopup(one);
    const found = listed.filter(isDrawn);
    const kept = listed.filter((one) => !isDrawn(one)).map(({ value }) => value);
    file.budget.charge(found.length * ANNOTATION_BYTES);
    if (kept.length < values.length) this.#kept.set(page.reference.number, kept);
    for (const one of found) this.#chosen.push(one);
    return found;
  }

  /** An appearance stays if a new one would lack characters. */
  #dress(annotation: Annotation, fields: FieldDrawer, isBare: boolean): void {
    fields.draw(annotation.dictionary, (made) => {
      if (!made || !(made.isComplete || isBare)) return;
      if (!made.isComplete) this.#incomplete++;
      this.#hasMade = true;
      annotation.dictionary = withAppearance(annotation.dictionary, made);
      annotation.appearance = shownAppearance(this.#file, annotation.dictionary);
    });
  }

  /**
   * Makes an appearance usable as an XObject: viewers draw appearances even if Subtype is missing. Removes a group that
   * changes nothing because it is neither isolated nor knockout (11.4.1): poppler ignores the group of an appearance,
   * but composes that of a form against white, so that a highlight would cover its text.
   * @returns a copy, because other content can draw the appearance, too
   */
  #asForm(appearance: Reference): Reference {
    const known = this.#forms.get(appearance.number);
    if (known) return known;
    const file = this.#file;
    const { dictionary, body } = file.stream(appearance)!;
    const group = file.dictionary(dictionary.get("Group"));
    const isPlain = group && !["I", "K"].some((key) => file.boolean(group.get(key)));
    let form = appearance;
    if (isPlain || file.name(dictionary.get("Subtype")) !== "Form") {
      const entries = dictionary.clone().set("Type", Name.of("XObject")).set("Subtype", Name.of("Form"));
      if (isPlain) entries.delete("Group");
      form = file.add(new PdfStream(entries, body));
    }
    this.#forms.set(appearance.number, form);
    return form;
  }

  /** Viewers multiply a highlight with its text, unless its appearance sets a graphics state. */
  #stateOf({ type, appearance }: Annotation): Reference | undefined {
    const file = this.#file;
    const resources = appearance && file.dictionary(file.stream(appearance)?.dictionary.get("Resources"));
    if (type !== "Highlight" || file.dictionary(resources?.get("ExtGState"))) return undefined;
    this.#hasMade = true;
    this.#multiply ??= file.add(Dictionary.of({ BM: Name.of("Multiply") }));
    return this.#multiply;
  }

  /** Describes a former field for assistive technology (14.8.5.6). */
  #attributesOf({ type, dictionary }: Annotation): Dictionary | undefined {
    if (type !== "Widget") return undefined;
    const widget = new Widget(this.#file, this.#form, dictionary);
    const isButton = widget.type === "Btn";
    const role = !isButton ? "tv" : widget.has("push") ? "pb" : widget.has("radio") ? "rb" : "cb";
    const isOn = (this.#file.name(dictionary.get("AS")) ?? "Off") !== "Off";
    const description = this.#file.string(widget.inherited("TU"));
    return Dictionary.of({
      O: Name.of("PrintField"),
      Role: Name.of(role),
      ...(isButton && role !== "pb" ? { checked: Name.of(isOn ? "on" : "off") } : {}),
      ...(description ? { Desc: description } : {}),
    });
  }

  /**
   * Returns the files that only annotations contained. A file that the document lists, too, stays, and is associated
   * with the document instead of the annotation (ISO 32000-2, 14.13).
   */
  #lostFiles(): readonly { readonly name: string }[] {
    const file = this.#file;
    const names = file.dictionary(file.catalog.get("Names"));
    const listed = new Set([...readNameTree(file, names?.get("EmbeddedFiles")).values()].map(numberOf));
    const associated = new Map((file.array(file.catalog.get("AF")) ?? []).map((value) => [numberOf(value), value]));
    const { size } = associated;
    const lost = this.#chosen.flatMap(({ type, dictionary }) => {
      const value = dictionary.get("FS");
      if (type !== "FileAttachment" || value === undefined) return [];
      if (!listed.has(numberOf(value))) return [{ name: specifiedName(file, value) }];
      if (dictionary.has("AF")) associated.set(numberOf(value), value);
      return [];
    });
    if (associated.size > size) file.catalog = file.catalog.clone().set("AF", [...associated.values()]);
    return lost;
  }
}

const numberOf = (value: Value | undefined): number => (value instanceof Reference ? value.number : 0);

/** Turns an annotation with the flag NoRotate about its upper left corner, so that it is upright on a rotated page. */
function upright(file: PdfFile, annotation: Dictionary, matrix: Matrix, turns: number): Matrix {
  const box = readBox(file, annotation.get("Rect"));
  if (turns === 0 || !box || ((file.number(annotation.get("F")) ?? 0) & NO_ROTATE) === 0) return matrix;
  const [left, , , top] = box;
  const turned = multiply(multiply(matrix, [1, 0, 0, 1, -left, -top]), TURNS[turns]!);
  return multiply(turned, [1, 0, 0, 1, left, top]);
}
