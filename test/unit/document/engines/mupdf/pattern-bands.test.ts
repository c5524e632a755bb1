// Tests that pages painted with patterns are the same in one band and in several bands.
import { describe, expect, test } from "vitest";
import { drawn, names, ONE_BAND } from "../../../../support/drawn-patterns.ts";

/** Returns the share of samples that differ by more than edges can. */
function difference(one: Uint8Array, other: Uint8Array, tolerance: number): number {
  expect(one.length).toBe(other.length);
  let count = 0;
  for (let at = 0; at < one.length; at++) if (Math.abs(one[at]! - other[at]!) > tolerance) count++;
  return count / one.length;
}

describe.each(names.map((name, index) => ({ name, index })))("$name", ({ index }) => {
  const whole = drawn(index, ONE_BAND);
  const rows = (count: number) => count * whole.width * 3;

  test.each([
    [100, "top-down"],
    [23, "top-down"],
    [23, "bottom-up"],
  ] as const)("in bands of %i rows, %s", (height, order) => {
    const banded = drawn(index, rows(height), { order });
    expect(banded.count).toBe(Math.ceil(whole.height / height));
    // At the boundary of two bands, a clipping path can be antialiased differently.
    expect(difference(banded.samples, whole.samples, 32)).toBe(0);
  });

  test.each(["cmyk", "rgba"] as const)("in %s", (colorModel) => {
    const one = drawn(index, ONE_BAND, { colorModel });
    expect(difference(drawn(index, rows(23), { colorModel }).samples, one.samples, 40)).toBeLessThan(1e-3);
  });
});
