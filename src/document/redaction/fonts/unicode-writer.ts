// Writes a ToUnicode CMap (Adobe Technical Note 5014), with one range for consecutive codes and characters.

const ENTRIES_AT_ONCE = 100;

interface Run {
  readonly bytes: number;
  readonly first: number;
  last: number;
  readonly text: string;
}

const hex = (value: number, bytes: number) => value.toString(16).padStart(bytes * 2, "0");
const utf16 = (text: string) => Array.from({ length: text.length }, (_, at) => hex(text.charCodeAt(at), 2)).join("");

export class UnicodeWriter {
  readonly #runs: Run[] = [];
  /** The code point that continues the last run; undefined for a run of one ligature. */
  #next: number | undefined;

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  /** Ignores a code without a text. Codes come in ascending order. */
  add(code: number, bytes: number, text: string | undefined): void {
    if (text === undefined) return;
    const run = this.#runs.at(-1);
    const codePoint = text.codePointAt(0)!;
    const continues = run?.bytes === bytes && run.last + 1 === code && this.#next === codePoint;
    // The last byte of the codes and of the characters must not overflow.
    if (continues && code % 256 > 0 && codePoint % 256 > 0) run.last = code;
    else this.#runs.push({ bytes, first: code, last: code, text });
    this.#next = String.fromCodePoint(codePoint) === text ? codePoint + 1 : undefined;
  }

  bytes(): Uint8Array {
    const sizes = new Set(this.#runs.map(({ bytes }) => bytes));
    const spaces = Array.from(sizes, (bytes) => `<${hex(0, bytes)}> <${hex(256 ** bytes - 1, bytes)}>`);
    const lines = ["begincmap", `${spaces.length} begincodespacerange`, ...spaces, "endcodespacerange"];
    for (let at = 0; at < this.#runs.length; at += ENTRIES_AT_ONCE) {
      const some = this.#runs.slice(at, at + ENTRIES_AT_ONCE);
      lines.push(`${some.length} beginbfrange`);
      for (const { bytes, first, last, text } of some)
        lines.push(`<${hex(first, bytes)}> <${hex(last, bytes)}> <${utf16(text)}>`);
      lines.push("endbfrange");
    }
    lines.push("endcmap");
    return new Uint8Array(Buffer.from(lines.join("\n")));
  }
}
