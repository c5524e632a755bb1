// Reads a zip archive as a stream with fflate: uses local headers and data descriptors, and ignores the central
// directory.
import { Unzip, UnzipInflate } from "fflate";

/** @returns the content of each entry, in the archive's order */
export async function readStreamedZip(chunks: AsyncIterable<Uint8Array>): Promise<ReadonlyMap<string, Uint8Array>> {
  const entries = new Map<string, Uint8Array[]>();
  const unzip = new Unzip((file) => {
    const parts: Uint8Array[] = [];
    entries.set(file.name, parts);
    file.ondata = (error, chunk) => {
      if (error) throw error;
      parts.push(chunk.slice());
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  // Passes copies: a chunk is only valid until the next one, and fflate keeps references to chunks.
  for await (const chunk of chunks) unzip.push(chunk.slice());
  unzip.push(new Uint8Array(0), true);
  return new Map(Array.from(entries, ([name, parts]) => [name, joined(parts)]));
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
