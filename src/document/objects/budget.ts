// Limits the memory of a job's objects, as an estimate: JavaScript cannot measure it, and an isolate that exceeds its
// own limit is terminated with all its requests.
import { EngineFailure } from "../contract/failure.ts";
import { Dictionary, type PdfObject, PdfStream, PdfString, Reference, type Value } from "./values.ts";

const DICTIONARY_BYTES = 120;
const ENTRY_BYTES = 20;
const ARRAY_BYTES = 40;
const ELEMENT_BYTES = 8;
const STRING_BYTES = 48;
const REFERENCE_BYTES = 24;
const NUMBER_BYTES = 16;
const OBJECT_BYTES = 64;

/** Memory budget of a job, shared by all its files and their copies. */
export class Budget {
  readonly limitBytes: number;
  #used = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** @throws EngineFailure `too-large` if the budget is exceeded */
  charge(bytes: number): void {
    this.#used += bytes;
    if (this.#used > this.limitBytes) {
      throw new EngineFailure("too-large", `the objects take more than ${this.limitBytes} bytes`);
    }
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }
}

/** Returns the approximate memory of an object in bytes, without a stream's body. */
export function sizeOf(object: PdfObject): number {
  let bytes = OBJECT_BYTES;
  const waiting: Value[] = [object instanceof PdfStream ? object.dictionary : object];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === "number") bytes += NUMBER_BYTES;
    else if (next instanceof Reference) bytes += REFERENCE_BYTES;
    else if (next instanceof PdfString) bytes += STRING_BYTES + next.latin1.length;
    else if (next instanceof Dictionary) {
      bytes += DICTIONARY_BYTES + ENTRY_BYTES * next.size;
      for (const value of next.values()) waiting.push(value);
    } else if (Array.isArray(next)) {
      bytes += ARRAY_BYTES + ELEMENT_BYTES * next.length;
      for (const value of next) waiting.push(value);
    }
  }
  return bytes;
}
