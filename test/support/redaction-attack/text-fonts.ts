// Fonts whose codes are not characters: subsets, Type 3 fonts and ligatures.
import { Buffer } from "node:buffer";
import { GLYPH_NAMES } from "./glyph-tables.ts";
import { hex, hexOf, stream } from "./raw-pdf.ts";
import type { Secret } from "./secrets.ts";
import { chars, drawn, range } from "./text-parts.ts";

const hexFont = (codes: readonly string[], start = 1) =>
  `1 begincodespacerange <00> <ff> endcodespacerange ${codes.length} beginbfchar ${codes
    .map(
      (text, index) => `<${hexOf(index + start)}> <${[...Buffer.from(text, "utf16le").swap16()].map(hexOf).join("")}>`,
    )
    .join(" ")} endbfchar`;
const glyphName = (char: string) => GLYPH_NAMES[char] ?? char;

/** A font whose codes count the characters of the secret in the order of their first use, as subsets do. */
function ownCodes(secret: Secret) {
  const alphabet = [...new Set(secret.text)];
  const codes = chars(secret).map((char) => alphabet.indexOf(char) + 1);
  return { alphabet, operand: `<${codes.map(hexOf).join("")}>` };
}
export const subset = (withMap: boolean) => (secret: Secret) => {
  const { alphabet, operand } = ownCodes(secret);
  const differences = `/Differences [1 ${alphabet.map((char) => `/${withMap ? "a" : ""}${withMap ? alphabet.indexOf(char) : glyphName(char)}`).join(" ")}]`;
  const map = withMap ? "/ToUnicode 10 0 R" : "";
  return drawn(secret, `${operand} Tj`, {
    font: `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding ${differences} >> ${map} >>`,
    objects: { 10: stream(hexFont(alphabet)) },
  });
};
export const type3 = (withMap: boolean) => (secret: Secret) => {
  const { alphabet, operand } = ownCodes(secret);
  const names = alphabet.map((char, index) => (withMap ? `g${index}` : glyphName(char)));
  const procs = names.map((glyph, index) => `/${glyph} ${20 + index} 0 R`).join(" ");
  const shapes = names.map((_, index) => [20 + index, stream(`600 0 0 0 500 700 d1 0 0 ${300 + index} 700 re f`)]);
  return drawn(secret, `${operand} Tj`, {
    font: `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 1
      /LastChar ${names.length} /Widths [${names.map(() => 600).join(" ")}] /CharProcs << ${procs} >> /Resources << >>
      /Encoding << /Type /Encoding /Differences [1 ${names.map((glyph) => `/${glyph}`).join(" ")}] >>
      ${withMap ? "/ToUnicode 10 0 R" : ""} >>`,
    objects: { 10: stream(hexFont(alphabet)), ...Object.fromEntries(shapes) },
  });
};

const LIGATURES = ["ffi", "ffl", "ff", "fi", "fl"];
export const ligated = (target: (ligature: string, index: number) => string) => (secret: Secret) => {
  let text = secret.text;
  for (const [index, ligature] of LIGATURES.entries()) text = text.replaceAll(ligature, String.fromCharCode(index + 1));
  const named = LIGATURES.map((ligature) => `/${[...ligature].join("_")}`).join(" ");
  return drawn(secret, `${hex(text)} Tj`, {
    font: `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 10 0 R /Encoding << /Type /Encoding
      /BaseEncoding /WinAnsiEncoding /Differences [1 ${named}] >> >>`,
    objects: {
      10: stream(hexFont([...LIGATURES.map(target), ...range(6, 255).map((code) => String.fromCharCode(code))])),
    },
  });
};

export function hasLigature({ needle }: Secret): boolean {
  return LIGATURES.some((ligature) => needle.includes(ligature));
}
