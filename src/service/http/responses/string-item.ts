// Encodes error messages and notices as header values.

/** Returns a structured-field String, or a Display String if the text is not ASCII (RFC 9651, 3.3.3 and 3.3.8). */
export function stringItem(sentence: string): string {
  if (/^[\x20-\x7e]*$/.test(sentence)) return `"${sentence.replace(/["\\]/g, "\\$&")}"`;
  const bytes = [...new TextEncoder().encode(sentence)];
  return `%"${bytes.map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : percent(byte))).join("")}"`;
}

const isPlain = (byte: number): boolean => byte >= 0x20 && byte <= 0x7e && byte !== 0x25 && byte !== 0x22;
const percent = (byte: number): string => `%${byte.toString(16).padStart(2, "0")}`;
