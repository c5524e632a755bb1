// Builds a page tree for a list of pages (ISO 32000-1, 7.7.3). In the pages, only Parent changes.
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, type Reference } from "../objects/values.ts";

/** Maximum number of kids per node. Among thousands of pages, viewers find one faster in a tree than in a list. */
const FAN_OUT = 64;

/**
 * Adds the nodes to the file, and sets the Parent of each page.
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
