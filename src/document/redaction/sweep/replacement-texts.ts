// Removes matches that several replacement texts form together: programs replace single words or letters, and readers
// join the texts (ISO 32000-1, 14.9.4).
import type { Edit } from "../../content/edits.ts";
import { serialize } from "../../objects/serialize.ts";
import { decodeTextString, encodeTextString } from "../../objects/text-strings.ts";
import { Dictionary, PdfString, Reference, type Value } from "../../objects/values.ts";
import { type Finder, REPLACEMENT } from "../expressions/expressions.ts";
import type { Match } from "../expressions/match.ts";

interface Replaced {
  readonly properties: Dictionary;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The replacement texts of one content stream. */
export class ReplacementTexts {
  readonly #texts: Replaced[] = [];

  /**
   * @param operand from `start` to `end` in the content, or the property list that it names; ignored unless it has a
   * replacement text
   */
  add(operand: Value, start: number, end: number): void {
    const text = operand instanceof Dictionary ? operand.get("ActualText") : undefined;
    if (!(operand instanceof Dictionary && text instanceof PdfString)) return;
    this.#texts.push({ properties: operand, text: decodeTextString(text), start, end });
  }

  /**
   * Returns edits that replace the texts that match together.
   * @param replace called for each replaced property list
   */
  edits(finder: Finder, replace: (properties: Dictionary) => void): Edit[] {
    if (this.#texts.length < 2) return [];
    const texts = this.#texts.map(({ text }) => text);
    const [spaced, unbroken] = [texts.join(" "), texts.join("")];
    const isNew = (text: string) => (match: Match) => !text.slice(match.start, match.end).includes(REPLACEMENT);
    const found = new Set([
      ...this.#partsOf(finder.find(spaced).filter(isNew(spaced)), 1),
      ...this.#partsOf(finder.findLiterals(unbroken).filter(isNew(unbroken)), 0),
    ]);
    return [...found].map(({ properties, start, end }) => {
      replace(properties);
      const cleaned = properties.clone().set("ActualText", encodeTextString(REPLACEMENT));
      // A property list can contain references, content cannot.
      for (const [key, value] of properties) if (value instanceof Reference) cleaned.delete(key);
      return { start, end, text: ` ${serialize(cleaned, ({ number }) => number)} ` };
    });
  }

  /** Returns the texts in matches of more than one. @param between number of characters between two texts */
  #partsOf(matches: readonly Match[], between: number): Replaced[] {
    const parts: Replaced[] = [];
    let at = 0;
    let first = 0;
    for (const { start, end } of matches) {
      while (first < this.#texts.length && at + this.#texts[first]!.text.length <= start) {
        at += this.#texts[first]!.text.length + between;
        first++;
      }
      const inside: Replaced[] = [];
      for (let next = first, from = at; next < this.#texts.length && from < end; next++) {
        inside.push(this.#texts[next]!);
        from += this.#texts[next]!.text.length + between;
      }
      if (inside.length > 1) parts.push(...inside);
    }
    return parts;
  }
}
