// Content streams with some of their bytes replaced: what is not named stays as it was. Knows no operators.

/** Bytes from `start` to `end` become others; where both are alike, something is put in. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  /** One character for each byte. */
  readonly text: string;
}

/** @param end of the bytes that count */
export function applyEdits(bytes: Uint8Array, edits: readonly Edit[], end: number, tail = ""): Uint8Array {
  const ordered = edits.map((edit, index) => ({ edit, index }));
  // What is put in at a place comes before what is replaced from there on.
  ordered.sort((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end || a.index - b.index);
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { edit } of ordered) {
    if (edit.start < at || edit.end > end) continue;
    parts.push(bytes.subarray(at, edit.start), Buffer.from(edit.text, "latin1"));
    at = edit.end;
  }
  parts.push(bytes.subarray(at, end), Buffer.from(tail, "latin1"));
  return new Uint8Array(Buffer.concat(parts));
}
