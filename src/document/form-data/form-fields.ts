// Lists the fields of a form that have values (ISO 32000-1, 12.7.3 and 12.7.4), and reads their values.
import { readText, Widget } from "../forms/widget.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary, Reference } from "../objects/values.ts";
import { type FieldNode, type FieldTree, findFields, fullName } from "../pages/parts/forms/field-tree.ts";
import type { SourceDocument } from "../pages/source-document.ts";
import type { FieldValue } from "./field-value.ts";

export interface FormField {
  /** The fully qualified name (12.7.3.2). */
  readonly name: string;
  readonly kind: "text" | "choice" | "button";
  readonly reference: Reference;
  /** The widgets. The field itself is the widget if it has no others. */
  readonly widgets: readonly Reference[];
}

export interface Form {
  readonly file: PdfFile;
  readonly dictionary: Dictionary;
  /** The fields in the order of the form, without push buttons and signatures. Several fields can have one name. */
  readonly fields: readonly FormField[];
}

export const OFF = "Off";

/** @returns undefined if the document has no form */
export function readForm(source: SourceDocument): Form | undefined {
  const tree = findFields(source);
  if (!tree) return undefined;
  const { file } = source;
  return { file, dictionary: tree.form, fields: tree.nodes.flatMap((node) => fieldOf(file, tree, node) ?? []) };
}

function fieldOf(file: PdfFile, tree: FieldTree, node: FieldNode): FormField | undefined {
  const kids = node.kids.map((index) => tree.nodes[index]!);
  if (!node.isField || kids.some(({ isField }) => isField)) return undefined;
  const name = fullName(tree, node);
  const kind = kindOf(new Widget(file, tree.form, file.dictionary(node.reference)!));
  if (name === undefined || kind === undefined) return undefined;
  return { name, kind, reference: node.reference, widgets: widgetsBelow(tree, node) };
}

/** Returns the widgets in their order. Some writers put them below nodes that are neither fields nor widgets. */
function widgetsBelow(tree: FieldTree, field: FieldNode): readonly Reference[] {
  const widgets: Reference[] = [];
  const waiting = [field];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.kids.length === 0) widgets.push(node.reference);
    for (const index of node.kids.toReversed()) waiting.push(tree.nodes[index]!);
  }
  return widgets;
}

function kindOf(widget: Widget): FormField["kind"] | undefined {
  if (widget.type === "Tx") return "text";
  if (widget.type === "Ch") return "choice";
  return widget.type === "Btn" && !widget.has("push") ? "button" : undefined;
}

export const widgetOf = ({ file, dictionary }: Form, reference: Reference): Widget =>
  new Widget(file, dictionary, file.dictionary(reference)!);

/** Returns the values of all fields. Fields with one name have one value. */
export function readValues(form: Form): FieldValue[] {
  const values = new Map<string, FieldValue>();
  for (const field of form.fields) if (!values.has(field.name)) values.set(field.name, fieldValue(form, field));
  return [...values.values()];
}

function fieldValue(form: Form, { name, kind, reference }: FormField): FieldValue {
  const { file } = form;
  const widget = widgetOf(form, reference);
  const value = widget.inherited("V");
  if (kind === "button") return { name, value: file.name(value) ?? readText(file, value) ?? OFF, isState: true };
  const several = kind === "choice" ? file.array(value) : undefined;
  if (several) return { name, value: several.map((one) => readText(file, one) ?? file.name(one) ?? "") };
  const richText = widget.has("richText") ? readText(file, widget.inherited("RV")) : undefined;
  const text = readText(file, value) ?? file.name(value);
  return { name, value: text, ...(richText === undefined ? {} : { richText }) };
}

/** Returns the states of a check box or radio button in which it is on: the names of its appearances. */
export function onStates(file: PdfFile, widget: Dictionary): readonly string[] {
  const normal = file.dictionary(file.dictionary(widget.get("AP"))?.get("N"));
  return [...(normal?.keys() ?? [])].filter((state) => state !== OFF);
}
