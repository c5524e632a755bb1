// Estimates the time and memory that a validator needs for the content of a file. A validator reads each stream once,
// and reads forms, patterns and Type 3 glyphs again for each use (ISO 32000-1, 8.7.3, 8.10 and 9.6.5), so the cost of
// nested forms multiplies.

import type { ContentOperation } from "../../content/content.ts";
import { TEXT_SHOWING } from "../../content/operators.ts";
import { EngineFailure } from "../../contract/failure.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, PdfString, Reference, type Value } from "../../objects/values.ts";
import { readSimpleEncoding } from "../../text/simple-encoding.ts";
import type { ContentStream } from "./content-stream.ts";

/** An upper estimate of a validator's cost for the content of a file. */
export interface ContentWork {
  readonly ms: number;
  /** Memory of the validator. */
  readonly bytes: number;
}

/**
 * Limits of a validator. They allow about four million operators on a page, six million in total, or 150,000
 * annotations; src/service/http/contract/errors.ts states these numbers to clients. veraPDF has three minutes and a
 * heap of 2 GiB, on machines with half the speed of the measured one.
 */
const MOST: ContentWork = { ms: 80_000, bytes: 1.8 * 2 ** 30 };

/** Costs in microseconds, measured (decisions/0018). A `value` is an operand, or a value nested in one. */
const TIME = {
  operator: 3,
  value: 7,
  byte: 1,
  inlineImage: 50,
  use: 20,
  operatorAgain: 2,
  object: 50,
  annotation: 450,
};
/** Costs in bytes. `KEPT`: until the end of the validation. `HELD`: only while the stream is processed. */
const KEPT = { operator: 150, value: 30, byte: 4, inlineImage: 37_000, use: 1300, object: 1000, annotation: 4000 };
const HELD = { operator: 300, value: 15 };

/** Approximate memory, in this process, per use of a form and per font. */
const USE_BYTES = 64;
const FONT_BYTES = 4096;

/** The costs of one content stream. */
class Count {
  operators = 0;
  values = 0;
  /** Number of uses, by object number of a form, a pattern or a glyph. */
  readonly uses = new Map<number, number>();
  /** Microseconds to read the stream again, including the streams that it uses. */
  again = 0;
  /** Bytes in use while the stream is processed, including the streams that it uses. */
  held = 0;
  state: "new" | "open" | "done" = "new";
}

/** Object numbers of the glyphs of a Type 3 font, by character code. */
type Glyphs = readonly (number | undefined)[];

export class ContentCount {
  readonly #file: PdfFile;
  readonly #counts: Count[] = [];
  readonly #pages: Count[] = [];
  readonly #streams = new Map<number, Count>();
  readonly #calls = new Map<number, number>();
  readonly #fonts = new Map<Dictionary, Glyphs>();
  /** Microseconds to process each stream once: a lower bound of the total. */
  #microseconds = 0;
  #kept = 0;
  #stream: ContentStream | undefined;
  #count = new Count();
  #glyphs: Glyphs | undefined;
  #saved: (Glyphs | undefined)[] = [];

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /**
   * Counts an operation. All operations of one stream must precede those of the next stream.
   * @throws EngineFailure `too-much-content` as soon as there are too many operations, counting each stream only once
   */
  see({ operator, operands, data }: ContentOperation, stream: ContentStream): void {
    if (stream !== this.#stream) this.#begin(stream);
    const { values, bytes } = sizeOf(operands);
    this.#count.operators++;
    this.#count.values += values;
    this.#microseconds += TIME.operator + values * TIME.value + bytes * TIME.byte + (data ? TIME.inlineImage : 0);
    this.#kept += KEPT.operator + values * KEPT.value + bytes * KEPT.byte + (data ? KEPT.inlineImage : 0);
    check({ ms: this.#microseconds / 1000, bytes: this.#kept });
    if (operator === "Do") this.#use(this.#resource("XObject", operands, stream));
    else if (operator === "scn" || operator === "SCN") this.#use(this.#resource("Pattern", operands, stream));
    else if (operator === "Tf") this.#glyphs = this.#glyphsOf(this.#resource("Font", operands.slice(0, 1), stream));
    else if (operator === "q") this.#saved.push(this.#glyphs);
    else if (operator === "Q" && this.#saved.length > 0) this.#glyphs = this.#saved.pop();
    else if (this.#glyphs && TEXT_SHOWING.has(operator)) this.#show(operands, this.#glyphs);
  }

  /**
   * Counts the dictionaries and streams of the file, and the annotations among them.
   * @throws EngineFailure `too-much-content`
   */
  seeObjects(objects: number, annotations: number): void {
    this.#microseconds += objects * TIME.object + annotations * TIME.annotation;
    this.#kept += objects * KEPT.object + annotations * KEPT.annotation;
    check({ ms: this.#microseconds / 1000, bytes: this.#kept });
  }

  /** Counts a use without an operator: the appearance of an annotation. */
  readonly call = (number: number): void => {
    this.#calls.set(number, (this.#calls.get(number) ?? 0) + 1);
  };

  /** @throws EngineFailure `too-much-content` if a validator would exceed its time or memory */
  work(): ContentWork {
    let again = 0;
    let held = 0;
    const visit = (count: Count | undefined, times: number) => {
      if (!count) return;
      this.#goThrough(count);
      again += times * (TIME.use + count.again);
      held = Math.max(held, count.held);
    };
    for (const page of this.#pages) visit(page, 1);
    for (const [number, times] of this.#calls) visit(this.#streams.get(number), times);
    for (const count of this.#counts) if (count.state === "new") visit(count, 0);
    return check({ ms: (this.#microseconds + again) / 1000, bytes: this.#kept + held });
  }

  #begin(stream: ContentStream): void {
    this.#stream = stream;
    this.#count = new Count();
    this.#glyphs = undefined;
    this.#saved = [];
    this.#counts.push(this.#count);
    if (stream.number === undefined) this.#pages.push(this.#count);
    else this.#streams.set(stream.number, this.#count);
  }

  /** Returns the resource that the last operand names. */
  #resource(category: string, operands: readonly Value[], { resources, inherited }: ContentStream): Value | undefined {
    const name = operands.at(-1);
    if (!(name instanceof Name)) return undefined;
    const own = this.#file.dictionary(resources.get(category))?.get(name.text);
    return own ?? this.#file.dictionary(inherited?.get(category))?.get(name.text);
  }

  #use(value: Value | undefined): void {
    if (!(value instanceof Reference)) return;
    const { uses } = this.#count;
    const before = uses.get(value.number);
    if (before === undefined) this.#file.budget.charge(USE_BYTES);
    uses.set(value.number, (before ?? 0) + 1);
    this.#kept += KEPT.use;
  }

  /** Counts a glyph once for each operation that shows it. */
  #show(operands: readonly Value[], glyphs: Glyphs): void {
    const shown = new Set<number>();
    for (const text of stringsOf(operands)) for (let at = 0; at < text.length; at++) shown.add(text.charCodeAt(at));
    for (const code of shown) {
      const number = glyphs[code];
      if (number !== undefined) this.#use(new Reference(number));
    }
  }

  /** @returns undefined for fonts whose glyphs are not content streams */
  #glyphsOf(value: Value | undefined): Glyphs | undefined {
    const font = this.#file.dictionary(value);
    if (!font || this.#file.name(font.get("Subtype")) !== "Type3") return undefined;
    const known = this.#fonts.get(font);
    if (known) return known;
    this.#file.budget.charge(FONT_BYTES);
    const procedures = this.#file.dictionary(font.get("CharProcs"));
    const glyphs = readSimpleEncoding(this.#file, font.get("Encoding"), []).names.map((name) => {
      const procedure = name === undefined ? undefined : procedures?.get(name);
      return procedure instanceof Reference ? procedure.number : undefined;
    });
    this.#fonts.set(font, glyphs);
    return glyphs;
  }

  *#usesOf({ uses }: Count): Generator<[Count, number]> {
    for (const [number, times] of uses) {
      const used = this.#streams.get(number);
      if (used) yield [used, times];
    }
  }

  /** Adds up costs, processing each stream once. A recursive use adds nothing. */
  #goThrough(root: Count): void {
    const path = [root];
    for (let count = path.at(-1); count; count = path.at(-1)) {
      if (count.state === "new") {
        count.state = "open";
        for (const [used] of this.#usesOf(count)) if (used.state === "new") path.push(used);
        continue;
      }
      path.pop();
      if (count.state === "done") continue;
      count.state = "done";
      count.again = count.operators * TIME.operatorAgain;
      let deepest = 0;
      for (const [used, times] of this.#usesOf(count)) {
        count.again += times * (TIME.use + used.again);
        deepest = Math.max(deepest, used.held);
      }
      count.held = count.operators * HELD.operator + count.values * HELD.value + deepest;
    }
  }
}

/** @throws EngineFailure `too-much-content` */
export function checkAnnotations(count: number): void {
  check({ ms: (count * TIME.annotation) / 1000, bytes: count * KEPT.annotation });
}

function check(work: ContentWork): ContentWork {
  const { ms, bytes } = work;
  if (ms > MOST.ms || bytes > MOST.bytes) {
    throw new EngineFailure(
      "too-much-content",
      `content that takes a validator ${Math.round(ms)} ms, ${Math.round(bytes)} bytes`,
    );
  }
  return work;
}

/** Returns the number of operands, including nested values, and the bytes of their strings. */
function sizeOf(operands: readonly Value[]): { readonly values: number; readonly bytes: number } {
  let values = 0;
  let bytes = 0;
  const waiting = [operands];
  for (let some = waiting.pop(); some; some = waiting.pop()) {
    values += some.length;
    for (const value of some) {
      if (value instanceof PdfString) bytes += value.latin1.length;
      else if (Array.isArray(value)) waiting.push(value);
      else if (value instanceof Dictionary) waiting.push([...value.values()]);
    }
  }
  return { values, bytes };
}

function* stringsOf(operands: readonly Value[]): Generator<string> {
  for (const operand of operands) {
    if (operand instanceof PdfString) yield operand.latin1;
    else if (Array.isArray(operand))
      for (const element of operand) if (element instanceof PdfString) yield element.latin1;
  }
}
