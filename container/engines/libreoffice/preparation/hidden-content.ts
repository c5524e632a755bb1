// Removes hidden content of a Word document that LibreOffice would print: objects in hidden runs, hidden VML shapes and
// hidden drawings. Unwraps content controls with hidden text, because LibreOffice loses their formatting and would show
// that text.

import { attributeOf, startTags, withoutEntities, xmlBytes, xmlText } from "./markup.ts";

/** Maximum size of a root element's start tag with its namespaces, in bytes. */
const ROOT_WITHIN = 8192;
const OBJECTS: ReadonlySet<string> = new Set(["pict", "drawing", "object", "AlternateContent"]);
/** Keywords of elements that need changes if the document also has hidden text. */
const HOLDERS = ["sdtContent", ...OBJECTS];
/** Keywords of hidden objects. */
const HIDING = [' hidden="1"', ' hidden="true"', "visibility:hidden", "visibility: hidden"];

const isOfWord = (content: Buffer) => content.subarray(0, ROOT_WITHIN).includes("wordprocessingml");

/** Detects by keywords whether a document might contain hidden content to remove. */
export class HiddenSigns {
  #hasText = false;
  #hasHolders = false;
  #hasObjects = false;

  get mayHide(): boolean {
    return this.#hasObjects || (this.#hasText && this.#hasHolders);
  }

  look(content: Buffer): void {
    if (!isOfWord(content)) return;
    const has = (text: string) => content.includes(text);
    this.#hasText ||= has("vanish");
    this.#hasHolders ||= HOLDERS.some(has);
    this.#hasObjects ||= HIDING.some(has);
  }
}

/** Removes hidden content. Returns only the changed parts, by part name. @param parts of any document, by part name */
export function withoutHidden(parts: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  const texts = [...parts].filter(([, content]) => isOfWord(content));
  const styles = new Set(texts.flatMap(([, content]) => (content.includes("vanish") ? hidingStyles(content) : [])));
  const changed = new Map<string, Buffer>();
  for (const [name, content] of texts) {
    if (![...HOLDERS, ...HIDING].some((sign) => content.includes(sign))) continue;
    const text = xmlText(content);
    const kept = new Cutting(text, styles).run();
    if (kept !== text) changed.set(name, xmlBytes(kept));
  }
  return changed;
}

/** Reads a toggle property (ISO 29500-1, 17.17.4). */
const isOn = (tag: string) => !/^(0|false|off)$/.test(attributeOf(tag, "val") ?? "");

/** Returns the IDs of styles that hide text, directly or through the styles that they are based on. */
function hidingStyles(content: Buffer): string[] {
  const [, ...definitions] = xmlText(content).split(/(?=<(?:[\w.-]{1,64}:)?style\s)/);
  const own = new Map<string, boolean>();
  const bases = new Map<string, string>();
  for (const definition of definitions) {
    const tagOf = (element: string) => startTags(element).exec(definition)?.[0];
    const id = attributeOf(definition.slice(0, definition.indexOf(">")), "styleId") ?? "";
    const vanish = tagOf("vanish");
    if (vanish !== undefined) own.set(id, isOn(vanish));
    bases.set(id, attributeOf(tagOf("basedOn") ?? "", "val") ?? "");
  }
  const hides = (id: string | undefined, depth = 0): boolean =>
    id !== undefined && depth < MAX_BASES && (own.get(id) ?? hides(bases.get(id), depth + 1));
  return [...bases.keys()].filter((id) => hides(id));
}

/** Maximum length of a chain of base styles that Word follows. */
const MAX_BASES = 11;
/** Maximum nesting between a run and the properties of its drawing. */
const MAX_LEVELS = 8;

/** Matches comments, CDATA sections and tags. An unclosed comment or section extends to the end of the part. */
const TOKEN =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<(\/?)(?:[\w.-]{1,64}:)?([\w.-]{1,128})(?=[\s/>])(?:[^<>"']|"[^"<]*"|'[^'<]*')*>/g;

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Element {
  readonly name: string;
  readonly parent: Element | undefined;
  /** The element's start tag. */
  readonly tag: Range;
  /** True if its text is hidden. */
  isHidden: boolean;
  /** True if it contains hidden text. */
  hasHidden: boolean;
  isCut: boolean;
  /** Content between the tags of a content control's `sdtContent`. */
  content?: Range;
}

class Cutting {
  readonly #text: string;
  readonly #styles: ReadonlySet<string>;
  readonly #cuts: Range[] = [];
  /** Start tag of the root element. */
  readonly #root: string;
  #within: Element | undefined;

  constructor(text: string, styles: ReadonlySet<string>) {
    this.#text = text;
    this.#root = /<\w[^<>]*>/.exec(text)?.[0] ?? "";
    this.#styles = styles;
  }

  /** Returns the text without hidden content. Returns the text unchanged if it is not well-formed. */
  run(): string {
    for (const { 0: tag, 1: slash, 2: name, index: from } of this.#text.matchAll(TOKEN)) {
      if (name === undefined) continue;
      const place = { from, to: from + tag.length };
      if (slash !== "/") this.#begin(name, tag, place);
      else if (this.#within?.name !== name) return this.#text;
      if (slash === "/" || tag.endsWith("/>")) this.#end(this.#within!, place);
    }
    return this.#within ? this.#text : this.#left();
  }

  #begin(name: string, tag: string, place: Range): void {
    const parent = this.#within;
    this.#within = {
      name,
      parent,
      tag: place,
      isHidden: parent?.isHidden ?? false,
      hasHidden: false,
      isCut: false,
    };
    this.#readFormat(this.#within, tag);
    if (name === "docPr" && /^(1|true|on)$/.test(attributeOf(tag, "hidden") ?? "")) cutFromRun(this.#within);
    if (parent && /visibility\s*:\s*hidden/.test(attributeOf(tag, "style") ?? "")) {
      (parent.name === "object" ? parent : this.#within).isCut = true;
    }
  }

  /** Marks a run or paragraph as hidden if this property hides it. */
  #readFormat(property: Element, tag: string): void {
    const owner = property.parent?.parent;
    if (!owner || !/^(vanish|[pr]Style)$/.test(property.name)) return;
    const isVanish = property.name === "vanish";
    const isHidden = isVanish ? isOn(tag) : this.#styles.has(withoutEntities(attributeOf(tag, "val") ?? ""));
    property.hasHidden = isHidden;
    const isOfRun = owner.name === "r" && property.parent?.name === "rPr";
    const isOfParagraph = owner.name === "p" && property.parent?.name === "pPr" && !isVanish;
    if ((isOfRun && (isVanish || isHidden)) || isOfParagraph) owner.isHidden = isHidden;
  }

  #end(element: Element, { from, to }: Range): void {
    const { name, parent, tag, content } = element;
    this.#within = parent;
    if (parent && element.hasHidden) parent.hasHidden = true;
    if (parent && name === "sdtContent") parent.content = { from: tag.to, to: from };
    const isHiddenObject = parent?.name === "r" && parent.isHidden && OBJECTS.has(name);
    if (element.isCut || isHiddenObject) this.#cuts.push({ from: tag.from, to });
    if (name !== "sdt" || !element.hasHidden || !content || this.#declares(tag.from, content.from)) return;
    this.#cuts.push({ from: tag.from, to: content.from }, { from: Math.max(content.from, content.to), to });
  }

  /** Reports whether the tags in a range declare namespaces that the root element does not declare. */
  #declares(from: number, to: number): boolean {
    const declared = this.#text.slice(from, to).match(/\sxmlns(?::[\w.-]+)?\s*=\s*(?:"[^"<]*"|'[^'<]*')/g) ?? [];
    return declared.some((one) => !this.#root.includes(one));
  }

  #left(): string {
    const kept: string[] = [];
    let at = 0;
    for (const { from, to } of this.#cuts.sort((a, b) => a.from - b.from)) {
      if (from > at) kept.push(this.#text.slice(at, from));
      at = Math.max(at, to);
    }
    return at === 0 ? this.#text : [...kept, this.#text.slice(at)].join("");
  }
}

/** Marks the run's child that contains this element for removal. */
function cutFromRun(element: Element): void {
  let one: Element | undefined = element;
  for (let level = 0; one && level < MAX_LEVELS; level++, one = one.parent) {
    if (one.parent?.name === "r") {
      one.isCut = true;
      return;
    }
  }
}
