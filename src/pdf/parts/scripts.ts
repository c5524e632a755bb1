// JavaScript of a form whose fields, or whose functions, got other names because another input has the same ones. It changes names
// of fields where they are given to the functions that take them, and nothing else. Knows no PDF object.
import { literalOf, literalValue, type Token, tokensOf } from "./script-tokens.ts";

export interface ScriptNames {
  /** Names of root fields that changed. */
  readonly fields: ReadonlyMap<string, string>;
  /** Names of functions and variables of the document's own scripts that changed. */
  readonly globals: ReadonlyMap<string, string>;
  /** The function of {@link helperScript}. */
  readonly helper: string;
  /** Whether there are fields of other inputs, which a script must not reach. */
  readonly hasOthers: boolean;
}

/**
 * A script of the document for names that are computed: a function that maps a name, or each of an array of them, and gives all
 * root fields where it is asked for nothing. In the language of 1999, which all viewers speak.
 * @param own the root fields of this input, by the names they have now
 */
export function helperScript(name: string, fields: ReadonlyMap<string, string>, own: readonly string[]): string {
  const map = [...fields].map(([from, to]) => `${literalOf(from)}:${literalOf(to)}`).join(",");
  return (
    `function ${name}(n){if(!arguments.length)return [${own.map(literalOf).join(",")}];` +
    `var m={${map}};function f(s){var p=String(s).split(".");` +
    `if(m.hasOwnProperty(p[0]))p[0]=m[p[0]];return p.join(".")}` +
    `if(!(n instanceof Array))return f(n);` +
    `var r=[];for(var i=0;i<n.length;i++)r.push(f(n[i]));return r}`
  );
}

/** Take one name of a field. */
const TAKE_NAME = new Set(["getField", "removeField"]);
/** Take names of fields among other things. */
const TAKE_NAMES = new Set([
  "resetForm",
  "submitForm",
  "mailForm",
  "exportAsFDF",
  "exportAsFDFStr",
  "exportAsXFDF",
  "exportAsXFDFStr",
  "exportAsText",
  "AFSimple_Calculate",
]);

/** @returns the same text where nothing in it has to change */
export function rewriteScript(script: string, names: ScriptNames): string {
  if (names.fields.size === 0 && names.globals.size === 0 && !names.hasOthers) return script;
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

/** @returns a full name (ISO 32000-1, 12.7.3.2) whose root has changed */
export function renamed(name: string, roots: ReadonlyMap<string, string>): string {
  const dot = name.indexOf(".");
  const root = dot < 0 ? name : name.slice(0, dot);
  const other = roots.get(root);
  return other === undefined ? name : other + name.slice(root.length);
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

  constructor(script: string, names: ScriptNames) {
    this.#names = names;
    const open: number[] = [];
    for (const token of tokensOf(script)) {
      if (token.kind === "space") {
        this.#spaces[this.#tokens.length] += token.text;
        continue;
      }
      const index = this.#tokens.push(token) - 1;
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
        if (this.#text(index + 1) === "(" && this.#text(index - 1) !== "function") this.#renameInCall(index);
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
    if (TAKE_NAME.has(name)) {
      if (end === first + 1 && this.#tokens[first]!.kind === "string") this.#renameLiteral(first);
      else if (end > first) this.#wrap(first, end);
    } else if (TAKE_NAMES.has(name)) {
      if (end === first) this.#restrict(name, end);
      else this.#renameList(name === "AFSimple_Calculate" ? this.#afterComma(first, end) : first, end);
    }
  }

  /** Names in a list of literals; a list that comes from elsewhere goes through the map when the script runs. */
  #renameList(first: number, end: number): void {
    const isName = (index: number) => this.#tokens[index]!.kind === "word" && this.#text(index + 1) !== "(";
    if (end === first + 1 && isName(first)) {
      this.#wrap(first, end);
      return;
    }
    // A call inside of another has been looked at with it.
    for (let index = Math.max(first, this.#listed); index < end; index++) {
      if (this.#tokens[index]!.kind === "string") this.#renameLiteral(index);
    }
    this.#listed = Math.max(end, this.#listed);
  }

  /** `resetForm()` means all fields there are. */
  #restrict(name: string, end: number): void {
    if (name === "resetForm" && this.#names.hasOthers) this.#before[end] += `${this.#names.helper}()`;
  }

  #wrap(first: number, end: number): void {
    if (this.#names.fields.size === 0) return;
    this.#before[first] += `${this.#names.helper}(`;
    this.#before[end] = `)${this.#before[end]}`;
  }

  /** One name, or several with commas between them. */
  #renameLiteral(index: number): void {
    const value = literalValue(this.#text(index)!);
    const result = value.replace(/[^,]+/g, (part) => {
      const name = part.trim();
      return part.replace(name, () => renamed(name, this.#names.fields));
    });
    if (result !== value) this.#texts[index] = literalOf(result);
  }

  /** Whether `event.target.name` or the like is compared with it. */
  #isCompared(index: number): boolean {
    const isOperator = (at: number) => /^[!=]==?$/.test(this.#text(at) ?? "");
    const isName = (at: number) => ["name", "targetName"].includes(this.#text(at) ?? "") && this.#text(at - 1) === ".";
    if (isOperator(index - 1)) return isName(index - 2);
    if (!isOperator(index + 1)) return false;
    let at = index + 2;
    while (this.#text(at + 1) === ".") at += 2;
    return isName(at);
  }

  #afterComma(first: number, end: number): number {
    for (let index = first; index < end; index = (this.#closing.get(index) ?? index) + 1) {
      if (this.#text(index) === ",") return index + 1;
    }
    return first;
  }
}
