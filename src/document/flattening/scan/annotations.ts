// Flattens annotation appearances (ISO 32000-1, 12.5.5). Replaces a transparent appearance by an image of its effect on
// the page.

import { appearanceMatrix, readBox } from "../../content/boxes.ts";
import { applyEdits } from "../../content/edits.ts";
import type { Box, Matrix } from "../../content/matrix.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, Reference, type Value } from "../../objects/values.ts";
import { isHiddenOnScreen } from "../../visibility/annotation-flags.ts";
import { wrapInSaveRestore } from "../edits.ts";
import { matrixText } from "../final-content.ts";
import { type PageJob, regionsOf } from "../flatten-page.ts";
import { PageTooComplex } from "../page-too-complex.ts";
import { imageStream } from "../paint/add-image.ts";
import type { PageVariant } from "../paint/offscreen-document.ts";
import type { Regions } from "../regions.ts";
import { NameAllocator } from "../resource-names.ts";
import { ColorUse } from "./color-use.ts";
import { scanContent } from "./scan.ts";
import { TextOnly } from "./text-only.ts";
import type { TransparencyFinder } from "./transparency.ts";

const MAX_ANNOTATIONS = 5_000;

interface Appearance {
  readonly form: Reference;
  /** Matrix from form space to page space (algorithm 8.1). */
  readonly matrix: Matrix;
  readonly box: Box;
}

/** Reports whether any appearance of the annotation is transparent. */
export function isTransparentAnnotation(file: PdfFile, transparency: TransparencyFinder, annotation: Value): boolean {
  return streamsIn(file, file.dictionary(annotation)?.get("AP")).some((form) => transparency.inObject(form));
}

/** @returns the page's annotations with new appearances; undefined if all are opaque */
export async function flattenAnnotations(
  job: PageJob,
  page: Dictionary,
  resources: Dictionary | undefined,
  bytes: Uint8Array,
): Promise<Value[] | undefined> {
  const { file, transparency, stage } = job;
  const all = (file.array(page.get("Annots")) ?? []).slice(0, MAX_ANNOTATIONS);
  const isTransparent = (value: Value) => isTransparentAnnotation(file, transparency, value);
  if (!all.some(isTransparent)) return undefined;
  const colors = new ColorUse(file);
  const objects = file.dictionary(resources?.get("XObject"));
  const states = file.dictionary(resources?.get("ExtGState"));
  await stage.show({ page, resources, objects, states, hasTilings: true });
  const base = background(job, resources, bytes, colors);
  const regions = regionsOf(job, page, colors);
  const stack = new AppearanceStack(job, { resources, base, regions, names: new NameAllocator("FlAnnot", objects) });

  const changed = new Map<number, Value>();
  all.forEach((value, index) => {
    job.signal.throwIfAborted();
    const annotation = file.dictionary(value);
    if (!annotation) return;
    const current = currentAppearance(file, annotation);
    const placed = current && placedBy(file, annotation, current);
    if (isTransparent(value)) {
      const appearances = replaced(file, annotation.get("AP"), (form) => {
        const appearance = transparency.inObject(form) ? placedBy(file, annotation, form) : undefined;
        return appearance ? stack.flatten(appearance) : form;
      });
      const copy = annotation.clone().set("AP", appearances);
      if (value instanceof Reference) file.put(value, copy);
      else changed.set(index, copy);
    }
    if (placed && isSeen(file, annotation)) stack.add(placed);
  });
  return changed.size === 0
    ? undefined
    : (file.array(page.get("Annots")) ?? []).map((value, index) => changed.get(index) ?? value);
}

interface AnnotatedPage {
  readonly resources: Dictionary | undefined;
  /** The page's content with all graphics states restored. */
  readonly base: Uint8Array;
  readonly regions: Regions;
  readonly names: NameAllocator;
}

/** The appearances of a page's annotations. Each is drawn over the page and the earlier appearances. */
class AppearanceStack {
  readonly #job: PageJob;
  readonly #page: AnnotatedPage;
  readonly #textOnly: TextOnly;
  readonly #forms = new Map<string, Reference>();
  #below = "";

  constructor(job: PageJob, page: AnnotatedPage) {
    const { file, transparency } = job;
    this.#job = job;
    this.#page = page;
    this.#textOnly = new TextOnly(file, { file, transparency, colors: new ColorUse(file), budget: file.budget });
  }

  add(appearance: Appearance): void {
    this.#below += this.#show(appearance);
  }

  /** Returns an opaque appearance: images that show the effect of the given appearance, and its text, invisible. */
  flatten(appearance: Appearance): Reference {
    const { regions, resources } = this.#page;
    using after = this.#withText(this.#below + this.#show(appearance));
    using before = this.#withText(this.#below);
    const changed = regions.changed(regions.coarse(after), regions.coarse(before), undefined);
    const pictures = changed ? regions.pictures(after, before, changed, undefined) : [];
    const text = this.#textOnly.form(appearance.form, resources);
    const used = new Dictionary();
    let content = "";
    for (const { image, matrix } of pictures) {
      const name = `P${used.size}`;
      used.set(name, image);
      content += `q ${matrixText(matrix)} cm /${name} Do Q\n`;
    }
    if (text) {
      used.set("T", text);
      content += `q ${matrixText(appearance.matrix)} cm /T Do Q\n`;
    }
    const dictionary = Dictionary.of({
      Type: Name.of("XObject"),
      Subtype: Name.of("Form"),
      BBox: [...appearance.box],
      // Without an ExtGState, some viewers draw a default highlight.
      Resources: Dictionary.of({ XObject: used, ExtGState: Dictionary.of({ G0: Dictionary.of({ SA: true }) }) }),
    });
    return this.#job.file.add(imageStream(dictionary, new Uint8Array(Buffer.from(content, "latin1"))));
  }

  #show({ form, matrix }: Appearance): string {
    const name = this.#page.names.next();
    this.#forms.set(name, form);
    return `q ${matrixText(matrix)} cm /${name} Do Q\n`;
  }

  #withText(text: string): PageVariant {
    const content = Buffer.concat([this.#page.base, Buffer.from(text, "latin1")]);
    return this.#job.stage.variant(new Uint8Array(content), this.#forms);
  }
}

function isSeen(file: PdfFile, annotation: Dictionary): boolean {
  const subtype = file.name(annotation.get("Subtype")) ?? "";
  return subtype !== "Popup" && !isHiddenOnScreen(subtype, file.number(annotation.get("F")) ?? 0);
}

/** Returns the page's content enclosed in `q` and `Q`. */
function background(
  { file, transparency }: PageJob,
  resources: Dictionary | undefined,
  bytes: Uint8Array,
  colors: ColorUse,
): Uint8Array {
  try {
    const options = { file, transparency, colors, budget: file.budget, splitsFills: false };
    const { root, chargedBytes } = scanContent(bytes, resources, options);
    file.budget.release(chargedBytes);
    return applyEdits(bytes, wrapInSaveRestore(root), bytes.length);
  } catch (error) {
    if (error instanceof PageTooComplex)
      return new Uint8Array(Buffer.concat([Buffer.from("q\n"), bytes, Buffer.from("\nQ\n")]));
    throw error;
  }
}

/** Returns references to all streams of an appearance dictionary: normal, rollover and down, in all states. */
function streamsIn(file: PdfFile, appearances: Value | undefined): Reference[] {
  const found: Reference[] = [];
  for (const value of file.dictionary(appearances)?.values() ?? []) {
    const object = file.resolve(value);
    for (const one of object instanceof Dictionary ? object.values() : [value]) {
      if (one instanceof Reference && file.stream(one)) found.push(one);
    }
  }
  return found;
}

function replaced(file: PdfFile, appearances: Value | undefined, make: (form: Reference) => Value): Dictionary {
  const made = new Map<number, Value>();
  const once = (value: Value): Value => {
    if (!(value instanceof Reference) || !file.stream(value)) return value;
    const known = made.get(value.number) ?? make(value);
    made.set(value.number, known);
    return known;
  };
  const result = new Dictionary();
  for (const [key, value] of file.dictionary(appearances) ?? []) {
    const object = file.resolve(value);
    if (!(object instanceof Dictionary)) {
      result.set(key, once(value));
      continue;
    }
    const states = new Dictionary();
    for (const [state, form] of object) states.set(state, once(form));
    result.set(key, states);
  }
  return result;
}

function currentAppearance(file: PdfFile, annotation: Dictionary): Reference | undefined {
  let normal = file.dictionary(annotation.get("AP"))?.get("N");
  if (!(file.resolve(normal) instanceof PdfStream)) {
    const state = file.name(annotation.get("AS"));
    normal = state === undefined ? undefined : file.dictionary(normal)?.get(state);
  }
  return normal instanceof Reference && file.stream(normal) ? normal : undefined;
}

function placedBy(file: PdfFile, annotation: Dictionary, form: Reference): Appearance | undefined {
  const dictionary = file.dictionary(form);
  const matrix = dictionary && appearanceMatrix(file, annotation, dictionary);
  return matrix && { form, box: readBox(file, annotation.get("Rect"))!, matrix };
}
