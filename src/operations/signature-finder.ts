// Finds signatures in the JSON in which qpdf describes a document's objects (its manual, "qpdf JSON"), line by line while it is
// written. What an earlier revision left behind is not in there.

/** One key or bracket stands on each line; texts begin with u: or b:, so that none can look like a name. */
const OBJECT = /^\s*"obj:(\d+ \d+ R)": \{/;
const RANGE = /^\s*"\/ByteRange": /;
/** Where a signature is in use: as a field's value (ISO 32000-1, 12.7.4.5), as usage rights or certification (12.8.4). */
const USE = /^\s*"\/(?:V|UR|UR3|DocMDP)": (?:"(\d+ \d+ R)"|(\{))/;
/** A value that is longer is none of those. */
const MAX_LINE_LENGTH = 4096;

export class SignatureFinder {
  readonly #decoder = new TextDecoder("latin1");
  readonly #signatures = new Set<string>();
  readonly #used = new Set<string>();
  #object = "";
  #line = "";
  #inline = false;
  #direct = false;

  /** @param chunk of the JSON, in its order */
  add(chunk: Uint8Array): void {
    const lines = (this.#line + this.#decoder.decode(chunk)).split("\n");
    this.#line = lines.pop()!.slice(0, MAX_LINE_LENGTH);
    for (const line of lines) this.#read(line);
  }

  get found(): boolean {
    return this.#direct || [...this.#signatures].some((object) => this.#used.has(object));
  }

  #read(line: string): void {
    const object = OBJECT.exec(line);
    if (object) {
      this.#object = object[1]!;
      this.#inline = false;
    } else if (RANGE.test(line)) {
      // A dictionary within another is the value that stands there.
      if (this.#inline) this.#direct = true;
      this.#signatures.add(this.#object);
    } else {
      const use = USE.exec(line);
      if (use?.[1]) this.#used.add(use[1]);
      if (use?.[2]) this.#inline = true;
    }
  }
}
