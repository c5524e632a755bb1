// Decodes PackBits (TIFF 6.0 section 9).

const OUTPUT_BYTES = 16_384;
const MOST_RUN = 128;

/** Yields the decoded bytes up to the end of the data, in chunks that are valid until the next one is requested. */
export function* decodePackBits(bytes: Uint8Array): Generator<Uint8Array> {
  const output = new Uint8Array(OUTPUT_BYTES);
  let filled = 0;
  for (let at = 0; at < bytes.length; ) {
    if (filled + MOST_RUN > OUTPUT_BYTES) {
      yield output.subarray(0, filled);
      filled = 0;
    }
    const count = bytes[at++]!;
    if (count < 128) {
      const part = bytes.subarray(at, at + count + 1);
      output.set(part, filled);
      filled += part.length;
      at += count + 1;
    } else if (count > 128 && at < bytes.length) {
      output.fill(bytes[at++]!, filled, filled + 257 - count);
      filled += 257 - count;
    }
  }
  if (filled > 0) yield output.subarray(0, filled);
}
