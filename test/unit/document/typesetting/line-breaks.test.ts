// Tests the places at which lines can break.
import { expect, test } from "vitest";
import { lineBreaks } from "../../../../src/document/typesetting/line-breaks.ts";

test.each([
  ["one two", ["one ", "two"]],
  ["well-known (more)", ["well-", "known ", "(more)"]],
  ["no\u00a0break", ["no\u00a0break"]],
  ["3.14 € 5%", ["3.14 ", "€ ", "5%"]],
  ["漢字、仮名。", ["漢", "字、", "仮", "名。"]],
  ["สวัสดีชาวโลก", ["สวัสดี", "ชาว", "โลก"]],
  ["", [] as string[]],
])("%j breaks into %j", async (text, parts) => {
  const places = await lineBreaks(text);
  expect(places.map((place, index) => text.slice(places[index - 1] ?? 0, place))).toEqual(parts);
});
