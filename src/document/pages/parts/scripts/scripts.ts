// Rewrites JavaScript of a form whose fields, functions or destinations were renamed because another input has the same
// names. Changes a field name only where it is passed to a field function or compared with a field's name.
import { literalOf, literalValue, type Token, tokensOf } from "./script-tokens.ts";

export interface ScriptNames {
  /** The new names of this input's root fields, by old name. */
  readonly fields: ReadonlyMap<string, string>;
  /** The new names of renamed destinations, by old name. */
  readonly destinations: ReadonlyMap<string, string>;
  /** The new names of renamed functions and variables of the document-level scripts. */
  readonly globals: ReadonlyMap<string, string>;
  /** Name of the function in {@link helperScript}. */
  readonly helper: string;
  /** Replaces the root of unknown field names, so scripts cannot reach other inputs. Undefined for one input. */
  readonly foreign: string | undefined;
}

/**
 * Returns a document-level script that updates computed names at run time. Its function maps a name, or an array of
 * names, to new names; without arguments, it returns the names of all root fields. Names that are already mapped stay
 * the same. With a second argument, names of other inputs also stay the same. The script uses only JavaScript of 1999
 * (ECMAScript 3), which all viewers support.
 */
export function helperScript({ helper, fields, foreign }: ScriptNames, own: readonly string[]): string {
  const roots = foreign === undefined ? fields : new Map([...fields, [foreign, foreign]]);
  const mapped = [...roots.values()].filter((name) => !fields.has(name)).map((name) => [name, name] as const);
  // The prefix distinguishes keys from the properties of Object.prototype.
  const map = [...fields, ...mapped].map(([from, to]) => `${literalOf(`.${from}`)}:${literalOf(to)}`).join(",");
  const others = literalOf(foreign === undefined ? "" : `${foreign}.`);
  return (
    `function ${helper}(n,k){if(!arguments.length)return [${own.map(literalOf).join(",")}];var m={${map}};` +
    `function f(s){var p=s.split("."),q=m["."+p[0]];if(q)p[0]=q;return (q||k?"":${others})+p.join(".")}` +
    `function g(s){s=String(s).split(",");` +
    `for(var i=0;i<s.length;i++)s[i]=f(s[i].replace(/^\\s+|\\s+$/g,""));return s.join(",")}` +
    `if(!(n instanceof Array))return g(n);` +
    `var r=[];for(var i=0;i<n.length;i++)r.push(g(n[i]));return r}`
  );
}

/** Functions with one argument, a field name. */
const TAKE_NAME = new Set(["getField", "removeField"]);
/** Functions with an argument that contains only field names. */
const TAKE_LIST = new Set(["resetForm", "AFSimple_Calculate"]);
/** Functions with field names among other arguments. */
const TAKE_NAMES = new Set([
  "submitForm",
  "mailForm",
  "exportAsFDF",
  "exportAsFDFStr",
  "exportAsXFDF",
  "exportAsXFDFStr",
  "exportAsText",
]);
/** Tokens in a literal list of names. */
const LIST_WORDS = new Set(["[", "]", ",", "(", ")", "new", "Array"]);

/** @returns the same text if it is unchanged */
export function rewriteScript(script: string, names: ScriptNames): string {
  return new Rewriting(script, names).result();
}

/** @returns the names of global functions and variables that the script defines */
export function globalsOf(script: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let before = "";
  for (const { kind, text } of tokensOf(script)) {
    if (kind === "space") continue;
    if (kind === "sign" && "({[".includes(text)) depth++;
    else if (kind === "sign" && ")}]".includes(text)) depth--;
    else if (kind === "word" && depth === 0 && ["function", "var", "let", "const"].includes(before)) found.push(text);
    before = text;
  }
  return found;
}

/** @returns the new full name (ISO 32000-1, 12.7.3.2); a name outside these roots moves below `foreign`, if set */
export function renamed(name: string, roots: ReadonlyMap<string, string>, foreign?: string): string {
  const root = rootOf(name);
  const now = roots.get(root);
  if (now !== undefined) return now + name.slice(root.length);
  return foreign === undefined || name === "" ? name : `${foreign}.${name}`;
}

/** Returns the root of a full name. A dot in a partial name is indistinguishable from a separator of levels. */
export function rootOf(name: string): string {
  const dot = name.indexOf(".");
  return dot < 0 ? name : name.slice(0, dot);
}

class Rewriting {
  readonly #names: ScriptNames;
  /** The tokens without white space and comments. */
  readonly #tokens: Token[] = [];
  /** The text before each of these tokens, and after the last one. */
  readonly #spaces: string[] = [""];
  readonly #before: string[] = [];
  readonly #texts: string[] = [];
  /** Index of the closing bracket, by index of the opening bracket. */
  readonly #closing = new Map<number, number>();
  /** End of the last processed list of names. */
  #listed = 0;
  /**
   * True if the script iterates over the names of all fields. A name that is missing in the result would stop the
   * script.
   */
  #asksForAll = false;

  constructor(script: string, names: ScriptNames) {
    this.#names = names;
    const open: number[] = [];
    for (const token of tokensOf(script)) {
      if (token.kind === "space") {
        this.#spaces[this.#tokens.length] += token.text;
        continue;
      }
      const index = this.#tokens.push(token) - 1;
      if (token.text === "getNthFieldName") this.#asksForAll = true;
      this.#texts.push(token.text);
      this.#before.push("");
      this.#spaces.push("");
      if (token.kind !== "sign") continue;
      if ("({[".includes(token.text)) open.push(index);
      else if (")}]".includes(token.text)) this.#closing.set(open.pop() ?? -1, index);
    }
  }

  result(): string {
    this.#tokens.forEach(({ kind, text }, index) => {
      if (kind === "word") {
        if (this.#names.globals.has(text)) this.#renameGlobal(index);
        if (text === "switch") this.#renameCases(index);
        else if (this.#text(index + 1) === "(" && this.#text(index - 1) !== "function") this.#renameInCall(index);
      } else if (kind === "string" && this.#isCompared(index)) {
        this.#renameLiteral(index);
      }
    });
    const last = this.#spaces[this.#tokens.length];
    return this.#texts.map((text, index) => this.#spaces[index]! + this.#before[index]! + text).join("") + last;
  }

  #text(index: number): string | undefined {
    return this.#tokens[index]?.text;
  }

  #renameGlobal(index: number): void {
    const property = this.#text(index - 1) === ".";
    if (property && this.#text(index - 2) !== "this") return;
    const isKey = this.#text(index + 1) === ":" && ["{", ","].includes(this.#text(index - 1) ?? "");
    if (!isKey) this.#texts[index] = this.#names.globals.get(this.#text(index)!)!;
  }

  #renameInCall(index: number): void {
    const name = this.#text(index)!;
    const end = this.#closing.get(index + 1);
    if (end === undefined) return;
    const first = index + 2;
    if (name === "gotoNamedDest") this.#renameDestination(first, end);
    else if (TAKE_NAME.has(name)) this.#renameWhole(first, end);
    else if (name === "addField") this.#renameWhole(first, this.#comma(first, end) ?? end);
    else if (name === "resetForm" && end === first) this.#restrict(end);
    else if (TAKE_LIST.has(name)) this.#renameWhole(name === "resetForm" ? first : this.#afterComma(first, end), end);
    else if (TAKE_NAMES.has(name)) this.#renameAmong(first, end);
  }

  /** Renames an argument that is a name or a list of names. A computed argument is mapped at run time. */
  #renameWhole(first: number, end: number): void {
    for (let index = first; index < end; index++) {
      const { kind, text } = this.#tokens[index]!;
      if (kind === "string" || LIST_WORDS.has(text)) continue;
      this.#wrap(first, end);
      return;
    }
    for (let index = first; index < end; index++) {
      if (this.#tokens[index]!.kind === "string") this.#renameLiteral(index, this.#names.foreign);
    }
  }

  /** Renames field names among other arguments. Other strings can be URLs or titles. */
  #renameAmong(first: number, end: number): void {
    const isName = (index: number) => this.#tokens[index]!.kind === "word" && this.#text(index + 1) !== "(";
    if (end === first + 1 && isName(first)) {
      this.#wrap(first, end, true);
      return;
    }
    // A nested call was already processed with its outer call.
    for (let index = Math.max(first, this.#listed); index < end; index++) {
      if (this.#tokens[index]!.kind === "string") this.#renameLiteral(index);
    }
    this.#listed = Math.max(end, this.#listed);
  }

  #renameDestination(first: number, end: number): void {
    if (end !== first + 1 || this.#tokens[first]!.kind !== "string") return;
    const name = this.#names.destinations.get(literalValue(this.#text(first)!));
    if (name !== undefined) this.#texts[first] = literalOf(name);
  }

  /** Renames the cases of `switch (event.target.name)`, which are compared with field names. */
  #renameCases(index: number): void {
    const end = this.#closing.get(index + 1) ?? 0;
    if (!this.#isName(end - 1) || this.#text(end + 1) !== "{") return;
    const last = this.#closing.get(end + 1) ?? 0;
    for (let at = end + 2; at < last; at++) {
      const opens = this.#text(at) === "{" ? this.#closing.get(at) : undefined;
      if (opens !== undefined) at = opens;
      else if (this.#text(at) === "case" && this.#tokens[at + 1]?.kind === "string") this.#renameLiteral(at + 1);
    }
  }

  #isName(index: number): boolean {
    return ["name", "targetName"].includes(this.#text(index) ?? "") && this.#text(index - 1) === ".";
  }

  /** Restricts `resetForm()`, which resets all fields, to the fields of this input. */
  #restrict(end: number): void {
    if (this.#names.foreign !== undefined) this.#before[end] += `${this.#names.helper}()`;
  }

  #wrap(first: number, end: number, keepsOthers = this.#asksForAll): void {
    if (end <= first) return;
    this.#before[first] += `${this.#names.helper}(`;
    this.#before[end] = `${keepsOthers ? ",1" : ""})${this.#before[end]}`;
  }

  /** Renames one name, or several names separated by commas. */
  #renameLiteral(index: number, foreign?: string): void {
    const value = literalValue(this.#text(index)!);
    const result = value.replace(/[^,]+/g, (part) => {
      const name = part.trim();
      return part.replace(name, () => renamed(name, this.#names.fields, foreign));
    });
    if (result !== value) this.#texts[index] = literalOf(result);
  }

  /** Reports whether the string is compared with `event.target.name` or a similar property. */
  #isCompared(index: number): boolean {
    const isOperator = (at: number) => /^[!=]==?$/.test(this.#text(at) ?? "");
    if (isOperator(index - 1)) return this.#isName(index - 2);
    if (!isOperator(index + 1)) return false;
    let at = index + 2;
    while (this.#text(at + 1) === ".") at += 2;
    return this.#isName(at);
  }

  /** Returns the end of the first argument if another argument follows. */
  #comma(first: number, end: number): number | undefined {
    for (let index = first; index < end; index = (this.#closing.get(index) ?? index) + 1) {
      if (this.#text(index) === ",") return index;
    }
    return undefined;
  }

  #afterComma(first: number, end: number): number {
    const comma = this.#comma(first, end);
    return comma === undefined ? first : comma + 1;
  }
}
