// Copies the files attached to the document (ISO 32000-1, 7.11.4, and ISO 32000-2, 14.13). Files attached to a page are
// copied with that page.

import { decodeTextString, encodeTextString } from "../../objects/text-strings.ts";
import { readNameTree, writeNameTree } from "../../objects/trees.ts";
import { PdfString, Reference, type Value } from "../../objects/values.ts";
import type { AssemblyTarget, DocumentPart, InputSelection } from "../assemble.ts";
import { uniqueFileNames } from "../attached-files.ts";
import type { SourceDocument } from "../source-document.ts";
import { annotationsOf } from "./annotation-index.ts";
import { namesOf } from "./catalog-entries.ts";

interface Attached {
  readonly named: ReadonlyMap<string, Value>;
  /** The pages that refer to a file, directly or by an annotation, by object number of the file specification. */
  readonly pages: ReadonlyMap<number, readonly Reference[]>;
}

function findAttached(source: SourceDocument): Attached {
  const { file } = source;
  const named = readNameTree(file, file.dictionary(file.catalog.get("Names"))?.get("EmbeddedFiles"));
  const pages = new Map<number, Reference[]>();
  if (named.size === 0) return { named, pages };
  for (const { reference: page } of source.pages) {
    const holders = [page, ...annotationsOf(source, page)].map((holder) => file.dictionary(holder));
    for (const holder of holders) {
      for (const value of [...(file.array(holder?.get("AF")) ?? []), holder?.get("FS")]) {
        if (!(value instanceof Reference)) continue;
        const known = pages.get(value.number);
        if (known) known.push(page);
        else pages.set(value.number, [page]);
      }
    }
  }
  return { named, pages };
}

export class Attachments implements DocumentPart {
  readonly #names = uniqueFileNames();
  readonly #written = new Map<string, Value>();
  readonly #associated: Value[] = [];

  close({ source, copier, copiesOf }: InputSelection): void {
    const { file } = source;
    const { named, pages } = source.once(findAttached);
    /** Reports whether a file is kept. Files that no page refers to belong to the whole document. */
    const stays = (value: Value) => {
      const own = value instanceof Reference ? pages.get(value.number) : undefined;
      return !own || own.some((page) => copiesOf(page).length > 0);
    };
    for (const [key, value] of named) {
      if (!file.dictionary(value) || !stays(value)) continue;
      const name = decodeTextString(PdfString.ofLatin1(key));
      const result = this.#names.take(name);
      this.#written.set(result === name ? key : encodeTextString(result).latin1, copier.value(value));
    }
    for (const value of file.array(file.catalog.get("AF")) ?? []) {
      if (stays(value)) this.#associated.push(copier.value(value));
    }
  }

  finish(result: AssemblyTarget): void {
    if (this.#written.size > 0) namesOf(result).set("EmbeddedFiles", writeNameTree(result.file, this.#written));
    if (this.#associated.length > 0) result.catalog.set("AF", this.#associated);
  }
}
