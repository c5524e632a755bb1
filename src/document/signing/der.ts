// Reads the basic encoding rules of ASN.1 (ITU-T X.690), in which signatures and certificates are encoded. Elements are
// views of the bytes. Also reads indefinite lengths, which older programs write.

export interface Element {
  readonly tag: number;
  /** The whole element. */
  readonly bytes: Uint8Array;
  /** The value of the element, without its tag and length. */
  readonly content: Uint8Array;
}

/** The bytes are no ASN.1, or use syntax that signatures never use. */
export class InvalidAsn1 extends Error {}

export const TAG = {
  ...{ integer: 0x02, octets: 0x04, identifier: 0x06, sequence: 0x30, set: 0x31 },
  ...{ utcTime: 0x17, generalizedTime: 0x18 },
} as const;
/** Bit of tags of elements that contain elements. */
const CONSTRUCTED = 0x20;
/** Number of a tag that follows in further bytes. */
const LONG_TAG = 0x1f;
const LONG_LENGTH = 0x80;
const MAX_LENGTH_BYTES = 4;
const MAX_DEPTH = 32;

/** Yields the elements in a list. @throws InvalidAsn1 */
export function* elementsIn(list: Uint8Array): Generator<Element> {
  for (let at = 0; at < list.length; ) {
    const element = elementAt(list, at, 0);
    yield element;
    at += element.bytes.length;
  }
}

/** Returns the first element, whatever follows it. @throws InvalidAsn1 */
export const firstElement = (bytes: Uint8Array): Element => elementAt(bytes, 0, 0);

function elementAt(bytes: Uint8Array, start: number, depth: number): Element {
  const [tag, first] = [bytes[start], bytes[start + 1]];
  if (tag === undefined || first === undefined || (tag & LONG_TAG) === LONG_TAG || depth > MAX_DEPTH) {
    throw new InvalidAsn1();
  }
  let at = start + 2;
  if (first === LONG_LENGTH) {
    const from = at;
    while (bytes[at] !== 0 || bytes[at + 1] !== 0) at += elementAt(bytes, at, depth + 1).bytes.length;
    return { tag, content: bytes.subarray(from, at), bytes: bytes.subarray(start, at + 2) };
  }
  let length = first;
  if (first > LONG_LENGTH) {
    const count = first - LONG_LENGTH;
    if (count > MAX_LENGTH_BYTES) throw new InvalidAsn1();
    length = bytes.subarray(at, at + count).reduce((sum, byte) => sum * 256 + byte, 0);
    at += count;
  }
  if (at + length > bytes.length) throw new InvalidAsn1();
  return { tag, content: bytes.subarray(at, at + length), bytes: bytes.subarray(start, at + length) };
}

/** Returns the bytes of an OCTET STRING, which can be in pieces. */
export function octetsOf({ tag, content }: Element): Uint8Array {
  return tag & CONSTRUCTED ? Buffer.concat([...elementsIn(content)].map((piece) => piece.content)) : content;
}

/** Returns a whole number from 0. @throws InvalidAsn1 for other numbers, and for those above 2^31 */
export function numberIn({ tag, content }: Element): number {
  const isSmall = tag === TAG.integer && content.length >= 1 && content.length <= MAX_LENGTH_BYTES;
  if (!isSmall || content[0]! >= LONG_LENGTH) throw new InvalidAsn1();
  return content.reduce((sum, byte) => sum * 256 + byte, 0);
}

/** Returns an OBJECT IDENTIFIER with dots, such as `1.2.840.113549.1.7.2`. */
export function identifierOf({ tag, content }: Element): string {
  if (tag !== TAG.identifier) throw new InvalidAsn1();
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    if (numbers.length > 0) numbers.push(number);
    else numbers.push(Math.min(2, Math.trunc(number / 40)), number - 40 * Math.min(2, Math.trunc(number / 40)));
    number = 0;
  }
  return numbers.join(".");
}

export interface AlgorithmIdentifier {
  readonly identifier: string;
  readonly parameters: Element | undefined;
}

/** @throws InvalidAsn1 */
export function readAlgorithm({ content }: Element): AlgorithmIdentifier {
  const [identifier, parameters] = elementsIn(content);
  if (!identifier) throw new InvalidAsn1();
  return { identifier: identifierOf(identifier), parameters };
}

const ENCODINGS: Readonly<Record<number, string>> = { 12: "utf-8", 30: "utf-16be" };

/** Returns the text of a string. */
export const textOf = ({ tag, content }: Element): string =>
  new TextDecoder(ENCODINGS[tag] ?? "latin1").decode(content);

/** Returns a time in the format of ISO 8601; undefined for another element. */
export function timeOf({ tag, content }: Element): string | undefined {
  const text = new TextDecoder("latin1").decode(content);
  const year = Number(text.slice(0, 2));
  // Years of two digits are those from 1950 to 2049 (RFC 5652, 11.3).
  const full = tag === TAG.utcTime ? `${year < 50 ? "20" : "19"}${text}` : text;
  const parts = tag === TAG.utcTime || tag === TAG.generalizedTime ? TIME.exec(full) : undefined;
  if (!parts) return undefined;
  const [, date, hour, minute, second = "00", zone] = parts;
  return `${date!.replace(/(\d{4})(\d\d)/, "$1-$2-")}T${hour}:${minute}:${second}${zone!.replace(/(\d\d)(?=\d\d)/, "$1:")}`;
}
const TIME = /^(\d{8})(\d\d)(\d\d)(\d\d)?(?:[.,]\d+)?(Z|[-+]\d{4})$/;
