// Forms in forms that multiply: what no validator comes to the end of is refused before one is asked.
import { describe, expect, test } from "vitest";
import { countContent } from "../../../../src/operations/count-content.ts";
import { repairPdfa } from "../../../../src/operations/repair-pdfa.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";

/** Forms that are each drawn so many times by the one around it. */
function nestedForms(depth: number, times: number, isEndless = false): Uint8Array {
  const builder = new PdfBuilder();
  const innermost = builder.reserve();
  const form = (content: string, inner: string) =>
    `<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X ${inner}>>>>/Length ${content.length}>>stream\n${content}\nendstream`;
  let outer = innermost;
  for (let level = 1; level < depth; level++) outer = builder.add(form("/X Do ".repeat(times), outer));
  builder.set(innermost, isEndless ? form("/X Do /X Do", outer) : form("0 0 9 9 re f", "null"));
  builder.page("0 0 9 9 re f q /X Do Q (", "", `/XObject<</X ${outer}>>`);
  return builder.bytes();
}
const repaired = (pdf: Uint8Array) =>
  outputsOf(repairPdfa, [pdf], { level: { part: 2, conformance: "b" }, failures: [] }, CONTEXT);

describe("forms in forms", () => {
  test("a thousand times a thousand is no obstacle", async () => {
    const pdf = nestedForms(3, 1000);
    expect(await repaired(pdf)).toHaveLength(1);
    expect(await outputsOf(countContent, [pdf], {}, CONTEXT)).toEqual([]);
  });

  test("ten levels of ten are, and a hundred of two", async () => {
    for (const pdf of [nestedForms(10, 10), nestedForms(100, 2)]) {
      await expect(repaired(pdf)).rejects.toMatchObject({ reason: "too-complex" });
      await expect(outputsOf(countContent, [pdf], {}, CONTEXT)).rejects.toMatchObject({ reason: "too-complex" });
    }
  });

  test("a form inside of itself is nothing there", async () => {
    expect(await outputsOf(countContent, [nestedForms(5, 2, true)], {}, CONTEXT)).toEqual([]);
  });
});

test("a page of two million operators is read in time that grows with it, one of nine millions is refused", async () => {
  const page = (operators: number) => {
    const builder = new PdfBuilder();
    builder.page(`) Tj ET ${"0 0 m 9 9 l S 0 g ".repeat(operators / 4)} BT (`);
    return builder.bytes();
  };
  expect(await repaired(page(2_000_000))).toHaveLength(1);
  await expect(repaired(page(9_000_000))).rejects.toMatchObject({ reason: "too-complex" });
});
