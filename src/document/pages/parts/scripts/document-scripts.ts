// Copies the JavaScript of a document (ISO 32000-1, 12.6.4.16): the document-level scripts, and the names that they
// define. scripts.ts rewrites the text of a script.

import { decodeTextString, encodeTextString } from "../../../objects/text-strings.ts";
import { readNameTree, writeNameTree } from "../../../objects/trees.ts";
import { UniqueNames } from "../../../objects/unique-names.ts";
import { Dictionary, Name, PdfString, Reference, type Value } from "../../../objects/values.ts";
import type { AssemblyTarget, DocumentPart, InputSelection } from "../../assemble.ts";
import type { SourceDocument } from "../../source-document.ts";
import { namesOf } from "../catalog-entries.ts";
import type { Destinations } from "../destinations.ts";
import type { KeptFields } from "../forms/kept-fields.ts";
import { globalsOf, helperScript, rewriteScript, type ScriptNames } from "./scripts.ts";

/** Maximum size of a rewritten script. Hand-written programs are shorter. */
const MAX_SCRIPT_BYTES = 4 * 1024 * 1024;

/** Name of the added helper function. */
const HELPER = "joinedFieldNames";

interface Shared {
  readonly actions: ReadonlyMap<string, Dictionary>;
  /** The functions and variables defined in the document-level scripts. */
  readonly globals: ReadonlySet<string>;
}

function findShared(source: SourceDocument): Shared {
  const { file } = source;
  const actions = new Map<string, Dictionary>();
  const globals = new Set<string>();
  for (const [name, value] of readNameTree(file, file.dictionary(file.catalog.get("Names"))?.get("JavaScript"))) {
    const action = file.dictionary(value);
    if (!action) continue;
    actions.set(name, action);
    for (const name of globalsOf(scriptOf(source, action.get("JS")) ?? "")) globals.add(name);
  }
  return { actions, globals };
}

function scriptOf({ file }: SourceDocument, value: Value | undefined): string | undefined {
  const stream = file.stream(value);
  if (!stream) {
    const string = file.string(value);
    return string && string.latin1.length <= MAX_SCRIPT_BYTES ? decodeTextString(string) : undefined;
  }
  try {
    return decodeTextString(new PdfString(stream.body.decoded(MAX_SCRIPT_BYTES)));
  } catch {
    // Viewers do not run unreadable scripts.
    return undefined;
  }
}

export class Scripts implements DocumentPart {
  readonly #fields: KeptFields;
  readonly #destinations: Destinations;
  readonly #globals = new UniqueNames((name, count) => `${name}_${count}`);
  readonly #keys = new UniqueNames((name, count) => `${name}_${count}`);
  readonly #written = new Map<string, Value>();
  #taking!: InputSelection;
  #renamedGlobals = new Map<string, string>();
  /** The rewritten scripts of indirect objects, by object number. */
  #known = new Map<number, Value>();
  #isUsed = false;
  #helper = "";
  #isHelperUsed = false;

  constructor(fields: KeptFields, destinations: Destinations) {
    this.#fields = fields;
    this.#destinations = destinations;
  }

  open(taking: InputSelection): void {
    this.#taking = taking;
    this.#known = new Map();
    this.#renamedGlobals = new Map();
    this.#isUsed = false;
    this.#helper = "";
    this.#isHelperUsed = false;
    for (const name of taking.source.once(findShared).globals) {
      const result = this.#globals.take(name);
      if (result !== name) this.#renamedGlobals.set(name, result);
    }
  }

  /**
   * Rewrites a script of a kept object.
   * @returns a value of the source; the same value if it is unchanged
   */
  rewrite(script: Value): Value {
    this.#isUsed = true;
    // With a single input, no names can conflict.
    if (this.#fields.foreign === undefined) return script;
    this.#helper ||= this.#globals.take(HELPER);
    const number = script instanceof Reference ? script.number : 0;
    const known = this.#known.get(number);
    if (known !== undefined) return known;
    const text = scriptOf(this.#taking.source, script);
    const rewritten = text === undefined ? undefined : rewriteScript(text, this.#names());
    let result = script;
    if (rewritten !== undefined && rewritten !== text) {
      if (rewritten.includes(`${this.#helper}(`)) this.#isHelperUsed = true;
      const string = encodeTextString(rewritten);
      result = number > 0 ? this.#taking.source.file.add(string) : string;
    }
    if (number > 0) this.#known.set(number, result);
    return result;
  }

  #names(): ScriptNames {
    const { roots: fields, foreign } = this.#fields;
    const { changed: destinations } = this.#destinations;
    return { fields, foreign, destinations, globals: this.#renamedGlobals, helper: this.#helper };
  }

  /** Copies the document-level scripts if all pages are selected, or if a kept script might call them. */
  close({ source, copier, isWhole }: InputSelection): void {
    if (!isWhole && !this.#isUsed) return;
    for (const [name, action] of source.once(findShared).actions) {
      const script = action.get("JS");
      if (script === undefined) continue;
      const copy = Dictionary.of({ S: Name.of("JavaScript"), JS: this.rewrite(script) });
      this.#written.set(this.#keys.take(name), copier.value(copy));
    }
    if (!this.#isHelperUsed) return;
    const script = helperScript(this.#names(), this.#fields.own ?? []);
    // Viewers run document-level scripts in name order, and the helper must be first.
    const action = Dictionary.of({ S: Name.of("JavaScript"), JS: encodeTextString(script) });
    this.#written.set(this.#keys.take(`!${this.#helper}`), copier.value(action));
  }

  finish(result: AssemblyTarget): void {
    if (this.#written.size > 0) namesOf(result).set("JavaScript", writeNameTree(result.file, this.#written));
  }
}
