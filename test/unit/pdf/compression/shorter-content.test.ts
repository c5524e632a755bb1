// Tests content streams that take fewer bytes: all tokens stay the same, or the stream is not changed.
import { describe, expect, test } from "vitest";
import { ALL_DIGITS, shorterContent, VISIBLE_DIGITS } from "../../../../src/pdf/compression/shorter-content.ts";

const shorter = (text: string, precision = ALL_DIGITS) => {
  const bytes = shorterContent(Buffer.from(text, "latin1"), precision);
  return bytes && Buffer.from(bytes).toString("latin1");
};

describe("shorter", () => {
  test.each([
    ["q  1 0 0 1 0.0000 00.5000 cm\n% a comment\nQ ", "q 1 0 0 1 0 .5 cm Q"],
    ["BT /F1 12.00 Tf [ (a  b) -250 <41 42> ] TJ ( x ) Tj ET", "BT/F1 12 Tf[(a  b)-250<41 42>]TJ( x )Tj ET"],
    ["/Span << /MCID 0 >> BDC EMC ", "/Span<</MCID 0>>BDC EMC"],
    ["-0.0 +3 100.0 -00.50 0.10 m ", "0 3 100 -.5 .1 m"],
    ["123.4567890123 0.333333333333 l", "123.4568 .333333 l"],
    ["0.00001234567 0 0 1 0 0 cm   Q", ".00001234567 0 0 1 0 0 cm Q"],
    ["q BI /W 2 /H 1 /BPC 8 /CS /G ID \x80  EI   Q", "q BI /W 2 /H 1 /BPC 8 /CS /G ID \x80  EI Q"],
  ])("%o", (text, expected) => {
    expect(shorter(text)).toBe(expected);
  });
});

test.each([
  ["123.45678 12.345678 m", "123.457 12.346 m"],
  ["0.12345678 0 0 1.2345678 0 0 cm", ".12346 0 0 1.2346 0 0 cm"],
  ["500000.123456 0.0001234567 l ", "500000.123 .0001234567 l"],
  ["  12.5 -3.25 m", "12.5 -3.25 m"],
])("digits that nobody sees go: %o", (text, expected) => {
  expect(shorter(text, VISIBLE_DIGITS)).toBe(expected);
});

test("numbers of very many digits are read once", () => {
  const zeros = "0".repeat(300_000);
  expect(shorter(`${zeros}.01 ${zeros}7 0.01${zeros}1 m`)).toBe(`.01 7 .01${zeros}1 m`);
  expect(shorter(`0.01${zeros} ${zeros}. m`)).toBe(".01 0 m");
  expect(shorter(`${zeros}- 0  m`)).toBeUndefined();
});

describe("left alone", () => {
  test.each([
    ["a string that goes on in the next stream", "BT (abc   "],
    ["one that began in the stream before", "abc   ) Tj"],
    ["an array that goes on", "[ (a)   -250 "],
    ["one that began before", "(a)   ] TJ"],
    ["an operator that is not known", "1 0 0   foo"],
    ["a number that readers take in different ways", "1.0.0   2 m"],
    ["an exponent", "1e5   0 m"],
    ["nothing to gain", "q Q"],
  ])("%s", (_, text) => {
    expect(shorter(text)).toBeUndefined();
  });
});
