// Tests how the workbench formats sizes and durations.
// Contract: docs/api.md#workbench
import { expect, test } from "vitest";
import { changeText, endText } from "../../../site/workbench/model/format.ts";

test.each([
  [100, 76, "24% smaller"],
  [1_000_000, 10, "99% smaller"],
  [1000, 999, "none"],
  [100, 112, "12% larger"],
  [100, 199, "99% larger"],
  [100, 310, "3 times as large"],
  [54, 48_000, "more than 10 times as large"],
  [0, 10, undefined],
])("from %i to %i bytes: %s", (before, after, text) => expect(changeText(before, after)).toBe(text));

test("the end of a file is a time of today, or has its day", () => {
  const now = new Date(2026, 10, 25, 9, 5);
  expect(endText(new Date(2026, 10, 25, 18, 40).toISOString(), now)).toBe("18:40");
  expect(endText(new Date(2026, 10, 26, 9, 5).toISOString(), now)).toBe("26 Nov, 09:05");
});
