// Merges the default resources of all forms, and updates font names in default appearance strings (ISO 32000-1,
// 12.7.3.3), so that each name refers to one font.

import type { PdfFile } from "../../../objects/pdf-file.ts";
import { UniqueNames } from "../../../objects/unique-names.ts";
import { Dictionary, PdfString, Reference, type Value } from "../../../objects/values.ts";
import type { DocumentPart, InputSelection } from "../../assemble.ts";
import { annotationsOf } from "../annotation-index.ts";
import { findFields } from "./field-tree.ts";
import type { KeptFields } from "./kept-fields.ts";

/** Matches a font name in a default appearance string, before its size and Tf. */
const FONT = /\/([^\s/[\]()<>{}%]+)(?=\s+[-+\d.]+\s+Tf\b)/g;
/** Fonts that viewers need to create appearances. */
const USUAL = ["Helv", "ZaDb"];

export class FormResources implements DocumentPart {
  readonly #fields: KeptFields;
  readonly #names = new UniqueNames((name, count) => `${name}_${count}`);
  readonly #fonts = new Map<string, Value>();
  /** Default resources of the target except fonts, by category and name. */
  readonly #others = new Map<string, Map<string, Value>>();
  /** The new names of this input's renamed fonts, by old name. */
  #renamed = new Map<string, string>();
  #file: PdfFile | undefined;

  constructor(fields: KeptFields) {
    this.#fields = fields;
  }

  open(taking: InputSelection): void {
    this.#renamed = new Map();
    this.#file = taking.source.file;
    const form = taking.source.once(findFields)?.form;
    const resources = taking.source.file.dictionary(form?.get("DR"));
    if (!form || !resources) return;
    const used = taking.isWhole ? undefined : this.#usedFonts(taking, form);
    for (const [kind, value] of resources) {
      const entries = taking.source.file.dictionary(value);
      if (kind === "Font") this.#addFonts(taking, entries, used);
      else if (entries && !used) this.#addOthers(taking, kind, entries);
    }
  }

  /** Returns the font names in the default appearance strings of kept objects. */
  #usedFonts({ source, pages }: InputSelection, form: Dictionary): Set<string> {
    const { file } = source;
    const used = new Set(USUAL);
    const add = (holder: Dictionary | undefined) => {
      const string = file.string(holder?.get("DA"));
      for (const [, name] of string?.latin1.matchAll(FONT) ?? []) used.add(decodeName(name!));
    };
    add(form);
    for (const { reference } of this.#fields.keptNodes()) add(file.dictionary(reference));
    for (const page of pages) for (const value of annotationsOf(source, page.source)) add(file.dictionary(value));
    return used;
  }

  #addFonts({ copier }: InputSelection, fonts: Dictionary | undefined, used: ReadonlySet<string> | undefined): void {
    for (const [name, font] of fonts ?? []) {
      if (used && !used.has(name)) continue;
      const value = copier.value(font);
      const known = this.#fonts.get(name);
      if (known instanceof Reference && value instanceof Reference && known.number === value.number) continue;
      const result = this.#names.take(name);
      this.#fonts.set(result, value);
      if (result !== name) this.#renamed.set(name, result);
    }
  }

  #addOthers({ copier }: InputSelection, kind: string, entries: Dictionary): void {
    const known = this.#others.get(kind) ?? new Map<string, Value>();
    this.#others.set(kind, known);
    for (const [name, value] of entries) if (!known.has(name)) known.set(name, copier.value(value));
  }

  /** Updates the default appearance string of an annotation or a field. The caller owns the dictionary. */
  settle(holder: Dictionary): void {
    const string = this.#file?.string(holder.get("DA"));
    if (string) holder.set("DA", this.rewrite(string));
  }

  rewrite(string: PdfString): PdfString {
    if (this.#renamed.size === 0) return string;
    return PdfString.ofLatin1(
      string.latin1.replace(FONT, (whole, name: string) => {
        const result = this.#renamed.get(decodeName(name));
        return result === undefined ? whole : `/${encodeName(result)}`;
      }),
    );
  }

  /** The DR entry of the target. Undefined if it would be empty. */
  get dictionary(): Dictionary | undefined {
    const result = new Dictionary();
    if (this.#fonts.size > 0) result.set("Font", dictionaryOf(this.#fonts));
    for (const [kind, entries] of this.#others) if (entries.size > 0) result.set(kind, dictionaryOf(entries));
    return result.size > 0 ? result : undefined;
  }
}

function dictionaryOf(entries: ReadonlyMap<string, Value>): Dictionary {
  const result = new Dictionary();
  for (const [key, value] of entries) result.set(key, value);
  return result;
}

const decodeName = (text: string) =>
  text.replace(/#([\da-fA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

const encodeName = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches all characters except regular ones
  text.replace(/[\x00-\x20\x7f-\xff#/[\]()<>{}%]/g, (character) => {
    return `#${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
