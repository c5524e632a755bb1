// Finds or makes the field that is signed (ISO 32000-2, 12.7.5.5), and changes as few objects as possible.
import { readBox } from "../content/boxes.ts";
import { type Box, boundsOf, type Matrix } from "../content/matrix.ts";
import { OutOfRange } from "../contract/failure.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { encodeTextString } from "../objects/text-strings.ts";
import { Dictionary, Name, Reference, type Value } from "../objects/values.ts";
import { shownSpace } from "../pages/page-size.ts";
import { pageDictionary, type SourcePage } from "../pages/pages.ts";
import { findAnnotations } from "../pages/parts/annotation-index.ts";
import { findFields, fullName } from "../pages/parts/forms/field-tree.ts";
import type { SourceDocument } from "../pages/source-document.ts";

/** A field to be signed. Its dictionaries are copies that can be changed until {@link SignedField.store}. */
export interface SignedField {
  /** Fully qualified name. */
  readonly name: string;
  readonly dictionary: Dictionary;
  /** The widgets and stamps with an area, each with its space on its page. */
  readonly shown: readonly ShownWidget[];
  /** True if the signature adds annotations that are not its field. @default false */
  readonly hasStamps?: boolean;
  store(): void;
}

export interface ShownWidget {
  readonly dictionary: Dictionary;
  /** Size as the page is shown, in points. */
  readonly width: number;
  readonly height: number;
  /** Maps the page as it is shown to default user space. */
  readonly space: Matrix;
}

/** A new field, by its place on the page as it is shown, in points from its lower left corner. */
export interface NewField {
  readonly name?: string | undefined;
  /**
   * Indexes of pages, from 0. The field has one widget (ISO 32000-2, 12.7.5.5), on the first of them; stamps repeat its
   * appearance on the others.
   */
  readonly pages: readonly number[];
  readonly box: Box;
}

/** Flags Print and Locked (table 167). */
const WIDGET_FLAGS = 4 + 128;
/** Flags SignaturesExist and AppendOnly (table 225). */
const SIGNATURE_FLAGS = 3;
const NAME = "signatureConfiguration.name";

/** @throws OutOfRange if the name cannot be that of a new field */
export function addField(document: SourceDocument, { name: wished, pages, box }: NewField): SignedField {
  const { file } = document;
  const tree = document.once(findFields);
  const names = new Set((tree?.nodes ?? []).map((node) => fullName(tree!, node)));
  if (wished !== undefined && names.has(wished)) {
    throw new OutOfRange(NAME, wished, "The document has a field with this name.");
  }
  // A period separates the names of a field and of its parent (12.7.4.2).
  if (wished?.includes(".")) throw new OutOfRange(NAME, wished, "The name must not contain a period.");
  const name = wished ?? freeName(names);
  const field = Dictionary.of({ FT: Name.of("Sig"), T: encodeTextString(name) });
  const reference = file.reserve();
  const [width, height] = [box[2] - box[0], box[3] - box[1]];
  const isShown = width > 0 && height > 0;
  const annotations = (isShown ? pages : pages.slice(0, 1)).map((index, at) => {
    const page = document.pages[index]!;
    const space = shownSpace(file, pageDictionary(file, page));
    const dictionary = at === 0 ? field : new Dictionary();
    dictionary.set("Type", Name.of("Annot")).set("Subtype", Name.of(at === 0 ? "Widget" : "Stamp"));
    dictionary
      .set("F", WIDGET_FLAGS)
      .set("P", page.reference)
      .set("Rect", [...boundsOf(space, box)]);
    return { page, dictionary, space, reference: at === 0 ? reference : file.reserve() };
  });
  return {
    ...{ name, dictionary: field, hasStamps: annotations.length > 1 },
    shown: isShown ? annotations.map((annotation) => ({ ...annotation, width, height })) : [],
    store() {
      for (const annotation of annotations) {
        file.put(annotation.reference, annotation.dictionary);
        addToPage(file, annotation.page, annotation.reference);
      }
      addToForm(file, [reference]);
    },
  };
}

function freeName(names: ReadonlySet<string | undefined>): string {
  for (let number = 1; ; number++) if (!names.has(`Signature${number}`)) return `Signature${number}`;
}

/**
 * Finds an unsigned field.
 * @param wished its name. @default the first one
 * @throws OutOfRange if there is none
 */
export function findField(document: SourceDocument, wished: string | undefined): SignedField {
  const { file } = document;
  const tree = document.once(findFields);
  const fields = (tree?.nodes ?? []).filter(
    // A field within another object cannot be replaced alone.
    ({ type, isField, reference }) => type === "Sig" && isField && !file.changes.has(reference.number),
  );
  const isSigned = ({ reference }: (typeof fields)[0]) => file.dictionary(file.dictionary(reference)?.get("V"));
  const named = wished === undefined ? fields : fields.filter((node) => fullName(tree!, node) === wished);
  const node = named.find((one) => !isSigned(one));
  if (!node) {
    if (wished === undefined) {
      throw new OutOfRange("signatureConfiguration.type", "existing", "The document has no unsigned signature field.");
    }
    const why = named.length > 0 ? "The field is signed already." : "The document has no signature field of this name.";
    throw new OutOfRange(NAME, wished, why);
  }
  const dictionary = file.dictionary(node.reference)!.clone();
  const kids = node.kids.map((kid) => tree!.nodes[kid]!).filter(({ isWidget }) => isWidget);
  const copies = kids.map(({ reference }) => ({ reference, dictionary: file.dictionary(reference)!.clone() }));
  const widgets = node.isWidget ? [{ reference: node.reference, dictionary }, ...copies] : copies;
  return {
    ...{ name: fullName(tree!, node) ?? "", dictionary },
    shown: widgets.flatMap((widget) => shownWidget(document, widget)),
    store() {
      for (const copy of copies) file.put(copy.reference, copy.dictionary);
      file.put(node.reference, dictionary);
      addToForm(file, []);
    },
  };
}

function shownWidget(
  document: SourceDocument,
  { reference, dictionary }: { readonly reference: Reference; readonly dictionary: Dictionary },
): readonly ShownWidget[] {
  const { file } = document;
  const page = document.once(findAnnotations).pages.get(reference.number);
  const index = page && document.pageIndex(page);
  const box = readBox(file, dictionary.get("Rect"));
  if (index === undefined || !box) return [];
  const space = shownSpace(file, pageDictionary(file, document.pages[index]!));
  const isTurned = space[0] === 0;
  const scale = Math.hypot(space[0], space[1]);
  const [across, up] = [(box[2] - box[0]) / scale, (box[3] - box[1]) / scale];
  if (across <= 0 || up <= 0) return [];
  return [{ dictionary, space, width: isTurned ? up : across, height: isTurned ? across : up }];
}

function addToPage(file: PdfFile, { reference }: SourcePage, widget: Reference): void {
  const page = file.dictionary(reference)!.clone();
  putArray(file, page, "Annots", widget);
  file.put(reference, page);
}

function addToForm(file: PdfFile, fields: readonly Reference[]): void {
  const catalog = file.catalog.clone();
  const value = catalog.get("AcroForm");
  const form = file.dictionary(value)?.clone() ?? Dictionary.of({ Fields: [] });
  for (const field of fields) putArray(file, form, "Fields", field);
  const flags = (file.number(form.get("SigFlags")) ?? 0) | SIGNATURE_FLAGS;
  form.set("SigFlags", flags);
  if (value instanceof Reference) file.put(value, form);
  else file.catalog = catalog.set("AcroForm", form);
}

/** Adds an element to an array, which can be an object of its own. */
function putArray(file: PdfFile, owner: Dictionary, key: string, added: Reference): void {
  const value = owner.get(key);
  const array: Value[] = [...(file.array(value) ?? []), added];
  if (value instanceof Reference && file.array(value)) file.put(value, array);
  else owner.set(key, array);
}
