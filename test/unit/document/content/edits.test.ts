// Tests the replacement of bytes in content streams: all other bytes stay the same.
import { expect, test } from "vitest";
import { applyEdits } from "../../../../src/document/content/edits.ts";

const edited = (text: string, ...edits: [start: number, end: number, text: string][]) =>
  Buffer.from(
    applyEdits(
      Buffer.from(text),
      edits.map(([start, end, text]) => ({ start, end, text })),
      text.length,
    ),
  ).toString();

test("replaces, puts in, and leaves the rest", () => {
  expect(edited("0123456789", [2, 4, "ab"], [7, 7, "x"], [9, 10, ""])).toBe("01ab456x78");
});

test("what is put in where something is replaced comes first, whatever the order they were given in", () => {
  expect(edited("0123", [0, 2, "ab"], [0, 0, "q "], [0, 0, "w "])).toBe("q w ab23");
  expect(edited("0123", [0, 2, "ab"], [2, 2, "|"], [2, 3, "c"])).toBe("ab|c3");
});

test("of overlapping edits the first counts; none reaches behind the end", () => {
  expect(edited("0123456789", [2, 6, "ab"], [4, 8, "cd"])).toBe("01ab6789");
  const cut = applyEdits(Buffer.from("0123456789"), [{ start: 4, end: 8, text: "x" }], 6, "!");
  expect(Buffer.from(cut).toString()).toBe("012345!");
});
