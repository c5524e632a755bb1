// Builds a text in which each UTF-16 code unit has a place, for example the index of its glyph. A page can have
// hundreds of thousands of glyphs, so places are columns of numbers.

export class PlacedText {
  readonly #parts: string[] = [];
  #places: Int32Array;
  #length = 0;

  /** @param expected approximate number of code units */
  constructor(expected: number) {
    this.#places = new Int32Array(expected + 1);
  }

  /** Adds a text at one place. */
  add(text: string, place: number): void {
    this.#reserve(text.length);
    this.#parts.push(text);
    this.#places.fill(place, this.#length, this.#length + text.length);
    this.#length += text.length;
  }

  /** Adds a text whose code units have consecutive places. */
  addRun(text: string, place: number): void {
    this.#reserve(text.length);
    this.#parts.push(text);
    for (let unit = 0; unit < text.length; unit++) this.#places[this.#length++] = place + unit;
  }

  /** Adds a part of a text that has places. */
  addPart(text: string, places: Int32Array, from: number, to: number): void {
    if (to <= from) return;
    this.#reserve(to - from);
    this.#parts.push(text.slice(from, to));
    this.#places.set(places.subarray(from, to), this.#length);
    this.#length += to - from;
  }

  get text(): string {
    return this.#parts.join("");
  }

  get places(): Int32Array {
    return this.#places.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#places.length) return;
    const longer = new Int32Array(Math.max(this.#places.length * 2, this.#length + more));
    longer.set(this.#places);
    this.#places = longer;
  }
}
