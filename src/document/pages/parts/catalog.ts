// Builds the catalog entries for the whole document (ISO 32000-1, table 28), mostly from the first input. Other parts
// write further entries, such as Outlines. All remaining entries are omitted.

import { OWN_DATA, ownDataOf } from "../../objects/own-data.ts";
import { Dictionary, type Value } from "../../objects/values.ts";
import type { AssemblyTarget, DocumentPart, InputSelection, SelectedPage } from "../assemble.ts";
import type { Actions } from "./actions.ts";
import type { Destinations } from "./destinations.ts";

/** Entries copied unchanged from the first input. */
const FIRST = ["PageLayout", "PageMode", "Lang"];
/** Entries of MarkInfo (table 321). In the result, each is true if it is true in any input. */
const MARKS = ["Marked", "UserProperties", "Suspects"];
/** Page entries for presentations and templates. The result omits these entries. */
const PAGE_ENTRIES = ["PresSteps", "TemplateInstantiated"];

export class Catalog implements DocumentPart {
  readonly #actions: Actions;
  readonly #destinations: Destinations;
  readonly #entries = new Dictionary();
  readonly #marks = new Set<string>();
  readonly #extensions = new Dictionary();
  readonly #requirements: Value[] = [];
  readonly #ownData = new Dictionary();
  #hasStructure = false;
  #information: Value = null;

  constructor(actions: Actions, destinations: Destinations) {
    this.#actions = actions;
    this.#destinations = destinations;
  }

  page(page: Dictionary, _taken: SelectedPage, { isWhole }: InputSelection): void {
    this.#actions.settle(page);
    for (const key of PAGE_ENTRIES) page.delete(key);
    // PieceInfo can contain data about other pages, such as a drawing that spans all pages.
    if (!isWhole) page.delete("PieceInfo");
  }

  close(taking: InputSelection): void {
    const { source, copier, inputIndex, inputCount, isWhole } = taking;
    const { file } = source;
    const { catalog } = file;
    const marks = file.dictionary(catalog.get("MarkInfo"));
    for (const key of MARKS) if (file.boolean(marks?.get(key))) this.#marks.add(key);
    if (file.dictionary(catalog.get("StructTreeRoot"))) this.#hasStructure = true;
    for (const [name, value] of file.dictionary(catalog.get("Extensions")) ?? []) {
      if (!this.#extensions.has(name)) this.#extensions.set(name, copier.value(value));
    }
    for (const value of file.array(catalog.get("Requirements")) ?? []) this.#requirements.push(copier.value(value));
    for (const record of ownDataOf(file, catalog.get("PieceInfo")).values()) {
      this.#ownData.set(`${OWN_DATA}${this.#ownData.size || ""}`, copier.value(record));
    }
    if (inputCount === 1 && isWhole) this.#put("Collection", catalog.get("Collection"), taking);
    if (inputIndex > 0) return;
    for (const key of FIRST) this.#put(key, catalog.get(key), taking);
    this.#put("ViewerPreferences", this.#preferences(taking), taking);
    this.#put("OpenAction", this.#openAction(taking), taking);
    const triggers = file.dictionary(catalog.get("AA"));
    if (triggers) this.#put("AA", this.#actions.triggers(triggers), taking);
    const information = file.trailer.get("Info");
    if (file.dictionary(information)) this.#information = copier.value(information!);
  }

  #put(key: string, value: Value | undefined, { copier }: InputSelection): void {
    if (value === undefined || (value instanceof Dictionary && value.size === 0)) return;
    this.#entries.set(key, copier.value(value));
  }

  #preferences({ source: { file }, inputCount, isWhole }: InputSelection): Dictionary | undefined {
    const preferences = file.dictionary(file.catalog.get("ViewerPreferences"))?.clone();
    // The page numbers in PrintPageRange (table 150) refer to the source.
    if (inputCount > 1 || !isWhole) preferences?.delete("PrintPageRange");
    return preferences;
  }

  #openAction({ source: { file } }: InputSelection): Value | undefined {
    const value = file.catalog.get("OpenAction");
    if (value === undefined) return undefined;
    if (file.dictionary(value)?.has("S")) return this.#actions.action(value);
    const fate = this.#destinations.fateOf(value);
    return typeof fate === "object" ? fate.value : undefined;
  }

  finish({ file, catalog }: AssemblyTarget): void {
    for (const [key, value] of this.#entries) catalog.set(key, value);
    if (this.#hasStructure) this.#marks.add("Marked");
    if (this.#marks.size > 0) {
      catalog.set("MarkInfo", Dictionary.of(Object.fromEntries([...this.#marks].map((key) => [key, true]))));
    }
    if (this.#extensions.size > 0) catalog.set("Extensions", this.#extensions);
    if (this.#requirements.length > 0) catalog.set("Requirements", this.#requirements);
    if (this.#ownData.size > 0) catalog.set("PieceInfo", this.#ownData);
    if (this.#information !== null) file.trailer.set("Info", this.#information);
  }
}
