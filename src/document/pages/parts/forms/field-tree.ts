// Reads the form fields of a source (ISO 32000-1, 12.7.3) as one tree. Each node is a field, a widget, or both.
import type { PdfFile } from "../../../objects/pdf-file.ts";
import { decodeTextString } from "../../../objects/text-strings.ts";
import { Dictionary, Reference, type Value } from "../../../objects/values.ts";
import type { SourceDocument } from "../../source-document.ts";
import { findAnnotations } from "../annotation-index.ts";

/** Approximate memory per node. */
const NODE_BYTES = 200;
/** Maximum number of levels of a fully qualified name. */
const MAX_LEVELS = 64;

export interface FieldNode {
  readonly index: number;
  readonly reference: Reference;
  /** Index of the parent node, -1 for a root. */
  readonly parent: number;
  readonly kids: number[];
  /** True for a root or a node with a partial name; false for a mere widget. */
  readonly isField: boolean;
  readonly isWidget: boolean;
  /** The FT entry of the field, or of its nearest ancestor with FT. */
  readonly type: string | undefined;
  /** The partial name as text. */
  readonly name: string | undefined;
  /** False if the root of this node is missing from the form's Fields and was found through a widget. */
  readonly isListed: boolean;
  /** True if a page lists the node as an annotation. */
  readonly isOnPage: boolean;
}

export interface FieldTree {
  /** The AcroForm dictionary; empty if the document has widgets without a form. */
  readonly form: Dictionary;
  /** The nodes, parents first. */
  readonly nodes: readonly FieldNode[];
  readonly byNumber: ReadonlyMap<number, FieldNode>;
}

/** @returns undefined if the document has neither a form nor widgets. Some writers create widgets without a form. */
export function findFields(source: SourceDocument): FieldTree | undefined {
  const { file } = source;
  const own = file.dictionary(file.catalog.get("AcroForm"));
  if (!own && source.once(findAnnotations).widgets.length === 0) return undefined;
  const form = own ?? new Dictionary();
  const reader = new Reader(source);
  reader.read(
    (file.array(form.get("Fields")) ?? []).map((value) => value ?? null),
    true,
  );
  for (const number of source.once(findAnnotations).widgets) {
    if (!reader.byNumber.has(number)) reader.read([topOf(file, number)], false);
  }
  return { form, nodes: reader.nodes, byNumber: reader.byNumber };
}

/** Returns the topmost field above a widget. */
function topOf(file: PdfFile, number: number): Reference {
  let top = new Reference(number);
  const seen = new Set([number]);
  for (;;) {
    const parent = file.dictionary(top)?.get("Parent");
    if (!(parent instanceof Reference) || seen.has(parent.number) || !file.dictionary(parent)) return top;
    seen.add(parent.number);
    top = parent;
  }
}

class Reader {
  readonly nodes: FieldNode[] = [];
  readonly byNumber = new Map<number, FieldNode>();
  readonly #source: SourceDocument;

  constructor(source: SourceDocument) {
    this.#source = source;
  }

  read(roots: readonly Value[], isListed: boolean): void {
    const { file } = this.#source;
    const waiting = roots.map((value) => ({ value, parent: -1 })).reverse();
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const dictionary = file.dictionary(next.value);
      if (!dictionary || this.#source.isPage(numberOf(next.value))) continue;
      // Widgets and fields refer to each other, so direct objects must become indirect.
      const reference = next.value instanceof Reference ? next.value : file.add(dictionary);
      if (this.byNumber.has(reference.number)) continue;
      const node = this.#add(reference, dictionary, next.parent, isListed);
      const kids = file.array(dictionary.get("Kids")) ?? [];
      for (let index = kids.length - 1; index >= 0; index--) {
        waiting.push({ value: kids[index]!, parent: node.index });
      }
    }
  }

  #add(reference: Reference, dictionary: Dictionary, parent: number, isListed: boolean): FieldNode {
    const { file } = this.#source;
    const title = file.string(dictionary.get("T"));
    const isOnPage = this.#source.once(findAnnotations).pages.has(reference.number);
    const node: FieldNode = {
      index: this.nodes.length,
      reference,
      parent,
      kids: [],
      isField: parent < 0 || title !== undefined,
      isWidget: isOnPage || file.name(dictionary.get("Subtype")) === "Widget",
      type: file.name(dictionary.get("FT")) ?? this.nodes[parent]?.type,
      name: title && decodeTextString(title),
      isListed,
      isOnPage,
    };
    file.budget.charge(NODE_BYTES);
    this.nodes.push(node);
    this.byNumber.set(reference.number, node);
    this.nodes[parent]?.kids.push(node.index);
    return node;
  }
}

const numberOf = (value: Value) => (value instanceof Reference ? value.number : 0);

/** Returns the fully qualified name (12.7.3.2). Undefined if no level has a name. */
export function fullName(tree: FieldTree, node: FieldNode): string | undefined {
  const parts: string[] = [];
  let at: FieldNode | undefined = node;
  for (let level = 0; at && level < MAX_LEVELS; level++) {
    if (at.name !== undefined) parts.unshift(at.name);
    at = tree.nodes[at.parent];
  }
  return parts.length > 0 ? parts.join(".") : undefined;
}
