// Renames what authors name in a document: resources, colorants, roles, classes, destinations, states of buttons, and
// tags of content. A name has one new name everywhere, so that all that refers to it still does.
import { latin1Of } from "../../objects/values.ts";
import { type Finder, REPLACEMENT } from "../expressions/expressions.ts";
import { STANDARD_NAMES } from "./standard-names.ts";
import { textOf } from "./unknown-text.ts";

/** Dictionaries with keys that authors choose. */
const OWN_KEYS = new Set(["Colorants", "RoleMap", "ClassMap"]);
/** Entries with values that authors choose. */
const OWN_VALUES = new Set(["AS", "V", "DV", "Opt", "Name", "C", "Colorants", "Components", "MCTag"]);
/** Entries with names from lists that ISO 32000 does not contain: encodings, formats of signatures, fonts, glyphs. */
const LISTED = new Set([
  "Encoding",
  "UseCMap",
  "CMapName",
  "ToUnicode",
  "SubFilter",
  "BaseFont",
  "FontName",
  "Differences",
]);
/** Names of one or two characters are not listed: nobody finds out anything from them. */
const SHORT = 2;
const isStandard = (name: string): boolean => name.length <= SHORT || STANDARD_NAMES.has(name);
/** Names with a meaning for programs, where authors can choose a name. */
const RESERVED = new Set(["OC", "Tx", "Artifact", "ReversedChars", "Off", "All", "None", "DeviceGray", "DeviceRGB"])
  .add("DeviceCMYK")
  .add("Pattern");
for (const intent of ["AbsoluteColorimetric", "RelativeColorimetric", "Saturation", "Perceptual"]) RESERVED.add(intent);
// Viewers, and our own appearances of fields, use these names without a definition (ISO 32000-1, 12.7.3.3 and 12.7.4.2).
for (const usual of ["Helv", "ZaDb", "Yes"]) RESERVED.add(usual);
/** Tag of a subset (ISO 32000-1, 9.6.4). */
const SUBSET = /^[A-Z]{6}\+/;
const MAX_CLEAN = 10_000;
const STATE_LISTS = new Set(["N", "R", "D"]);

/** Returns a number in digits that no expression finds. */
const blocks = (count: number): string =>
  count.toString(8).replace(/\d/g, (digit) => String.fromCharCode(REPLACEMENT.charCodeAt(0) + Number(digit)));
const bytesOf = (text: string): string => latin1Of(Buffer.from(text, "utf8"));

export class OwnNames {
  readonly #finder: Finder;
  readonly #before: ReadonlySet<string> | undefined;
  readonly #found = new Set<string>();
  readonly #renamed = new Map<string, string>();
  /** Names without a match. Content repeats the names of fonts. */
  readonly #clean = new Set<string>();
  readonly #taken = new Map<string, number>();

  /**
   * @param before names of the document before a redaction that match; undefined to rename those of this document.
   *   After a redaction, programs have given names of their own
   */
  constructor(finder: Finder, before?: ReadonlySet<string>) {
    this.#finder = finder;
    this.#before = before;
  }

  /** Names of the document that match, in the bytes of the file. */
  get found(): ReadonlySet<string> {
    return this.#found;
  }

  /** Returns a text that no other one has: `wanted`, and a number from the second one on. */
  rename(text: string, wanted: string): string {
    const known = this.#renamed.get(text);
    if (known !== undefined) return known;
    const count = this.#taken.get(wanted) ?? 0;
    this.#taken.set(wanted, count + 1);
    const name = count === 0 ? wanted : `${wanted}${blocks(count)}`;
    this.#renamed.set(text, name);
    return name;
  }

  /** Returns the name that is the value of an entry; the same one if it has no match, or is not an author's. */
  ofValue(name: string, entry: string): string {
    if (OWN_VALUES.has(entry) || (entry === "S" && this.#renamed.has(name))) return this.ofAuthor(name);
    return isStandard(name) || LISTED.has(entry) ? name : this.ofAuthor(name);
  }

  /** Returns the key of a dictionary, which is the value of `entry` in the entry `parent`. */
  ofKey(key: string, entry: string, parent: string): string {
    const isOwn =
      OWN_KEYS.has(entry) ||
      parent === "Resources" ||
      parent === "DR" ||
      (parent === "AP" && STATE_LISTS.has(entry)) ||
      (entry === "Dests" && parent !== "Names");
    return isOwn || (!isStandard(key) && entry !== "CharProcs") ? this.ofAuthor(key) : key;
  }

  /** Returns the name of an embedded font, whose program decides about its glyphs. */
  ofFont(name: string): string {
    const tag = SUBSET.exec(name)?.[0] ?? "";
    return tag + this.ofAuthor(name.slice(tag.length));
  }

  ofAuthor(name: string): string {
    if (name === "" || RESERVED.has(name) || this.#clean.has(name)) return name;
    if (this.#before ? this.#before.has(name) : this.#finder.matches(textOf(Buffer.from(name, "latin1")))) {
      this.#found.add(name);
      return bytesOf(this.rename(name, REPLACEMENT));
    }
    if (this.#clean.size < MAX_CLEAN) this.#clean.add(name);
    return name;
  }
}
