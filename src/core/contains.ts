// Looks for a text in bytes. Knows no format.

/** @param text of characters up to U+00FF, a byte each */
export const contains = (bytes: Uint8Array, text: string): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(text, 0, "latin1");
