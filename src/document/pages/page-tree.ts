// Builds page trees (ISO 32000-1, 7.7.3), and copies pages that occur repeatedly in a tree.
import type { PdfFile } from "../objects/pdf-file.ts";
import { readNumberTree, writeNumberTree } from "../objects/trees.ts";
import { Dictionary, Name, Reference, type Value } from "../objects/values.ts";
import { mediaBox } from "./page-size.ts";
import { pageDictionary, readPages, type SourcePage } from "./pages.ts";

/** Maximum number of kids per node. Viewers find one of thousands of pages faster in a tree than in a list. */
const FAN_OUT = 64;

/**
 * Adds the nodes for a list of pages to the file, and sets the Parent of each page.
 * @returns the root
 */
export function putPageTree(file: PdfFile, pages: readonly Reference[]): Reference {
  let level = pages.map((reference) => ({ reference, count: 1 }));
  do {
    const above: typeof level = [];
    for (let from = 0; from < Math.max(1, level.length); from += FAN_OUT) {
      const kids = level.slice(from, from + FAN_OUT);
      const count = kids.reduce((sum, kid) => sum + kid.count, 0);
      const node = Dictionary.of({ Type: Name.of("Pages"), Kids: kids.map((kid) => kid.reference), Count: count });
      const reference = file.add(node);
      for (const kid of kids) file.dictionary(kid.reference)?.set("Parent", reference);
      above.push({ reference, count });
    }
    level = above;
  } while (level.length > 1);
  return level[0]!.reference;
}

/** Returns the pages, each as a separate object. If a page occurs repeatedly, copies it and rebuilds the tree. */
export function placesOf(file: PdfFile): readonly SourcePage[] {
  const { pages } = readPages(file);
  const taken = new Set<number>();
  const places = pages.map((page) => {
    const isRepeated = taken.size === taken.add(page.reference.number).size;
    return isRepeated ? { ...page, reference: file.add(completePage(file, page)) } : page;
  });
  if (taken.size === pages.length) return pages;
  for (const [index, page] of pages.entries()) file.put(places[index]!.reference, completePage(file, page));
  const catalog = file.catalog.clone();
  catalog.set(
    "Pages",
    putPageTree(
      file,
      places.map(({ reference }) => reference),
    ),
  );
  file.trailer.set("Root", file.add(catalog));
  return places;
}

/**
 * Inserts pages into the tree. Later pages keep their labels.
 * @param inserted new pages, by the object number of the page that they follow
 */
export function insertPages(file: PdfFile, inserted: ReadonlyMap<number, readonly Reference[]>): void {
  const { pages, nodes } = readPages(file);
  moveLabels(file, pages, inserted);
  const counts = new Map<number, number>();
  // A node precedes its kids, so that the counts of these are known first.
  for (const reference of nodes.toReversed()) {
    const node = file.dictionary(reference)!;
    const kids: Value[] = [];
    let count = 0;
    for (const kid of file.array(node.get("Kids")) ?? []) {
      const number = kid instanceof Reference ? kid.number : 0;
      const added = inserted.get(number) ?? [];
      kids.push(kid, ...added);
      for (const page of added) file.dictionary(page)!.set("Parent", reference);
      count += added.length + (counts.get(number) ?? 0);
    }
    if (count === 0) continue;
    counts.set(reference.number, count);
    file.put(
      reference,
      node
        .clone()
        .set("Kids", kids)
        .set("Count", (file.number(node.get("Count")) ?? 0) + count),
    );
  }
}

/** Moves the start of each range of labels (12.4.2) behind the pages inserted before it. */
function moveLabels(
  file: PdfFile,
  pages: readonly SourcePage[],
  inserted: ReadonlyMap<number, readonly Reference[]>,
): void {
  const labels = readNumberTree(file, file.catalog.get("PageLabels"));
  if (labels.size === 0) return;
  const starts = [0];
  for (const { reference } of pages) starts.push(starts.at(-1)! + 1 + (inserted.get(reference.number)?.length ?? 0));
  const moved = new Map([...labels].map(([index, label]) => [starts[index] ?? starts.at(-1)!, label]));
  file.catalog = file.catalog.clone().set("PageLabels", writeNumberTree(file, moved));
}

/** Returns a copy of a page with its inherited attributes and all required entries (table 30). */
export function completePage(file: PdfFile, page: SourcePage): Dictionary {
  const copy = pageDictionary(file, page);
  const parent = file.dictionary(page.reference)?.get("Parent");
  if (parent !== undefined) copy.set("Parent", parent);
  return copy.set("Type", Name.of("Page")).set("MediaBox", [...mediaBox(file, copy)]);
}
