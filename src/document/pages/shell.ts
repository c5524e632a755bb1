// Copies a document without the contents of its pages: metadata, page boxes, bookmarks, links, page labels, and how
// viewers open it. Copies only known entries, so that nothing hidden stays.

import { countedNotices, type Notice, type NoticeSubject, namedNotices } from "../contract/notice.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { readNameTree, readNumberTree, writeNameTree, writeNumberTree } from "../objects/trees.ts";
import { Dictionary, Name, PdfStream, PdfString, Reference, type Value } from "../objects/values.ts";
import { MULTIMEDIA } from "../visibility/annotation-flags.ts";
import { removeAttachments, specifiedName } from "./attached-files.ts";
import { claimNotices, metadataOf, putMetadata } from "./claims.ts";
import { putPageTree } from "./page-tree.ts";
import { pageDictionary, readPages } from "./pages.ts";

const CATALOG_ENTRIES = ["PageLayout", "Lang", "ViewerPreferences", "URI"];
const PAGE_MODES = new Set(["UseNone", "UseOutlines", "UseThumbs", "FullScreen"]);
const PAGE_ENTRIES = ["MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox", "Rotate", "UserUnit", "Dur", "Trans"];
const BOOKMARK_ENTRIES = ["Title", "C", "F"];
const LINK_ENTRIES = ["Rect", "QuadPoints", "F", "H", "NM", "M", "Contents"];
/** Entries of the kinds of actions that lead to a place (ISO 32000-1, 12.6.4). */
const ACTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["GoTo", ["D"]],
  ["GoToR", ["F", "D", "NewWindow"]],
  ["URI", ["URI", "IsMap"]],
  ["Named", ["N"]],
]);
/** Entries of a file specification that name a file of the reader. */
const FILE_NAMES = ["Type", "F", "UF"];
const SCRIPT = "JavaScript";
const MAX_DEPTH = 10;
/** Maximum number of bookmarks, because malformed chains of them can be endless. */
const MAX_BOOKMARKS = 1_000_000;
/** Approximate memory per bookmark in addition to its copy. */
const BOOKMARK_BYTES = 160;
/** Approximate memory of a copy that replaces a reference. */
const REFERRED_BYTES = 60;

export interface Shell {
  /** Pages of the target without contents, in order. The caller can add entries. */
  readonly pages: readonly Dictionary[];
  readonly notices: readonly Notice[];
}

/** @param target a file with an empty catalog */
export function copyShell(source: PdfFile, target: PdfFile): Shell {
  return new ShellCopier(source, target).copy();
}

interface Copied {
  readonly reference: Reference;
  readonly dictionary: Dictionary;
  readonly isOpen: boolean;
  readonly kids: Copied[];
}

class ShellCopier {
  readonly #source: PdfFile;
  readonly #target: PdfFile;
  /** Pages of the target, by object number of the page in the source. */
  readonly #pages = new Map<number, Reference>();
  readonly #attached: NoticeSubject[] = [];
  #multimedia = 0;
  #scripts = 0;
  #actions = 0;

  constructor(source: PdfFile, target: PdfFile) {
    this.#source = source;
    this.#target = target;
  }

  copy(): Shell {
    const { catalog } = this.#target;
    const places = readPages(this.#source).pages.map((page) => ({ page, reference: this.#target.reserve() }));
    for (const { page, reference } of places.toReversed()) this.#pages.set(page.reference.number, reference);
    const pages = places.map(({ page, reference }) => {
      const copy = this.#page(pageDictionary(this.#source, page));
      this.#target.put(reference, copy);
      return copy;
    });
    const references = places.map(({ reference }) => reference);
    catalog.set("Pages", putPageTree(this.#target, references));
    this.#document(catalog);
    this.#destinations(catalog);
    this.#bookmarks(catalog);
    this.#labels(catalog);
    const claims = this.#metadata(catalog);
    this.#attached.push(...removeAttachments(this.#source));
    const notices = [
      ...namedNotices("attachments-removed", this.#attached),
      ...countedNotices("scripts-removed", this.#scripts),
      ...countedNotices("actions-removed", this.#actions),
      ...countedNotices("multimedia-removed", this.#multimedia),
      ...claims,
    ];
    return { pages, notices };
  }

  #document(catalog: Dictionary): void {
    const { catalog: before } = this.#source;
    for (const key of CATALOG_ENTRIES) catalog.set(key, this.#plain(before.get(key)));
    const mode = this.#source.name(before.get("PageMode")) ?? "";
    if (PAGE_MODES.has(mode)) catalog.set("PageMode", Name.of(mode));
    const opening = before.get("OpenAction");
    const isAction = this.#source.dictionary(opening)?.has("S");
    catalog.set("OpenAction", isAction ? this.#action(opening) : this.#destination(opening));
    const scripts = readNameTree(this.#source, this.#source.dictionary(before.get("Names"))?.get(SCRIPT));
    this.#scripts += scripts.size;
  }

  #metadata(catalog: Dictionary): readonly Notice[] {
    const { packet, claims } = metadataOf({ file: this.#source });
    const information = this.#plain(this.#source.trailer.get("Info"));
    if (information instanceof Dictionary) this.#target.trailer.set("Info", this.#target.add(information));
    const none = new Map();
    putMetadata(this.#target, catalog, packet, none);
    return claimNotices([claims], none);
  }

  #page(page: Dictionary): Dictionary {
    const copy = Dictionary.of({ Type: Name.of("Page"), Resources: new Dictionary() });
    for (const key of PAGE_ENTRIES) copy.set(key, this.#plain(page.get(key)));
    const links = (this.#source.array(page.get("Annots")) ?? []).flatMap((annotation) => this.#link(annotation) ?? []);
    return links.length > 0 ? copy.set("Annots", links) : copy;
  }

  /** Returns a link without a border, which the image of the page shows; undefined for other annotations. */
  #link(value: Value): Reference | undefined {
    const link = this.#source.dictionary(value);
    const type = this.#source.name(link?.get("Subtype")) ?? "";
    if (MULTIMEDIA.has(type)) this.#multimedia++;
    if (type === "FileAttachment") this.#attached.push({ name: specifiedName(this.#source, link?.get("FS")) });
    if (!link || type !== "Link") return undefined;
    const copy = Dictionary.of({ Type: Name.of("Annot"), Subtype: Name.of("Link"), Border: [0, 0, 0] });
    if (!this.#goal(link, copy)) return undefined;
    for (const key of LINK_ENTRIES) copy.set(key, this.#plain(link.get(key)));
    return this.#target.add(copy);
  }

  /** Copies the destination or the action of a link or a bookmark. Returns false if nothing is left. */
  #goal(from: Dictionary, to: Dictionary): boolean {
    const action = from.get("A");
    if (action !== undefined) to.set("A", this.#action(action));
    else to.set("Dest", this.#destination(from.get("Dest")));
    return to.has("A") || to.has("Dest");
  }

  #action(value: Value | undefined): Value {
    const action = this.#source.dictionary(value);
    if (!action) return null;
    const kind = this.#source.name(action.get("S")) ?? "";
    const entries = ACTIONS.get(kind);
    if (kind === SCRIPT) this.#scripts++;
    else if (!entries || action.has("Next")) this.#actions++;
    if (!entries) return null;
    const copy = Dictionary.of({ S: Name.of(kind) });
    for (const key of entries) copy.set(key, this.#plain(action.get(key)));
    if (kind === "GoTo") copy.set("D", this.#destination(action.get("D")));
    const file = kind === "GoToR" ? copy.get("F") : undefined;
    if (file instanceof Dictionary) file.retain((key) => FILE_NAMES.includes(key));
    return copy.has(entries[0]!) ? copy : null;
  }

  /** Returns a destination whose page exists, or its name (12.3.2). */
  #destination(value: Value | undefined): Value {
    const destination = this.#source.resolve(value);
    if (destination instanceof Name || destination instanceof PdfString) return destination;
    if (destination instanceof Dictionary) return this.#destination(this.#source.array(destination.get("D"))?.slice());
    if (!Array.isArray(destination)) return null;
    const [page, ...view] = destination;
    const target = page instanceof Reference ? this.#pages.get(page.number) : undefined;
    return target ? [target, ...view.map((part) => this.#plain(part))] : null;
  }

  #destinations(catalog: Dictionary): void {
    const { catalog: before } = this.#source;
    const named = readNameTree(this.#source, this.#source.dictionary(before.get("Names"))?.get("Dests"));
    const kept = [...named].map(([name, value]) => [name, this.#destination(value)] as const);
    const entries = new Map(kept.filter(([, value]) => value !== null));
    if (entries.size > 0) catalog.set("Names", Dictionary.of({ Dests: writeNameTree(this.#target, entries) }));
    const old = new Dictionary();
    for (const [name, value] of this.#source.dictionary(before.get("Dests")) ?? []) {
      old.set(name, this.#destination(value));
    }
    if (old.size > 0) catalog.set("Dests", this.#target.add(old));
  }

  #labels(catalog: Dictionary): void {
    const labels = readNumberTree(this.#source, this.#source.catalog.get("PageLabels"));
    const copied = new Map([...labels].map(([index, label]) => [index, this.#plain(label)]));
    if (copied.size > 0) catalog.set("PageLabels", writeNumberTree(this.#target, copied));
  }

  #bookmarks(catalog: Dictionary): void {
    const source = this.#source;
    const first = source.dictionary(source.catalog.get("Outlines"))?.get("First");
    const root: Copied = this.#copied(new Dictionary(), true);
    const waiting = [{ value: first, parent: root }];
    const seen = new Set<number>();
    for (let next = waiting.pop(); next && seen.size < MAX_BOOKMARKS; next = waiting.pop()) {
      const { value, parent } = next;
      const bookmark = source.dictionary(value);
      if (!(value instanceof Reference) || !bookmark || seen.has(value.number)) continue;
      seen.add(value.number);
      source.budget.charge(BOOKMARK_BYTES);
      const copy = this.#copied(new Dictionary(), (source.number(bookmark.get("Count")) ?? 0) >= 0);
      for (const key of BOOKMARK_ENTRIES) copy.dictionary.set(key, this.#plain(bookmark.get(key)));
      this.#goal(bookmark, copy.dictionary);
      parent.kids.push(copy);
      waiting.push({ value: bookmark.get("Next"), parent }, { value: bookmark.get("First"), parent: copy });
    }
    if (root.kids.length > 0) catalog.set("Outlines", this.#join(root));
  }

  #copied(dictionary: Dictionary, isOpen: boolean): Copied {
    return { reference: this.#target.reserve(), dictionary, isOpen, kids: [] };
  }

  /** Connects bookmarks with their parents and siblings, the innermost first (table 153). */
  #join(root: Copied): Reference {
    const all = [root];
    for (const item of all) all.push(...item.kids);
    const shown = new Map<Copied, number>();
    for (const item of all.reverse()) {
      const { reference, dictionary, kids, isOpen } = item;
      const count = kids.reduce((sum, kid) => sum + 1 + (kid.isOpen ? (shown.get(kid) ?? 0) : 0), 0);
      shown.set(item, count);
      if (kids.length > 0) dictionary.set("First", kids[0]!.reference).set("Last", kids.at(-1)!.reference);
      if (count > 0) dictionary.set("Count", isOpen ? count : -count);
      for (const [index, kid] of kids.entries()) {
        kid.dictionary.set("Parent", reference);
        if (index > 0) kid.dictionary.set("Prev", kids[index - 1]!.reference);
        if (index + 1 < kids.length) kid.dictionary.set("Next", kids[index + 1]!.reference);
      }
    }
    for (const { reference, dictionary } of all) this.#target.put(reference, dictionary);
    return root.reference;
  }

  /** Returns a copy without references. Streams are left out. */
  #plain(value: Value | undefined, depth = 0): Value {
    const object = this.#source.resolve(value);
    if (object instanceof PdfStream || depth > MAX_DEPTH) return null;
    // A few objects that refer to each other many times can become very large.
    if (value instanceof Reference) this.#source.budget.charge(REFERRED_BYTES);
    if (object instanceof Dictionary) return object.map((entry) => this.#plain(entry, depth + 1));
    return Array.isArray(object) ? object.map((element) => this.#plain(element, depth + 1)) : object;
  }
}
