// The value of a form field in a file of form data.

export interface FieldValue {
  /** The fully qualified name (ISO 32000-1, 12.7.3.2). */
  readonly name: string;
  /** The text, the state of a button, or the chosen options. Undefined if the data has no value for the field. */
  readonly value: string | readonly string[] | undefined;
  /** The value as XHTML (12.7.3.4). @default the value is plain text */
  readonly richText?: string;
  /** True for the state of a button, which is a name and no text. @default false */
  readonly isState?: boolean;
}

export const listOf = (value: FieldValue["value"]): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

/** A node of a tree of names: a field, or a parent of fields. */
export interface NamedNode {
  readonly name: string;
  field?: FieldValue;
  readonly children: Map<string, NamedNode>;
}

/** Returns the values as a tree of partial names. */
export function treeOf(values: readonly FieldValue[]): NamedNode {
  const root: NamedNode = { name: "", children: new Map() };
  for (const field of values) {
    let node = root;
    for (const name of field.name.split(".")) {
      const child: NamedNode = node.children.get(name) ?? { name, children: new Map() };
      node.children.set(name, child);
      node = child;
    }
    node.field = field;
  }
  return root;
}

/** Separates the partial names of a fully qualified name. */
export const joinNames = (...names: readonly string[]): string => names.filter((name) => name !== "").join(".");
