// Removes matches from everything that a page does not show: form fields, annotations, bookmarks, metadata, tags,
// names, scripts, patterns, and unused content. The caller removes the matches that pages show.

import { EngineFailure } from "../../contract/failure.ts";
import { yieldToOthers } from "../../contract/operation.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { decodeTextString, encodeTextString } from "../../objects/text-strings.ts";
import {
  Dictionary,
  Name,
  type PdfObject,
  PdfStream,
  PdfString,
  plainBody,
  Reference,
  type Value,
} from "../../objects/values.ts";
import type { Finder } from "../expressions/expressions.ts";
import { FontTexts } from "../font-text.ts";
import { OF_MARK } from "../marks.ts";
import { piecesOf } from "../stream-text.ts";
import { withoutHiddenMatches } from "./content-strings.ts";
import { samplesLength } from "./image-samples.ts";
import { withoutImageTexts } from "./image-texts.ts";
import { inheritedResources } from "./inherited-resources.ts";
import { plainStream, withoutOuterFilters } from "./outer-filters.ts";
import { OwnNames } from "./own-names.ts";
import { PropertyLists } from "./property-lists.ts";
import { isReadable, readableEnd, textOf, unescapedAddress, unescapedScript, xmlOf } from "./unknown-text.ts";
import { shownText, withoutMatches } from "./xmp-text.ts";

/** Strings with a syntax of their own, or without text. */
const NOT_TEXT = new Set(["Registry", "Ordering", "CharSet", "CheckSum", "Panose", "Cert", "ByteRange"]);
/** Strings that must stay distinct, because others refer to them. */
const REFERRED = new Set(["Names", "Limits", "D", "Dest", "Dests", "T", "ID", "IDTree"]);
/** Private data of programs, small images of pages as they were, and attached files, which nobody can search. */
const DROPPED = ["PieceInfo", OF_MARK, "Thumb", "EF", "RF", "AF"];
const BINARY = new Set([
  "FontFile",
  "FontFile2",
  "FontFile3",
  "ToUnicode",
  "UseCMap",
  "CIDSet",
  "CIDToGIDMap",
  "Encoding",
]);
const IMAGE_FILTER = /^(DCTDecode|JPXDecode)$/;
const FONT_NAMES = new Set(["BaseFont", "FontName"]);
const COLORANTS = /^(Separation|DeviceN)$/;
const LANGUAGE = /^[a-z]{2,3}(-[a-z]{2,4}|-\d{3})*$/i;
const TAIL_BYTES = 4096;
const MIN_TAIL = 6;
const MAX_STREAM_BYTES = 64 * 2 ** 20;
/** Approximate memory per visited object. */
const VISIT_BYTES = 120;

type Role = "binary" | "content" | "metadata" | "form-data" | "script" | "any";

/** What the first reference to an object states about it. */
interface Visit {
  readonly role: Role;
  /** The entry that contains the reference, and the entry that contains its dictionary. */
  readonly key: string;
  readonly parent: string;
  /** Resources of content that has none of its own. */
  readonly resources?: Value | undefined;
}
const ROLES: Readonly<Record<string, Role>> = { Metadata: "metadata", XFA: "form-data", JS: "script" };
const DIRECT: Visit = { role: "any", key: "", parent: "" };

/** Finds or removes the matches of one document. */
export class Sweep {
  readonly #file: PdfFile;
  readonly #finder: Finder;
  readonly #shown: ReadonlySet<number>;
  readonly #removes: boolean;
  readonly #fonts: FontTexts;
  readonly #visits = new Map<number, Visit>();
  readonly #names: OwnNames;
  readonly #lists: PropertyLists;
  readonly #waiting: number[] = [];
  /** Object numbers of changed objects. */
  readonly changed = new Set<number>();
  /** Number of strings and streams with matches. */
  count = 0;
  /** Number of streams that cannot be decoded, and were emptied. */
  undecodable = 0;
  hasFormData = false;

  /**
   * @param shown object numbers of the streams that pages draw directly
   * @param removes false to count only
   * @param names names to search for; @default those that match
   */
  constructor(
    file: PdfFile,
    finder: Finder,
    shown: ReadonlySet<number>,
    removes: boolean,
    names?: ReadonlySet<string>,
  ) {
    this.#file = file;
    this.#finder = finder;
    this.#shown = shown;
    this.#removes = removes;
    this.#fonts = new FontTexts(file);
    this.#names = new OwnNames(finder, names);
    this.#lists = new PropertyLists(file);
  }

  /** Names that match. */
  get names(): ReadonlySet<string> {
    return this.#names.found;
  }

  async run(signal: AbortSignal): Promise<void> {
    const file = this.#file;
    const info = file.dictionary(file.trailer.get("Info"));
    if (this.#removes) this.#withoutIdentifier();
    const roles = file.dictionary(file.dictionary(file.catalog.get("StructTreeRoot"))?.get("RoleMap"));
    for (const role of roles?.keys() ?? []) this.#names.ofAuthor(role);
    for (const key of ["Root", "Info"]) {
      const value = file.trailer.get(key);
      const cleaned = value === undefined ? value : this.#value(value, key, "");
      if (!(cleaned instanceof Dictionary) || !this.#removes) continue;
      file.trailer.set(key, this.#withoutKeys(cleaned));
    }
    for (let next = this.#waiting.pop(), done = 1; next !== undefined; next = this.#waiting.pop(), done++) {
      if (done % 1000 === 0) await yieldToOthers(signal);
      const reference = new Reference(next);
      const before = file.get(reference);
      let after = this.#object(before, next);
      if (info !== undefined && before === info && after instanceof Dictionary) after = this.#withoutKeys(after);
      if (after === before) continue;
      this.changed.add(next);
      if (this.#removes) file.put(reference, after);
    }
    if (!this.#removes || !this.#lists.hasUnused) return;
    for (const number of this.#visits.keys()) {
      const reference = new Reference(number);
      const before = file.get(reference);
      const after = this.#lists.clean(before);
      if (after !== before) file.put(reference, after);
    }
  }

  /** The writer makes a new identifier. */
  #withoutIdentifier(): void {
    const identifiers = this.#file.array(this.#file.trailer.get("ID")) ?? [];
    const hasMatch = identifiers.some((one) => one instanceof PdfString && this.#finder.matches(textOf(one.bytes)));
    if (hasMatch) this.#file.trailer.delete("ID");
  }

  #object(object: PdfObject, number: number): PdfObject {
    const visit = this.#visits.get(number) ?? DIRECT;
    if (!(object instanceof PdfStream)) return this.#value(object, visit.key, visit.parent);
    const dictionary = this.#dictionary(object.dictionary, "", "");
    const same = dictionary === object.dictionary ? object : new PdfStream(dictionary, object.body);
    const filters = this.#filtersOf(object);
    if (IMAGE_FILTER.test(filters.at(-1) ?? "")) return this.#removes ? this.#image(same, filters) : same;
    const samples = this.#samplesOf(object, filters);
    if (samples) return plainStream(dictionary, samples);
    const role = this.#roleOf(object, visit.role);
    const tail = this.#tailOf(object);
    const bytes = role === "binary" && tail === 0 ? undefined : this.#bytes(object);
    // Other viewers can decode what is nothing here: they know more filters, and repair other damage.
    if (this.#removes && role !== "binary" && !bytes?.length && object.body.raw().length > 0) {
      this.undecodable++;
      return plainStream(dictionary);
    }
    const cleaned =
      bytes && (role === "binary" ? withoutTail(bytes, object, tail) : this.#stream(bytes, object, role, number));
    if (cleaned === undefined || (bytes === cleaned && tail === 0)) return same;
    this.count++;
    return plainStream(dictionary, cleaned);
  }

  /** Returns the samples of an image with other bytes behind them; undefined without any. */
  #samplesOf(object: PdfStream, filters: readonly string[]): Uint8Array | undefined {
    const length = this.#removes ? samplesLength(this.#file, object.dictionary, filters) : undefined;
    const bytes = length === undefined ? undefined : this.#bytes(object);
    return bytes && bytes.length >= length! + MIN_TAIL ? bytes.subarray(0, length) : undefined;
  }

  #filtersOf({ dictionary }: PdfStream): string[] {
    const filter = dictionary.get("Filter") ?? null;
    return (this.#file.array(filter) ?? [filter]).flatMap((one) => this.#file.name(one) ?? []);
  }

  /** Returns an image in one filter, without texts. */
  #image(image: PdfStream, filters: readonly string[]): PdfStream {
    const bytes = image.body.raw();
    const plain = withoutOuterFilters(bytes, filters.slice(0, -1)) ?? new Uint8Array(0);
    const cleaned = withoutImageTexts(plain, filters.at(-1)!);
    if (cleaned === bytes) return image;
    const parameters = this.#file.array(image.dictionary.get("DecodeParms"))?.at(filters.length - 1);
    const dictionary = image.dictionary.clone().set("Filter", Name.of(filters.at(-1)!));
    if (parameters !== undefined) dictionary.set("DecodeParms", parameters);
    return new PdfStream(dictionary, plainBody(cleaned));
  }

  /** Returns the number of readable bytes at the end of compressed data, or of an image, if they have a match. */
  #tailOf(object: PdfStream): number {
    const filters = this.#filtersOf(object);
    const isImage = this.#file.name(object.dictionary.get("Subtype")) === "Image";
    if (!this.#removes || !(filters.length === 0 ? isImage : filters.join() === "FlateDecode")) return 0;
    const end = readableEnd(object.body.raw().subarray(-TAIL_BYTES));
    return end.length >= MIN_TAIL && this.#finder.matches(textOf(end)) ? end.length : 0;
  }

  /** Returns the decoded bytes; undefined if they cannot be decoded. */
  #bytes({ body }: PdfStream): Uint8Array | undefined {
    try {
      return body.decoded(MAX_STREAM_BYTES);
    } catch (error) {
      if (error instanceof EngineFailure && error.reason === "damaged") return undefined;
      throw error;
    }
  }

  #roleOf({ dictionary }: PdfStream, known: Role): Role {
    const name = (key: string) => this.#file.name(dictionary.get(key));
    if (known !== "any") return known;
    if (name("Subtype") === "Form" || dictionary.has("PatternType")) return "content";
    if (name("Subtype") === "XML" || name("Type") === "Metadata") return "metadata";
    const isBinary = ["Subtype", "Type"].some((key) => /^(Image|XRef|ObjStm|CMap)$/.test(name(key) ?? ""));
    return isBinary || ["FunctionType", "ShadingType", "N"].some((key) => dictionary.has(key)) ? "binary" : "any";
  }

  /** @returns the same bytes without a match */
  #stream(bytes: Uint8Array, { dictionary }: PdfStream, role: Role, number: number): Uint8Array {
    const finder = this.#finder;
    if (role === "content") {
      const resources = this.#file.dictionary(dictionary.get("Resources") ?? this.#visits.get(number)?.resources);
      const isShown = this.#shown.has(number);
      const pieces = isShown ? [] : piecesOf(this.#file, bytes, resources, this.#fonts);
      if (pieces.some((piece) => finder.matches(piece))) return new Uint8Array(0);
      const lists = { named: (name: Name) => this.#lists.named(resources, name), replace: this.#lists.replace };
      return withoutHiddenMatches(bytes, finder, { clean: (operand) => this.#operand(operand), lists });
    }
    const text = role === "metadata" || role === "form-data" ? xmlOf(bytes) : textOf(bytes);
    if (role === "metadata") {
      const cleaned = withoutMatches(text, finder);
      return cleaned === text ? bytes : new TextEncoder().encode(cleaned);
    }
    const hasMatch = isReadable(text)
      ? finder.matches(text) ||
        (role === "form-data" && finder.matches(shownText(text))) ||
        (role === "script" && finder.matches(unescapedScript(text)))
      : finder.matchesLiteral(text);
    if (!hasMatch) return bytes;
    if (role === "form-data") this.hasFormData = true;
    return new Uint8Array(0);
  }

  #value(value: Value, key: string, parent: string): Value {
    if (value instanceof PdfString) return this.#string(value, key);
    if (value instanceof Reference) {
      this.#visit(value, key, parent);
      return value;
    }
    if (value instanceof Name) return sameOr(value, this.#names.ofValue(value.text, key));
    if (value instanceof Dictionary) return this.#dictionary(value, key, parent);
    if (!Array.isArray(value)) return value;
    const first = value[0] instanceof Name ? value[0].text : "";
    const isIndexed = /^(Indexed|I)$/.test(first);
    const elements = value.map((element, at) =>
      isIndexed && at === 3
        ? this.#lookup(element)
        : this.#value(element, at === 1 && COLORANTS.test(first) ? "Colorants" : key, parent),
    );
    return elements.every((element, at) => element === value[at]) ? value : elements;
  }

  #lookup(value: Value): Value {
    if (value instanceof Reference) this.#visits.set(value.number, { ...DIRECT, role: "binary" });
    return value instanceof PdfString ? value : this.#value(value, "", "");
  }

  #dictionary(dictionary: Dictionary, key: string, parent: string): Dictionary {
    const file = this.#file;
    const isPage = file.name(dictionary.get("Type")) === "Page";
    let result = dictionary;
    const set = (at: string, value: Value) => {
      if (result === dictionary) result = dictionary.clone();
      result.set(at, value);
    };
    for (const [entry, value] of dictionary) {
      if (DROPPED.includes(entry)) {
        if (this.#removes) set(entry, null);
        continue;
      }
      if (isPage && entry === "Contents") this.#contents(value, dictionary);
      if (entry === "CharProcs") this.#glyphs(value, dictionary);
      const isFontName = value instanceof Name && FONT_NAMES.has(entry) && this.#isEmbedded(dictionary);
      const cleaned = isFontName ? sameOr(value, this.#names.ofFont(value.text)) : this.#value(value, entry, key);
      if (cleaned !== value) set(entry, cleaned);
      const name = this.#names.ofKey(entry, key, parent);
      if (name === entry) continue;
      set(entry, null);
      set(name, cleaned);
    }
    return result;
  }

  /** Reports whether a font, or a descriptor, has a font program. */
  #isEmbedded(font: Dictionary): boolean {
    const file = this.#file;
    const own = file.dictionary(file.array(font.get("DescendantFonts"))?.[0]) ?? font;
    const descriptor = file.dictionary(own.get("FontDescriptor")) ?? own;
    return ["FontFile", "FontFile2", "FontFile3"].some((key) => descriptor.has(key));
  }

  /** Removes entries whose keys match, which only dictionaries of the user's own keys can have. */
  #withoutKeys(dictionary: Dictionary): Dictionary {
    const found = dictionary.keys().filter((key) => this.#finder.matches(textOf(Buffer.from(key, "latin1"))));
    this.count += found.length;
    const copy = dictionary.clone();
    for (const key of found) copy.delete(key);
    return found.length > 0 ? copy : dictionary;
  }

  #contents(value: Value, page: Dictionary): void {
    const parts = [value, ...(this.#file.array(value) ?? [])];
    for (const part of parts) this.#content(part, page);
  }

  #glyphs(value: Value, font: Dictionary): void {
    for (const glyph of this.#file.dictionary(value)?.values() ?? []) this.#content(glyph, font);
  }

  #content(value: Value, owner: Dictionary): void {
    if (!(value instanceof Reference) || !this.#file.stream(value)) return;
    this.#add(value.number, { ...DIRECT, role: "content", resources: inheritedResources(this.#file, owner) });
  }

  #visit({ number }: Reference, key: string, parent: string): void {
    this.#add(number, { role: BINARY.has(key) ? "binary" : (ROLES[key] ?? "any"), key, parent });
  }

  #add(number: number, visit: Visit): void {
    if (this.#visits.has(number)) return;
    this.#file.budget.charge(VISIT_BYTES);
    this.#visits.set(number, visit);
    this.#waiting.push(number);
  }

  #operand(operand: Value): Value {
    return operand instanceof Name ? sameOr(operand, this.#names.ofAuthor(operand.text)) : this.#value(operand, "", "");
  }

  #string(string: PdfString, key: string): Value {
    if (string.latin1 === "" || NOT_TEXT.has(key)) return string;
    if (key === "DA") return this.#defaultAppearance(string);
    const text = decodeTextString(string);
    if (key === "Lang" && LANGUAGE.test(text)) return string;
    const isMarkup = key === "RC" || key === "RV";
    const shown = isMarkup ? shownText(text) : text;
    const cleaned = this.#finder.replace(shown);
    const isClean =
      cleaned === shown &&
      !(isMarkup && this.#finder.matchesLiteral(text)) &&
      !(key === "JS" && this.#finder.matches(unescapedScript(text)));
    if (isClean && !this.#hasOtherText(string, text)) return string;
    this.count++;
    if (key === "URI" || (key === "JS" && cleaned === shown)) return new PdfString("");
    if (isMarkup || isClean || key === "Lang" || /^D:\d{4}/.test(text)) return null;
    return encodeTextString(REFERRED.has(key) ? this.#names.rename(text, cleaned) : cleaned);
  }

  /** Cleans a string with the syntax of content, which names fonts of the form (12.7.3.3). */
  #defaultAppearance(string: PdfString): PdfString {
    const { bytes } = string;
    const cleaned = withoutHiddenMatches(bytes, this.#finder, { clean: (operand) => this.#operand(operand) });
    return cleaned === bytes ? string : new PdfString(cleaned);
  }

  /** Reports whether a string has a match if it is read as UTF-8 or UTF-16 without a byte order mark. */
  #hasOtherText(string: PdfString, text: string): boolean {
    const address = unescapedAddress(string.latin1);
    if (address !== undefined && this.#finder.matches(address)) return true;
    if (/^[\n\r\t\x20-\x7e]*$/.test(string.latin1)) return false;
    return [textOf(string.bytes), new TextDecoder("utf-16be").decode(string.bytes)].some(
      (other) => other !== text && this.#finder.matchesLiteral(other),
    );
  }
}

const sameOr = (name: Name, text: string): Name => (text === name.text ? name : Name.of(text));

/** Decoded data has no tail; an image that is not compressed keeps its size. */
const withoutTail = (bytes: Uint8Array, { dictionary }: PdfStream, tail: number): Uint8Array =>
  dictionary.has("Filter") ? bytes : new Uint8Array(bytes).fill(0, bytes.length - tail);
