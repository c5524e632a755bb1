// Encodes messages as header values.

/** Returns a String, or a Display String for non-ASCII text (RFC 9651, 3.3.3 and 3.3.8). */
export function stringItem(sentence: string): string {
  if (/^[\x20-\x7e]*$/.test(sentence)) return `"${sentence.replace(/["\\]/g, "\\$&")}"`;
  const bytes = [...new TextEncoder().encode(sentence)];
  return `%"${bytes.map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : percent(byte))).join("")}"`;
}

const isPlain = (byte: number): boolean => byte >= 0x20 && byte <= 0x7e && byte !== 0x25 && byte !== 0x22;
const percent = (byte: number): string => `%${byte.toString(16).padStart(2, "0")}`;
