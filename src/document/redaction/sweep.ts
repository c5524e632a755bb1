// Removes matches from everything that a page does not show: form fields, annotations, bookmarks, metadata, tags,
// names, scripts, patterns, and unused content. The caller removes the matches that pages show.

import { EngineFailure } from "../contract/failure.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { decodeTextString, encodeTextString } from "../objects/text-strings.ts";
import {
  Dictionary,
  latin1Of,
  Name,
  type PdfObject,
  PdfStream,
  PdfString,
  plainBody,
  Reference,
  type Value,
} from "../objects/values.ts";
import { withoutHiddenMatches } from "./content-strings.ts";
import type { Finder } from "./expressions/expressions.ts";
import { FontTexts } from "./font-text.ts";
import { piecesOf } from "./stream-text.ts";
import { withoutMatches } from "./xmp-text.ts";

/** Strings with a syntax of their own, or without text. */
const NOT_TEXT = new Set(["DA", "Lang", "Registry", "Ordering", "CharSet", "CheckSum", "Panose", "Cert", "ByteRange"]);
/** Strings that must stay distinct, because others refer to them. */
const REFERRED = new Set(["Names", "Limits", "D", "Dest", "Dests", "T", "ID", "IDTree"]);
/** Private data of programs, small images of pages as they were, and attached files, which nobody can search. */
const DROPPED = ["PieceInfo", "Thumb", "EF", "RF", "AF"];
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
/** Entries that hold the names of the states of a button. */
const STATES = new Set(["AS", "V", "DV"]);
const STATE_LISTS = new Set(["N", "R", "D"]);
const MAX_STREAM_BYTES = 64 * 2 ** 20;
/** Approximate memory per visited object. */
const VISIT_BYTES = 60;

type Role = "binary" | "content" | "metadata" | "form-data" | "any";

/** Finds or removes the matches of one document. */
export class Sweep {
  readonly #file: PdfFile;
  readonly #finder: Finder;
  readonly #shown: ReadonlySet<number>;
  readonly #removes: boolean;
  readonly #fonts: FontTexts;
  readonly #roles = new Map<number, Role>();
  readonly #waiting: number[] = [];
  readonly #renamed = new Map<string, string>();
  readonly #taken = new Map<string, number>();
  /** Object numbers of changed objects. */
  readonly changed = new Set<number>();
  /** Number of strings and streams with matches. */
  count = 0;
  hasFormData = false;

  /** @param shown object numbers of the streams that pages draw directly; @param removes false to count only */
  constructor(file: PdfFile, finder: Finder, shown: ReadonlySet<number>, removes: boolean) {
    this.#file = file;
    this.#finder = finder;
    this.#shown = shown;
    this.#removes = removes;
    this.#fonts = new FontTexts(file);
  }

  async run(signal: AbortSignal): Promise<void> {
    const file = this.#file;
    const info = file.dictionary(file.trailer.get("Info"));
    for (const key of ["Root", "Info"]) {
      const value = file.trailer.get(key);
      const cleaned = value === undefined ? value : this.#value(value, key, "");
      if (!(cleaned instanceof Dictionary) || !this.#removes) continue;
      file.trailer.set(key, this.#withoutKeys(cleaned));
    }
    for (let next = this.#waiting.pop(), done = 1; next !== undefined; next = this.#waiting.pop(), done++) {
      if (done % 1000 === 0) {
        signal.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      const reference = new Reference(next);
      const before = file.get(reference);
      let after = this.#object(before, next);
      if (info !== undefined && before === info && after instanceof Dictionary) after = this.#withoutKeys(after);
      if (after === before) continue;
      this.changed.add(next);
      if (this.#removes) file.put(reference, after);
    }
  }

  #object(object: PdfObject, number: number): PdfObject {
    if (!(object instanceof PdfStream)) return this.#value(object, "", "");
    const dictionary = this.#dictionary(object.dictionary, "", "");
    const role = this.#roleOf(object, number);
    const bytes = role === "binary" ? undefined : this.#bytes(object);
    const cleaned = bytes && this.#stream(bytes, object, role, number);
    if (bytes === cleaned || cleaned === undefined) {
      return dictionary === object.dictionary ? object : new PdfStream(dictionary, object.body);
    }
    this.count++;
    const plain = dictionary.clone();
    for (const key of ["Filter", "DecodeParms", "F", "FFilter", "FDecodeParms", "DL"]) plain.delete(key);
    return new PdfStream(plain, plainBody(cleaned));
  }

  /** Returns the decoded bytes; undefined if they cannot be decoded, so that no viewer shows them either. */
  #bytes({ body }: PdfStream): Uint8Array | undefined {
    try {
      return body.decoded(MAX_STREAM_BYTES);
    } catch (error) {
      if (error instanceof EngineFailure && error.reason === "damaged") return undefined;
      throw error;
    }
  }

  #roleOf({ dictionary }: PdfStream, number: number): Role {
    const name = (key: string) => this.#file.name(dictionary.get(key));
    const known = this.#roles.get(number) ?? "any";
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
      const resources = this.#file.dictionary(dictionary.get("Resources"));
      const isShown = this.#shown.has(number);
      const pieces = isShown ? [] : piecesOf(this.#file, bytes, resources, this.#fonts);
      if (pieces.some((piece) => finder.matches(piece))) return new Uint8Array(0);
      return withoutHiddenMatches(bytes, finder, (properties) => this.#dictionary(properties, "", ""));
    }
    const text = textOf(bytes);
    if (role === "metadata") {
      const cleaned = withoutMatches(text, finder);
      return cleaned === text ? bytes : new TextEncoder().encode(cleaned);
    }
    const hasMatch = isReadable(text) ? finder.matches(text) : finder.findLiterals(text).length > 0;
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
    if (value instanceof Name) return STATES.has(key) || key === "Opt" ? this.#name(value) : value;
    if (value instanceof Dictionary) return this.#dictionary(value, key, parent);
    if (!Array.isArray(value)) return value;
    const isIndexed = value[0] instanceof Name && /^(Indexed|I)$/.test(value[0].text);
    const elements = value.map((element, at) =>
      isIndexed && at === 3 ? this.#lookup(element) : this.#value(element, key, parent),
    );
    return elements.every((element, at) => element === value[at]) ? value : elements;
  }

  #lookup(value: Value): Value {
    if (value instanceof Reference) this.#roles.set(value.number, "binary");
    return value instanceof PdfString ? value : this.#value(value, "", "");
  }

  #dictionary(dictionary: Dictionary, key: string, parent: string): Dictionary {
    const file = this.#file;
    const isStates = parent === "AP" && STATE_LISTS.has(key);
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
      if (isPage && entry === "Contents") this.#contents(value);
      const cleaned = this.#value(value, entry, key);
      if (cleaned !== value) set(entry, cleaned);
      if (!isStates) continue;
      const name = this.#name(Name.of(entry)).text;
      if (name === entry) continue;
      set(entry, null);
      set(name, cleaned);
    }
    return result;
  }

  /** Removes entries whose keys match, which only dictionaries of the user's own keys can have. */
  #withoutKeys(dictionary: Dictionary): Dictionary {
    const found = dictionary.keys().filter((key) => this.#finder.matches(textOf(Buffer.from(key, "latin1"))));
    this.count += found.length;
    const copy = dictionary.clone();
    for (const key of found) copy.delete(key);
    return found.length > 0 ? copy : dictionary;
  }

  #contents(value: Value): void {
    for (const part of value instanceof Reference
      ? [value, ...(this.#file.array(value) ?? [])]
      : (this.#file.array(value) ?? [])) {
      if (part instanceof Reference && !this.#roles.has(part.number)) this.#add(part.number, "content");
    }
  }

  #visit({ number }: Reference, key: string, parent: string): void {
    const isGlyph = parent === "CharProcs";
    const role = isGlyph
      ? "content"
      : BINARY.has(key)
        ? "binary"
        : key === "Metadata"
          ? "metadata"
          : key === "XFA"
            ? "form-data"
            : "any";
    if (!this.#roles.has(number)) this.#add(number, role);
  }

  #add(number: number, role: Role): void {
    this.#file.budget.charge(VISIT_BYTES);
    this.#roles.set(number, role);
    this.#waiting.push(number);
  }

  #name(name: Name): Name {
    const text = textOf(Buffer.from(name.text, "latin1"));
    return this.#finder.matches(text) ? Name.of(this.#rename(text, "Redacted")) : name;
  }

  #string(string: PdfString, key: string): Value {
    if (string.latin1 === "" || NOT_TEXT.has(key)) return string;
    const text = decodeTextString(string);
    const isMarkup = key === "RC" || key === "RV";
    const shown = isMarkup ? text.replace(/<[^>]*>/g, "") : text;
    const cleaned = this.#finder.replace(shown);
    const isClean = cleaned === shown && !(isMarkup && this.#finder.findLiterals(text).length > 0);
    if (isClean && !this.#hasOtherText(string, text)) return string;
    this.count++;
    if (isMarkup || isClean || /^D:\d{4}/.test(text)) return null;
    if (key === "URI") return new PdfString("");
    return encodeTextString(REFERRED.has(key) ? this.#rename(text, cleaned) : cleaned);
  }

  /** Reports whether a string has a match if it is read as UTF-8 or UTF-16 without a byte order mark. */
  #hasOtherText(string: PdfString, text: string): boolean {
    if (/^[\n\r\t\x20-\x7e]*$/.test(string.latin1)) return false;
    return [textOf(string.bytes), new TextDecoder("utf-16be").decode(string.bytes)].some(
      (other) => other !== text && this.#finder.findLiterals(other).length > 0,
    );
  }

  #rename(text: string, wanted: string): string {
    const known = this.#renamed.get(text);
    if (known !== undefined) return known;
    const count = (this.#taken.get(wanted) ?? 0) + 1;
    this.#taken.set(wanted, count);
    const name = count === 1 ? wanted : `${wanted} ${count}`;
    this.#renamed.set(text, name);
    return name;
  }
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes bytes of an unknown encoding. */
function textOf(bytes: Uint8Array): string {
  if ((bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0xff && bytes[1] === 0xfe)) {
    return decodeTextString(new PdfString(bytes));
  }
  try {
    return UTF_8.decode(bytes);
  } catch {
    return latin1Of(bytes);
  }
}

/** Reports whether bytes are a text: presets would find numbers in anything else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the signs of other data
const isReadable = (text: string): boolean => !/[\0-\x08\x0e-\x1f]/.test(text.slice(0, 1000));
