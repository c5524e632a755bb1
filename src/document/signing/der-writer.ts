// Writes the distinguished encoding rules of ASN.1 (ITU-T X.690), in which signatures are encoded.
import { TAG } from "./der.ts";

const LONG_LENGTH = 0x80;
const NULL = 0x05;
const CONTEXT = 0xa0;

/** Returns an element with the content. */
export function element(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...content]);
}

function lengthBytes(length: number): number[] {
  if (length < LONG_LENGTH) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [LONG_LENGTH + bytes.length, ...bytes];
}

export const sequence = (...content: readonly Uint8Array[]) => element(TAG.sequence, ...content);
/** A set in the order of its encoding (11.6). */
export const setOf = (...content: readonly Uint8Array[]) => element(TAG.set, ...content.toSorted(Buffer.compare));
export const octets = (content: Uint8Array) => element(TAG.octets, content);
/** An element whose context determines its type. @param number its tag, from 0 */
export const tagged = (number: number, ...content: readonly Uint8Array[]) => element(CONTEXT + number, ...content);
/** A small number that is not negative. */
export const integer = (value: number) => element(TAG.integer, Buffer.from([value]));
export const nothing: Uint8Array = Buffer.from([NULL, 0]);
export const yes: Uint8Array = Buffer.from([0x01, 1, 0xff]);

/** @param dotted such as `1.2.840.113549.1.7.2` */
export function identifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const content = [first * 40 + second, ...rest].flatMap((number) => {
    const digits = [number % 128];
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128)) {
      digits.unshift((left % 128) + 128);
    }
    return digits;
  });
  return element(TAG.identifier, Buffer.from(content));
}
