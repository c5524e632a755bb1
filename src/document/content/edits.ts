// Replaces byte ranges of a content stream and copies all other bytes.

/** Replaces the bytes from `start` to `end`. Inserts the text if `start` equals `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  /** The replacement, with one character for each byte. */
  readonly text: string;
}

/** @param end offset after the last byte to copy */
export function applyEdits(bytes: Uint8Array, edits: readonly Edit[], end: number, tail = ""): Uint8Array {
  const ordered = edits.map((edit, index) => ({ edit, index }));
  // An insertion precedes a replacement that starts at the same offset.
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
