// Copies article threads (ISO 32000-1, 12.4.3), which lead readers through the columns of a magazine. Removes the beads
// of omitted pages from the ring of beads.

import { type Dictionary, Reference, type Value } from "../../objects/values.ts";
import type { AssemblyTarget, DocumentPart, InputSelection, SelectedPage } from "../assemble.ts";
import type { SourceDocument } from "../source-document.ts";

/** Maximum number of beads read, because the ring of a hostile file might not be closed. */
const MAX_BEADS = 200_000;

interface Thread {
  readonly reference: Reference;
  /** The beads in reading order, with their pages. */
  readonly beads: readonly { readonly reference: Reference; readonly page: Reference }[];
}

function findThreads(source: SourceDocument): readonly Thread[] {
  const { file } = source;
  const seen = new Set<number>();
  const threads: Thread[] = [];
  for (const reference of file.array(file.catalog.get("Threads")) ?? []) {
    if (!(reference instanceof Reference)) continue;
    const beads: { reference: Reference; page: Reference }[] = [];
    let bead = file.dictionary(reference)?.get("F");
    while (bead instanceof Reference && !seen.has(bead.number) && seen.size < MAX_BEADS) {
      seen.add(bead.number);
      const dictionary = file.dictionary(bead);
      const page = dictionary?.get("P");
      if (page instanceof Reference && source.isPage(page.number)) beads.push({ reference: bead, page });
      bead = dictionary?.get("N");
    }
    threads.push({ reference, beads });
  }
  return threads;
}

export class Threads implements DocumentPart {
  readonly #written: Value[] = [];
  #kept: Thread[] = [];

  open({ source, copier, copiesOf, result }: InputSelection): void {
    this.#kept = [];
    for (const { reference, beads } of source.once(findThreads)) {
      const isTaken = ({ page }: { page: Reference }) => copiesOf(page).length > 0;
      const kept = beads.filter(isTaken);
      for (const bead of beads) copier.seed(bead.reference, isTaken(bead) ? result.file.reserve() : null);
      copier.seed(reference, kept.length > 0 ? result.file.reserve() : null);
      if (kept.length > 0) this.#kept.push({ reference, beads: kept });
    }
  }

  /** Keeps beads only on the first copy of a page, because a bead belongs to one page. */
  page(page: Dictionary, { source: origin, repeat }: SelectedPage, { source, copier }: InputSelection): void {
    const beads = source.file.array(source.file.dictionary(origin)?.get("B"));
    const kept = beads?.filter((bead) => bead instanceof Reference && copier.targetOf(bead));
    if (repeat === 0 && kept && kept.length > 0) page.set("B", kept);
    else page.delete("B");
  }

  close({ source, copier, result }: InputSelection): void {
    const { file } = result;
    for (const { reference, beads } of this.#kept) {
      const targets = beads.map((bead) => copier.targetOf(bead.reference)!);
      const thread = copier.targetOf(reference)!;
      beads.forEach((bead, index) => {
        const dictionary = source.file.dictionary(bead.reference)!.clone();
        for (const key of ["T", "N", "V"]) dictionary.delete(key);
        const copy = copier.dictionary(dictionary);
        if (index === 0) copy.set("T", thread);
        copy.set("N", targets[(index + 1) % targets.length]!);
        copy.set("V", targets.at(index - 1)!);
        file.put(targets[index]!, copy);
      });
      const dictionary = source.file.dictionary(reference)!.clone();
      dictionary.delete("F");
      file.put(thread, copier.dictionary(dictionary).set("F", targets[0]!));
      this.#written.push(thread);
    }
  }

  finish({ file, catalog }: AssemblyTarget): void {
    if (this.#written.length > 0) catalog.set("Threads", file.add(this.#written));
  }
}
