// How many operators the content of a file comes to when each form is drawn wherever it is used (ISO 32000-1, 8.10): validators go
// through all of them, and forms in forms multiply.
import { EngineFailure } from "../../operations/operation.ts";
import type { Operation } from "../content.ts";
import type { PdfFile } from "../pdf-file.ts";
import { Name, Reference } from "../values.ts";
import type { ContentStream } from "./content-streams.ts";

/** veraPDF takes 11 to 13 microseconds for each, and has two minutes. */
const MOST_OPERATORS = 8_000_000;
/** What one form that is used takes in memory, about. */
const USE_BYTES = 64;

/** Of one content stream. */
class Count {
  operators = 0;
  /** How often, by number of the form's object. */
  readonly uses = new Map<number, number>();
  /** With the operators of its forms. */
  total = 0;
  state: "new" | "open" | "done" = "new";
}

export class ContentCount {
  readonly #file: PdfFile;
  readonly #counts: Count[] = [];
  readonly #forms = new Map<number, Count>();
  readonly #used = new Set<Count>();
  /** Of all streams, each once: the sum cannot be less. */
  #seen = 0;
  #stream: ContentStream | undefined;
  #count = new Count();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /**
   * To be told of all operations of one stream before those of the next.
   * @throws EngineFailure `too-complex` as soon as there are too many without any form drawn twice
   */
  see({ operator, operands }: Operation, stream: ContentStream): void {
    if (stream !== this.#stream) this.#begin(stream);
    const { uses } = this.#count;
    this.#count.operators++;
    if (++this.#seen > MOST_OPERATORS) throw new EngineFailure("too-complex", `more than ${MOST_OPERATORS} operators`);
    const [name] = operands;
    if (operator !== "Do" || !(name instanceof Name)) return;
    const own = this.#file.dictionary(stream.resources.get("XObject"))?.get(name.text);
    const form = own ?? this.#file.dictionary(stream.inherited?.get("XObject"))?.get(name.text);
    if (!(form instanceof Reference)) return;
    const before = uses.get(form.number);
    if (before === undefined) this.#file.budget.charge(USE_BYTES);
    uses.set(form.number, (before ?? 0) + 1);
  }

  /** @throws EngineFailure `too-complex` where there are so many that a validator comes to no end */
  check(): void {
    for (const count of this.#counts) for (const [form] of this.#formsOf(count)) this.#used.add(form);
    let sum = 0;
    for (const count of this.#counts) if (!this.#used.has(count)) sum += this.#totalOf(count);
    if (sum > MOST_OPERATORS) throw new EngineFailure("too-complex", `${sum} operators, with forms in forms`);
  }

  #begin(stream: ContentStream): void {
    this.#stream = stream;
    this.#count = new Count();
    this.#counts.push(this.#count);
    if (stream.number !== undefined) this.#forms.set(stream.number, this.#count);
  }

  *#formsOf({ uses }: Count): Generator<[Count, number]> {
    for (const [number, times] of uses) {
      const form = this.#forms.get(number);
      if (form) yield [form, times];
    }
  }

  /** Each form is gone through once; what is inside of itself comes to nothing there. */
  #totalOf(root: Count): number {
    const path = [root];
    for (let count = path.at(-1); count; count = path.at(-1)) {
      if (count.state === "new") {
        count.state = "open";
        for (const [form] of this.#formsOf(count)) if (form.state === "new") path.push(form);
        continue;
      }
      path.pop();
      if (count.state === "done") continue;
      count.state = "done";
      count.total = count.operators;
      for (const [form, times] of this.#formsOf(count)) count.total += times * form.total;
    }
    return root.total;
  }
}
