// Expressions that clients search for, and their matches in a text.
import { RE2JS } from "re2js";
import * as z from "zod";
import { EngineFailure } from "../../contract/failure.ts";
import { type Folded, fold } from "./fold.ts";
import type { Find, Match } from "./match.ts";
import { PRESETS, type PresetName } from "./presets.ts";

const MAX_LENGTH = 1000;
const MAX_EXPRESSIONS = 1000;
/** Maximum size of a compiled regular expression. RE2 needs time in proportion to this size and the text. */
const MAX_INSTRUCTIONS = 5000;
/** Maximum number of characters of a document, multiplied by the instructions of all expressions. */
const MAX_STEPS = 20_000_000_000;

const value = z.string().min(1).max(MAX_LENGTH);
const expression = z.discriminatedUnion("type", [
  z.object({ type: z.literal("literal"), value: value.refine((text) => fold(text).text.trim() !== "") }),
  z.object({ type: z.literal("regex"), value: value.refine((text) => compile(text) !== undefined) }),
  z.object({ type: z.literal("preset"), value: z.enum(Object.keys(PRESETS) as [PresetName, ...PresetName[]]) }),
]);
export const expressions = z.array(expression).min(1).max(MAX_EXPRESSIONS);
export type Expression = z.infer<typeof expression>;

/** Replaces each match outside of page contents. Its length is independent of the match. */
export const REPLACEMENT = "\u2588\u2588\u2588\u2588\u2588";
/** Replaced names are numbered with eight blocks as digits, because they must stay distinct. */
const REPLACEMENTS = /([\u2588-\u258f]+)/u;

/** @returns undefined if the expression is invalid (RE2 syntax) or too large */
function compile(text: string): RE2JS | undefined {
  try {
    const compiled = RE2JS.compile(text);
    return compiled.programSize() <= MAX_INSTRUCTIONS ? compiled : undefined;
  } catch {
    return undefined;
  }
}

/** Searches texts for several expressions. */
export class Finder {
  readonly #finds: readonly Find[];
  readonly #literalFinds: readonly Find[];
  readonly #stepsPerCharacter: number;
  #steps = 0;

  constructor(given: readonly Expression[]) {
    const patterns = given.flatMap(({ type, value }) => (type === "regex" ? [compile(value)!] : []));
    this.#literalFinds = given.flatMap(({ type, value }) => (type === "literal" ? [literal(fold(value).text)] : []));
    this.#finds = [
      ...this.#literalFinds,
      ...patterns.map(regular),
      ...given.flatMap(({ type, value }) => (type === "preset" ? [PRESETS[value]] : [])),
    ];
    this.#stepsPerCharacter = patterns.reduce((sum, pattern) => sum + pattern.programSize(), this.#finds.length);
  }

  /**
   * Returns the matches in their order, without those inside others and those of white space only.
   * @throws EngineFailure `too-complex`
   */
  find(original: string): Match[] {
    return original === "" ? [] : this.findIn(fold(original));
  }

  /** @returns ranges of the original text */
  findIn(folded: Folded): Match[] {
    return this.#search(folded, this.#finds);
  }

  #search({ text, places }: Folded, finds: readonly Find[]): Match[] {
    this.#steps += text.length * this.#stepsPerCharacter;
    if (this.#steps > MAX_STEPS) throw new EngineFailure("too-complex", "expressions that need too many steps");
    const found = finds.flatMap((find) => find(text)).filter(({ start, end }) => text.slice(start, end).trim() !== "");
    found.sort((a, b) => a.start - b.start || b.end - a.end);
    let reached = 0;
    return found.flatMap(({ start, end }) => {
      if (end <= reached) return [];
      reached = end;
      return [{ start: places[start]!, end: places[end]! }];
    });
  }

  get hasLiterals(): boolean {
    return this.#literalFinds.length > 0;
  }

  /** Returns the matches of the literals only. */
  findLiterals(original: string): Match[] {
    return this.hasLiterals ? this.#search(fold(original), this.#literalFinds) : [];
  }

  /** Reports whether a text of a match is only a replacement, with what surrounds it. */
  isReplaced(text: string): boolean {
    return REPLACEMENTS.test(text) && !this.matches(text);
  }

  /** Reports whether a text has a match outside of earlier replacements. */
  matches(text: string): boolean {
    return text.split(REPLACEMENTS).some((part, at) => at % 2 === 0 && this.find(part).length > 0);
  }

  /** Returns the text with each match outside of earlier replacements replaced; the same string if there is none. */
  replace(text: string): string {
    return text
      .split(REPLACEMENTS)
      .map((part, at) => (at % 2 === 0 ? this.#replaced(part) : part))
      .join("");
  }

  #replaced(text: string): string {
    const parts: string[] = [];
    let at = 0;
    for (const { start, end } of this.find(text)) {
      if (start < at) {
        at = Math.max(at, end);
        continue;
      }
      parts.push(text.slice(at, start), REPLACEMENT);
      at = end;
    }
    return parts.length === 0 ? text : parts.join("") + text.slice(at);
  }
}

function literal(searched: string): Find {
  return (text) => {
    const found: Match[] = [];
    for (let at = text.indexOf(searched); at >= 0; at = text.indexOf(searched, at + 1)) {
      found.push({ start: at, end: at + searched.length });
    }
    return found;
  };
}

function regular(pattern: RE2JS): Find {
  return (text) => {
    const matcher = pattern.matcher(text);
    const found: Match[] = [];
    while (matcher.find()) found.push({ start: matcher.start(), end: matcher.end() });
    return found;
  };
}
