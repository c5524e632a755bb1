// Expressions that clients search for, and their matches in a text.
import { RE2JS } from "re2js";
import * as z from "zod";
import { EngineFailure } from "../../contract/failure.ts";
import { CountedText, tooManySteps } from "./counted-text.ts";
import { type Folded, fold } from "./fold.ts";
import { foldPattern } from "./fold-pattern.ts";
import type { Match } from "./match.ts";
import { PRESETS, type PresetName } from "./presets.ts";

const MAX_LENGTH = 1000;
const MAX_EXPRESSIONS = 1000;
/** Maximum size of a compiled regular expression. */
const MAX_INSTRUCTIONS = 5000;
/** Maximum steps of a job; one takes up to 50 ns. RE2 needs steps in proportion to its instructions and to the text. */
const MAX_STEPS = 5_000_000_000;
/** Steps per character: folding it, and searching for literals, of which one step serves several. */
const FOLDING_STEPS = 10;
const LITERALS_PER_STEP = 20;
/** Number of instructions that can be tried for one character. Larger expressions rarely have one state for them all. */
const USUAL_INSTRUCTIONS = 200;
/** Number of times that a search can read each character without additional steps. */
const USUAL_READS = 8;
/** Maximum number of matches in one text. */
const MAX_MATCHES = 1_000_000;
/** Maximum length of a text that is searched as a whole. The parts of longer texts overlap. */
const PART_LENGTH = 2 ** 20;
const OVERLAP = 2 ** 14;

const value = z.string().min(1).max(MAX_LENGTH);
const expression = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("literal"), value: value.refine((text) => fold(text).text.trim() !== "") }),
  z.strictObject({ type: z.literal("regex"), value: value.refine((text) => compile(text) !== undefined) }),
  z.strictObject({ type: z.literal("preset"), value: z.enum(Object.keys(PRESETS) as [PresetName, ...PresetName[]]) }),
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
    RE2JS.compile(text);
    const compiled = RE2JS.compile(foldPattern(text));
    return compiled.programSize() <= MAX_INSTRUCTIONS ? compiled : undefined;
  } catch {
    return undefined;
  }
}

/** Searches texts for several expressions. */
export class Finder {
  readonly #finds: readonly Lazy[];
  readonly #literalFinds: readonly Lazy[];
  readonly #presetFinds: readonly Lazy[];
  readonly #stepsPerCharacter: number;
  #steps = 0;

  constructor(given: readonly Expression[]) {
    const patterns = given.flatMap(({ type, value }) => (type === "regex" ? [compile(value)!] : []));
    this.#presetFinds = given.flatMap(({ type, value }) => (type === "preset" ? [PRESETS[value]] : []));
    this.#literalFinds = given.flatMap(({ type, value }) => (type === "literal" ? [literal(fold(value).text)] : []));
    this.#finds = [...this.#literalFinds, ...patterns.map((pattern) => this.#regular(pattern)), ...this.#presetFinds];
    this.#stepsPerCharacter = patterns.reduce((sum, pattern) => sum + stepsOf(pattern), this.#presetFinds.length);
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

  #search({ text, places }: Folded, finds: readonly Lazy[]): Match[] {
    const found: Match[] = [];
    for (const match of this.#matchesIn(text, finds)) {
      if (found.push(match) > MAX_MATCHES) throw new EngineFailure("too-complex", "a text with too many matches");
    }
    found.sort((a, b) => a.start - b.start || b.end - a.end);
    let reached = 0;
    return found.flatMap(({ start, end }) => {
      if (end <= reached) return [];
      reached = end;
      return [{ start: places[start]!, end: places[end]! }];
    });
  }

  /** Yields the matches of a folded text that are not white space only. */
  *#matchesIn(text: string, finds: readonly Lazy[]): Generator<Match> {
    if (finds === this.#finds) this.#spend(text.length * this.#stepsPerCharacter);
    if (finds === this.#presetFinds) this.#spend(text.length * finds.length);
    this.#spend(text.length * (FOLDING_STEPS + this.#literalFinds.length / LITERALS_PER_STEP));
    for (const find of finds) {
      for (const match of find(text)) {
        for (let at = match.start; at < match.end; at++) {
          if (text[at] === " ") continue;
          yield match;
          break;
        }
      }
    }
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw tooManySteps();
  }

  #regular(pattern: RE2JS): Lazy {
    const steps = stepsOf(pattern);
    const spend = (more: number) => this.#spend(more);
    const rest = () => MAX_STEPS - this.#steps;
    return function* (text) {
      const usual = text.length * USUAL_READS;
      const counted = new CountedText(text, usual + rest() / steps);
      const matcher = pattern.matcher(counted as unknown as string);
      try {
        while (matcher.find()) yield { start: matcher.start(), end: matcher.end() };
      } finally {
        spend(Math.max(0, counted.reads - usual) * steps);
      }
    };
  }

  /** Reports whether a text has a match. Unlike {@link find}, it accepts texts of any length. */
  #hasMatch(original: string, finds: readonly Lazy[]): boolean {
    for (let at = 0; at === 0 || at + OVERLAP < original.length; at += PART_LENGTH - OVERLAP) {
      const { text } = fold(original.slice(at, at + PART_LENGTH));
      for (const _ of this.#matchesIn(text, finds)) return true;
    }
    return false;
  }

  /** Reports whether a text has a match of a literal. */
  matchesLiteral(text: string): boolean {
    return this.hasLiterals && this.#hasMatch(text, this.#literalFinds);
  }

  get hasLiterals(): boolean {
    return this.#literalFinds.length > 0;
  }

  get hasPresets(): boolean {
    return this.#presetFinds.length > 0;
  }

  /** Returns the matches of the literals only. */
  findLiterals(original: string): Match[] {
    return this.hasLiterals ? this.#search(fold(original), this.#literalFinds) : [];
  }

  /** Returns the matches of the presets only. */
  findPresets(original: string): Match[] {
    return this.hasPresets ? this.#search(fold(original), this.#presetFinds) : [];
  }

  /** Reports whether a text of a match is only a replacement, with what surrounds it. */
  isReplaced(text: string): boolean {
    return REPLACEMENTS.test(text) && !this.matches(text);
  }

  /** Reports whether a text has a match outside of earlier replacements. */
  matches(text: string): boolean {
    return text.split(REPLACEMENTS).some((part, at) => at % 2 === 0 && this.#hasMatch(part, this.#finds));
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

/** Like the finds of presets, but finds a match only when it is needed. */
type Lazy = (text: string) => Iterable<Match>;

const stepsOf = (pattern: RE2JS): number => {
  const size = pattern.programSize();
  return size * Math.max(1, size / USUAL_INSTRUCTIONS);
};

function literal(searched: string): Lazy {
  return function* (text) {
    for (let at = text.indexOf(searched); at >= 0; at = text.indexOf(searched, at + 1)) {
      yield { start: at, end: at + searched.length };
    }
  };
}
