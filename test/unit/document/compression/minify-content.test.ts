// Tests the shortening of content streams: the tokens stay the same, or the stream does not change.
import { describe, expect, test } from "vitest";
import { INVISIBLE, TINY } from "../../../../src/document/compression/content-rounding.ts";
import { minifyContent } from "../../../../src/document/compression/minify-content.ts";
import { readOperations } from "../../../../src/document/content/content.ts";
import { apply, IDENTITY, type Matrix, multiply } from "../../../../src/document/content/matrix.ts";

const shorter = (text: string, tolerance = INVISIBLE, scale = 1) => {
  const bytes = minifyContent(Buffer.from(text, "latin1"), { tolerance, scale });
  return bytes && Buffer.from(bytes).toString("latin1");
};

describe("shorter", () => {
  test.each([
    ["q  1 0 0 1 0.0000 00.5000 cm\n% a comment\nQ ", "q 1 0 0 1 0 .5 cm Q"],
    ["BT /F1 12.00 Tf [ (a  b) -250 <41 42> ] TJ ( x ) Tj ET", "BT/F1 12 Tf[(a  b)-250<41 42>]TJ( x )Tj ET"],
    ["/Span << /MCID 0 >> BDC EMC ", "/Span<</MCID 0>>BDC EMC"],
    ["-0.0 +3 100.0 -00.50 0.10 m ", "0 3 100 -.5 .1 m"],
    ["123.4567890123 0.333333333333 l", "123.4568 .3333 l"],
    ["0.00001234567 0 0 1 0 0 cm   Q", ".00001234567 0 0 1 0 0 cm Q"],
    ["q BI /W 2 /H 1 /BPC 8 /CS /G ID \x80  EI   Q", "q BI /W 2 /H 1 /BPC 8 /CS /G ID \x80  EI Q"],
  ])("%o", (text, expected) => {
    expect(shorter(text)).toBe(expected);
  });
});

describe("digits that nobody sees go", () => {
  test.each([
    ["123.45678 12.345678 m", "123.457 12.346 m"],
    ["0.12345678 0 0 1.2345678 0.12345 0 cm", ".12345678 0 0 1.2345678 .123 0 cm"],
    ["1.23456789012345 0 0 1 0 0 cm", "1.23456789 0 0 1 0 0 cm"],
    ["500000.123456 0.0001234567 l ", "500000.123 0 l"],
    ["  12.5 -3.25 m", "12.5 -3.25 m"],
    ["10000 0 0 10000 0 0 cm 500.1012345678 1.00001 l", "10000 0 0 10000 0 0 cm 500.1012346 1.00001 l"],
    ["q .0001 0 0 .0001 0 0 cm 500000.1012 1 l Q .12341 2 l", "q .0001 0 0 .0001 0 0 cm 500000 1 l Q .123 2 l"],
    ["0.0001234 w 0.12345 w", ".0001234 w .123 w"],
    ["[3.123456789 2.000001] 0.123456789 d", "[3.123457 2.000001].1234568 d"],
    ["0.123456789 0 1 rg", ".12346 0 1 rg"],
    [
      "BT /F 12.3456789 Tf 0.0012345 Tc 12.34567 0 Td [(a)-12.34567] TJ ET",
      "BT/F 12.34568 Tf .001234 Tc 12.346 0 Td[(a)-12.3]TJ ET",
    ],
    ["BT 0.5 0 0 100 12.34567 8.00001 Tm 0.123456 0 Td ET", "BT .5 0 0 100 12.346 8 Tm .12346 0 Td ET"],
    ["[(a)-12.345678  (b)] TJ /Span<</A 1.23456789>>BDC", "[(a)-12.345678(b)]TJ/Span<</A 1.23456789>>BDC"],
  ])("%o", (text, expected) => {
    expect(shorter(text, TINY)).toBe(expected);
  });

  test("unless the scale is not known", () => {
    const text = "  123.45678 12.345678 m .12345678 w";
    const bytes = minifyContent(Buffer.from(text), { tolerance: TINY });
    expect(Buffer.from(bytes!).toString()).toBe("123.45678 12.345678 m .12345678 w");
  });
});

/** Returns the positions of points and texts on the page. */
function positionsOf(text: string, scale: number): number[][] {
  const positions: number[][] = [];
  let matrix: Matrix = [scale, 0, 0, scale, 0, 0];
  let line: Matrix = IDENTITY;
  const saved: Matrix[] = [];
  for (const { operator, operands } of readOperations(Buffer.from(text))) {
    const numbers = operands as number[];
    if (operator === "q") saved.push(matrix);
    else if (operator === "Q") matrix = saved.pop()!;
    else if (operator === "cm") matrix = multiply(numbers as unknown as Matrix, matrix);
    else if (operator === "BT") line = IDENTITY;
    else if (operator === "Tm") line = numbers as unknown as Matrix;
    else if (operator === "Td") line = multiply([1, 0, 0, 1, numbers[0]!, numbers[1]!], line);
    else if (operator === "m" || operator === "l") positions.push(apply(matrix, numbers[0]!, numbers[1]!));
    if (operator === "Td" || operator === "Tm") positions.push(apply(multiply(line, matrix), 0, 0));
  }
  return positions;
}

describe("nothing moves by more than the tolerance", () => {
  const chain = Array.from({ length: 500 }, (_, index) => `${(1.23456 / 3).toFixed(7)} -0.${index}3333 Td`).join(" ");
  const points = Array.from({ length: 100 }, (_, index) => `${500.1 + index / 1234567} ${500.1 + index / 7654321} l`);
  const contents: [name: string, text: string, scale: number][] = [
    ["in a large scale", `10000 0 0 10000 -5001000 -5001000 cm ${points.join(" ")}`, 1],
    ["in a small scale", `0.0001 0 0 0.0001 0 0 cm 1234567.1234567 7654321.7654321 l`, 1],
    [
      "in nested scales",
      `q 100 0 0 100 0 0 cm q 100 0 0 100 -5001000 -5001000 cm ${points.join(" ")} Q Q 1.23456789 2.3456789 l`,
      1,
    ],
    ["turned", `q 0 -7777 7777 0 0 0 cm 0.123456789 0.23456789 l Q 9.87654321 8.7654321 l`, 1],
    ["in a form that is drawn large", points.join(" "), 10_000],
    ["along lines of text", `BT /F 1 Tf ${chain} ET BT 300 0 0 300 1.23456789 2.3456789 Tm ${chain} ET`, 1],
  ];
  test.each(contents)("%s", (_, text, scale) => {
    const before = positionsOf(text, scale);
    for (const tolerance of [INVISIBLE, TINY]) {
      const short = shorter(text, tolerance, scale * Math.SQRT2)!;
      const after = positionsOf(short, scale);
      const moved = after.map(([x, y], index) => Math.hypot(x! - before[index]![0]!, y! - before[index]![1]!));
      expect(after.length).toBe(before.length);
      expect(Math.max(...moved)).toBeLessThan(tolerance);
      expect(short.length).toBeLessThan(text.length);
    }
  });
});

test("numbers of very many digits are read once", () => {
  const zeros = "0".repeat(300_000);
  expect(shorter(`${zeros}.01 ${zeros}7 0.01${zeros}1 m`)).toBe(".01 7 .01 m");
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
