// Searches bytes for ASCII or Latin-1 text.

/** @param text characters up to U+00FF, one byte each */
export const contains = (bytes: Uint8Array, text: string): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(text, 0, "latin1");
