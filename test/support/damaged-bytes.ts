// Yields copies of files in which some bytes are changed. The changes are the same in every run.

export interface Damage {
  readonly copies: number;
  /** Number of changed bytes in each copy. */
  readonly changes: number;
  /** Half of the changes are within this many bytes from the start, which contain lists and dictionaries. */
  readonly headBytes: number;
}

/** @param originals the files to copy, in turn */
export function* damagedCopies(originals: readonly Uint8Array[], damage: Damage): Generator<Uint8Array> {
  let seed = 1;
  for (let turn = 0; turn < damage.copies; turn++) {
    const bytes = new Uint8Array(originals[turn % originals.length]!);
    for (let change = 0; change < damage.changes; change++) {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      bytes[seed % (change % 2 === 0 ? damage.headBytes : bytes.length)] = (seed >> 8) & 0xff;
    }
    yield bytes;
  }
}
