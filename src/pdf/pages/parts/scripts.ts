// JavaScript of a form whose fields, or whose functions, got other names because another input has the same ones. It changes names
// of fields where they are given to the functions that take them, and nothing else. Knows no PDF object.
import { literalOf, literalValue, type Token, tokensOf } from "./script-tokens.ts";

export interface ScriptNames {
  /** What the root fields of this input were called, and what they are called now. */
  readonly fields: ReadonlyMap<string, string>;
  /** Names of destinations that changed. */
  readonly destinations: ReadonlyMap<string, string>;
  /** Names of functions and variables of the document's own scripts that changed. */
  readonly globals: ReadonlyMap<string, string>;
  /** The function of {@link helperScript}. */
  readonly helper: string;
  /** Where there are other inputs, whose fields a script must not reach: a root that none of them has, for all other names. */
  readonly foreign: string | undefined;
}

/**
 * A script of the document for names that are computed: a function that maps a name, or each of an array of them, and gives all
 * root fields where it is asked for nothing. Names that are mapped already stay; with a second argument those of others do as well.
 * In the language of 1999, which all viewers speak.
 */
export function helperScript({ helper, fields, foreign }: ScriptNames, own: readonly string[]): string {
  const roots = foreign === undefined ? fields : new Map([...fields, [foreign, foreign]]);
  const mapped = [...roots.values()].filter((name) => !fields.has(name)).map((name) => [name, name] as const);
  // No key is one that every object has.
  const map = [...fields, ...mapped].map(([from, to]) => `${literalOf(`.${from}`)}:${literalOf(to)}`).join(",");
  const others = literalOf(foreign === undefined ? "" : `${foreign}.`);
  return (
    `function ${helper}(n,k){if(!arguments.length)return [${own.map(literalOf).join(",")}];var m={${map}};` +
    `function f(s){var p=s.split("."),q=m["."+p[0]];if(q)p[0]=q;return (q||k?"":${others})+p.join(".")}` +
    `function g(s){s=String(s).split(",");for(var i=0;i<s.length;i++)s[i]=f(s[i].replace(/^\\s+|\\s+$/g,""));return s.join(",")}` +
    `if(!(n instanceof Array))return g(n);` +
    `var r=[];for(var i=0;i<n.length;i++)r.push(g(n[i]));return r}`
  );
}

/** Take one name of a field. */
const TAKE_NAME = new Set(["getField", "removeField"]);
/** Take names of fields and nothing else, in one of their arguments. */
const TAKE_LIST = new Set(["resetForm", "AFSimple_Calculate"]);
/** Take names of fields among other things. */
const TAKE_NAMES = new Set([
  "submitForm",
  "mailForm",
  "exportAsFDF",
  "exportAsFDFStr",
  "exportAsXFDF",
  "exportAsXFDFStr",
  "exportAsText",
]);
/** What stands in a list of names that is written out. */
const LIST_WORDS = new Set(["[", "]", ",", "(", ")", "new", "Array"]);

/** @returns the same text where nothing in it has to change */
export function rewriteScript(script: string, names: ScriptNames): string {
  return new Rewriting(script, names).result();
}

/** @returns names of functions and variables that the script defines for all others */
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

/** @returns a full name (ISO 32000-1, 12.7.3.2) as it is now; one that is none of these roots' is put below `foreign`, if given */
export function renamed(name: string, roots: ReadonlyMap<string, string>, foreign?: string): string {
  const root = rootOf(name);
  const now = roots.get(root);
  if (now !== undefined) return now + name.slice(root.length);
  return foreign === undefined || name === "" ? name : `${foreign}.${name}`;
}

/** A name that stands for itself may have a dot all the same; nobody can tell it from one of two levels. */
export function rootOf(name: string): string {
  const dot = name.indexOf(".");
  return dot < 0 ? name : name.slice(0, dot);
}

class Rewriting {
  readonly #names: ScriptNames;
  /** Those that mean something. */
  readonly #tokens: Token[] = [];
  /** What stands before each of them, and after the last. */
  readonly #spaces: string[] = [""];
  readonly #before: string[] = [];
  readonly #texts: string[] = [];
  /** The closing bracket of each opening one. */
  readonly #closing = new Map<number, number>();
  /** Where the last list of names ended. */
  #listed = 0;
  /** It goes through the names of all fields there are, and would end at the first one that it does not find. */
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
    return this.#texts.map((text, index) => this.#spaces[index] + this.#before[index] + text).join("") + last;
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

  /** An argument that is a name or a list of names. Where it is computed, it goes through the map when the script runs. */
  #renameWhole(first: number, end: number): void {
    for (let index = first; index < end; index++) {
      const { kind, text } = this.#tokens[index];
      if (kind === "string" || LIST_WORDS.has(text)) continue;
      this.#wrap(first, end);
      return;
    }
    for (let index = first; index < end; index++) {
      if (this.#tokens[index].kind === "string") this.#renameLiteral(index, this.#names.foreign);
    }
  }

  /** What is no name of these fields may be an address, or a title. */
  #renameAmong(first: number, end: number): void {
    const isName = (index: number) => this.#tokens[index].kind === "word" && this.#text(index + 1) !== "(";
    if (end === first + 1 && isName(first)) {
      this.#wrap(first, end, true);
      return;
    }
    // A call inside of another has been looked at with it.
    for (let index = Math.max(first, this.#listed); index < end; index++) {
      if (this.#tokens[index].kind === "string") this.#renameLiteral(index);
    }
    this.#listed = Math.max(end, this.#listed);
  }

  #renameDestination(first: number, end: number): void {
    if (end !== first + 1 || this.#tokens[first].kind !== "string") return;
    const name = this.#names.destinations.get(literalValue(this.#text(first)!));
    if (name !== undefined) this.#texts[first] = literalOf(name);
  }

  /** `switch (event.target.name)`: its cases are compared with it. */
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

  /** `resetForm()` means all fields there are. */
  #restrict(end: number): void {
    if (this.#names.foreign !== undefined) this.#before[end] += `${this.#names.helper}()`;
  }

  #wrap(first: number, end: number, keepsOthers = this.#asksForAll): void {
    if (end <= first) return;
    this.#before[first] += `${this.#names.helper}(`;
    this.#before[end] = `${keepsOthers ? ",1" : ""})${this.#before[end]}`;
  }

  /** One name, or several with commas between them. */
  #renameLiteral(index: number, foreign?: string): void {
    const value = literalValue(this.#text(index)!);
    const result = value.replace(/[^,]+/g, (part) => {
      const name = part.trim();
      return part.replace(name, () => renamed(name, this.#names.fields, foreign));
    });
    if (result !== value) this.#texts[index] = literalOf(result);
  }

  /** Whether `event.target.name` or the like is compared with it. */
  #isCompared(index: number): boolean {
    const isOperator = (at: number) => /^[!=]==?$/.test(this.#text(at) ?? "");
    if (isOperator(index - 1)) return this.#isName(index - 2);
    if (!isOperator(index + 1)) return false;
    let at = index + 2;
    while (this.#text(at + 1) === ".") at += 2;
    return this.#isName(at);
  }

  /** Where the first argument ends, if there is another. */
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
