// Reads name trees and number trees of any shape (ISO 32000-1, 7.9.6 and 7.9.7), and writes sorted, balanced trees.
import type { PdfFile } from "./pdf-file.ts";
import { Dictionary, PdfString, Reference, type Value } from "./values.ts";

/** Number of entries per leaf, and of children per node. */
const NODE_ENTRIES = 64;
/** Maximum number of nodes to read. */
const MAX_NODES = 1_000_000;

/** @returns the values by the bytes of their names, in tree order; if names are equal, the first entry wins */
export function readNameTree(file: PdfFile, root: Value | undefined): Map<string, Value> {
  const entries = new Map<string, Value>();
  for (const [key, value] of leaves(file, root, "Names")) {
    const name = file.string(key)?.latin1;
    if (name !== undefined && !entries.has(name)) entries.set(name, value);
  }
  return entries;
}

/** @returns the values by number; if numbers are equal, the first entry wins */
export function readNumberTree(file: PdfFile, root: Value | undefined): Map<number, Value> {
  const entries = new Map<number, Value>();
  for (const [key, value] of leaves(file, root, "Nums")) {
    const number = file.number(key);
    if (number !== undefined && Number.isInteger(number) && !entries.has(number)) entries.set(number, value);
  }
  return entries;
}

function* leaves(file: PdfFile, root: Value | undefined, kind: "Names" | "Nums"): Generator<[Value, Value]> {
  const seen = new Set<number>();
  const waiting: (Value | undefined)[] = [root];
  for (let nodes = 0; waiting.length > 0 && nodes < MAX_NODES; nodes++) {
    const next = waiting.pop();
    if (next instanceof Reference) {
      if (seen.has(next.number)) continue;
      seen.add(next.number);
    }
    const node = file.dictionary(next);
    if (!node) continue;
    const leaf = file.array(node.get(kind)) ?? [];
    for (let index = 0; index + 1 < leaf.length; index += 2) yield [leaf[index]!, leaf[index + 1]!];
    const kids = file.array(node.get("Kids")) ?? [];
    for (let index = kids.length - 1; index >= 0; index--) waiting.push(kids[index]);
  }
}

/**
 * @param entries values of the target, by the bytes of their names
 * @returns a reference to the root
 */
export function writeNameTree(target: PdfFile, entries: ReadonlyMap<string, Value>): Reference {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return write(
    target,
    "Names",
    sorted.map(([name, value]) => [PdfString.ofLatin1(name), value]),
  );
}

/** @returns a reference to the root */
export function writeNumberTree(target: PdfFile, entries: ReadonlyMap<number, Value>): Reference {
  const sorted = [...entries].sort(([a], [b]) => a - b);
  return write(target, "Nums", sorted);
}

interface Node {
  readonly dictionary: Dictionary;
  readonly first: Value;
  readonly last: Value;
}

function write(target: PdfFile, kind: "Names" | "Nums", entries: readonly (readonly [Value, Value])[]): Reference {
  if (entries.length <= NODE_ENTRIES) return target.add(Dictionary.of({ [kind]: entries.flat() }));
  let nodes: Node[] = groups(entries).map((group) => ({
    dictionary: Dictionary.of({ [kind]: group.flat() }),
    first: group[0]![0],
    last: group.at(-1)![0],
  }));
  while (nodes.length > 1) {
    nodes = groups(nodes).map((group) => {
      const kids = group.map(({ dictionary, first, last }) => target.add(dictionary.set("Limits", [first, last])));
      return { dictionary: Dictionary.of({ Kids: kids }), first: group[0]!.first, last: group.at(-1)!.last };
    });
  }
  return target.add(nodes[0]!.dictionary);
}

function groups<T>(items: readonly T[]): T[][] {
  const result: T[][] = [];
  for (let start = 0; start < items.length; start += NODE_ENTRIES)
    result.push(items.slice(start, start + NODE_ENTRIES));
  return result;
}
