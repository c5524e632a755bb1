// Removes matches from a document outside of what its pages show, and everything that cannot be searched.

import { countedNotices, type Notice } from "../contract/notice.ts";
import { withAppearance } from "../forms/field-appearance.ts";
import { FieldDrawer, type Put } from "../forms/field-drawer.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { decodeTextString } from "../objects/text-strings.ts";
import { readNameTree, writeNameTree } from "../objects/trees.ts";
import { type Dictionary, Reference, type Value } from "../objects/values.ts";
import { removeAttachments } from "../pages/attached-files.ts";
import type { SourcePage } from "../pages/pages.ts";
import { removeXfa } from "../pages/parts/forms/put-form.ts";
import { type Finder, REPLACEMENT } from "./expressions/expressions.ts";
import { shownStreams } from "./shown-streams.ts";
import { Sweep } from "./sweep/sweep.ts";

const MAX_PARENTS = 64;

export interface Cleaned {
  /** What the document loses besides the matches. */
  readonly notices: readonly Notice[];
  /** Names that matched, and have new names. */
  readonly names: ReadonlySet<string>;
}

/** Names that MuPDF and our own boxes give to resources. */
const GIVEN = /^(?:Form|Layer|[A-Za-z]{1,2})\d+x*$/;

export async function cleanDocument(
  file: PdfFile,
  pages: readonly SourcePage[],
  finder: Finder,
  signal: AbortSignal,
): Promise<Cleaned> {
  const attached = removeAttachments(file).length + removeAttachmentAnnotations(file, pages);
  const sweep = new Sweep(file, finder, shownStreams(file, pages), true);
  await sweep.run(signal);
  if (sweep.hasFormData) removeXfa(file);
  if (sweep.changed.size > 0) {
    sortNames(file);
    await renewFields(file, pages, sweep.changed, signal);
    hideCaptions(file, pages);
  }
  return {
    notices: [
      ...countedNotices("attachments-removed", attached),
      ...countedNotices("xfa-removed", Number(sweep.hasFormData)),
      ...countedNotices("undecodable-removed", sweep.undecodable),
    ],
    names: new Set([...sweep.names].filter((name) => !GIVEN.test(name))),
  };
}

/**
 * Returns the number of strings, streams and names with matches outside of what pages show.
 * @param names names to search for; @default those that match
 */
export async function countElsewhere(
  file: PdfFile,
  pages: readonly SourcePage[],
  finder: Finder,
  signal: AbortSignal,
  names?: ReadonlySet<string>,
): Promise<number> {
  const sweep = new Sweep(file, finder, shownStreams(file, pages), false, names);
  await sweep.run(signal);
  return sweep.count + sweep.names.size;
}

/** Changes a copy of an object that the file may hold. */
function change(file: PdfFile, value: Value | undefined, edit: (copy: Dictionary) => void): void {
  const copy = file.dictionary(value)?.clone();
  if (!copy || !(value instanceof Reference)) return;
  edit(copy);
  file.put(value, copy);
}

function removeAttachmentAnnotations(file: PdfFile, pages: readonly SourcePage[]): number {
  let count = 0;
  for (const { reference } of pages) {
    const annotations = file.array(file.dictionary(reference)?.get("Annots")) ?? [];
    const kept = annotations.filter((one) => file.name(file.dictionary(one)?.get("Subtype")) !== "FileAttachment");
    if (kept.length === annotations.length) continue;
    count += annotations.length - kept.length;
    change(file, reference, (page) => page.set("Annots", kept));
  }
  return count;
}

/** Sorts the name trees again, because some of their names are new (ISO 32000-1, 7.9.6). */
function sortNames(file: PdfFile): void {
  const names = file.dictionary(file.catalog.get("Names"));
  const structure = file.catalog.get("StructTreeRoot");
  const sorted = (tree: Value) => writeNameTree(file, readNameTree(file, tree));
  if (names) file.catalog = file.catalog.clone().set("Names", names.map(sorted));
  change(file, structure, (root) => {
    const ids = root.get("IDTree");
    if (ids !== undefined) root.set("IDTree", sorted(ids));
  });
}

/** Draws the fields again whose values or appearances have changed. */
async function renewFields(
  file: PdfFile,
  pages: readonly SourcePage[],
  changed: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<void> {
  const putOf = (_: Dictionary, value: Value): Put | undefined => {
    if (!isChanged(file, value, changed) || !(value instanceof Reference)) return undefined;
    return (made) => {
      const widget = file.dictionary(value)!;
      file.put(value, made ? withAppearance(widget, made) : widget.clone().set("AP", null));
    };
  };
  await new FieldDrawer(file).drawPages(pages, putOf, signal);
}

/** Hides replaced captions of lines: viewers draw them where the matches were, which can be outside of the annotation. */
function hideCaptions(file: PdfFile, pages: readonly SourcePage[]): void {
  const isReplaced = (line: Dictionary | undefined) => {
    const text = file.string(line?.get("Contents"));
    return line?.get("Cap") === true && text !== undefined && decodeTextString(text).includes(REPLACEMENT);
  };
  for (const { reference } of pages) {
    const annotations = file.array(file.dictionary(reference)?.get("Annots")) ?? [];
    if (!annotations.some((one) => isReplaced(file.dictionary(one)))) continue;
    const shown = annotations.map((one) => {
      const line = file.dictionary(one);
      if (!line || !isReplaced(line)) return one;
      const hidden = line.clone().set("Cap", false);
      if (one instanceof Reference) file.put(one, hidden);
      return one instanceof Reference ? one : hidden;
    });
    change(file, reference, (page) => page.set("Annots", shown));
  }
}

function isChanged(file: PdfFile, widget: Value, changed: ReadonlySet<number>): boolean {
  const isOne = (value: Value | undefined) => value instanceof Reference && changed.has(value.number);
  const appearances = file.dictionary(file.dictionary(widget)?.get("AP"));
  const states = (appearances?.values() ?? []).flatMap((one) => [one, ...(file.dictionary(one)?.values() ?? [])]);
  if (states.some(isOne)) return true;
  let at: Value | undefined = widget;
  for (let level = 0; at !== undefined && level < MAX_PARENTS; level++) {
    if (isOne(at)) return true;
    at = file.dictionary(at)?.get("Parent");
  }
  return false;
}
