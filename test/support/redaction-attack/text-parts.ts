// Parts of the places in the content of pages: neighbors surround a secret, and must not change.
import { Buffer } from "node:buffer";
import { hexOf, literal, type Parts, pdf } from "./raw-pdf.ts";
import { isLatin, type Secret } from "./secrets.ts";

export interface Place {
  readonly name: string;
  readonly fits?: (secret: Secret) => boolean;
  readonly plant: (secret: Secret) => Buffer;
}

export const shown = (text: string, secret: Secret): string =>
  isLatin(secret) ? literal(text) : `<${[...Buffer.from(text, "utf16le").swap16()].map(hexOf).join("")}>`;

const NEIGHBORS = `BT /F2 12 Tf 72 714 Td (Upper line stays where it is) Tj 0 -28 Td (Lower line stays where it is) Tj
  -1 14 Td (Left) Tj 448 0 Td (Right) Tj ET\n`;

/** Draws neighbors, and the secret at (110, 700) by text operators. */
export const drawn = (secret: Secret, operators: string, more: Parts = {}): Buffer =>
  pdf({ isWide: !isLatin(secret), ...more, content: `${NEIGHBORS}BT /F1 12 Tf 110 700 Td ${operators} ET` });
export const content = (secret: Secret, operators: string, more: Parts = {}): Buffer =>
  pdf({ isWide: !isLatin(secret), ...more, content: NEIGHBORS + operators });

export const showing = (secret: Secret) => `${shown(secret.text, secret)} Tj`;
export const chars = ({ text }: Secret): string[] => [...text];
export const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
