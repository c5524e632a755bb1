// Redacts hostile documents, and documents with many matches and marks.
import { describe, expect, test } from "vitest";
import { HELVETICA } from "../../fixtures/form-pdfs.ts";
import { HOSTILE_PDFS, onePage } from "../../support/hostile-pdfs.ts";
import { reasonOf } from "../../support/operations.ts";
import { textOf } from "../../support/pdf-readers.ts";
import { apply, literal, mark, marksIn, redact } from "../../support/redactions.ts";

/** Documents that use up the fuel of a page for whole seconds; the tests of MuPDF cover all of them. */
const SLOW = /call the next|20,000 deep|1 GB of spaces|shading that calculates/;

test.for(HOSTILE_PDFS.filter(({ name }) => !SLOW.test(name)))("$name has an answer", async ({ bytes }) => {
  const reason = await reasonOf(() => redact(bytes(), [{ type: "regex", value: "(a*)*b" }, ...literal("a")]));
  expect(["none", "damaged", "too-large", "too-complex"]).toContain(reason);
});

describe("many", () => {
  const lines = (count: number) => Array.from({ length: count / 100 }, () => `(${"a ".repeat(100)}) '`).join("\n");
  const letters = (count: number, entries = "") =>
    onePage(`BT /F 0.5 Tf 0.6 TL 20 780 Td ${lines(count)} ET`, "/Font<</F 5 0 R>>", [HELVETICA], entries);

  test("100,000 matches, and one more", async () => {
    const marked = await mark(letters(100_000), literal("a"));
    expect(marksIn(marked)).toBe(100_000);
    expect(await reasonOf(() => apply(marked))).toBe("too-complex");
    await expect(mark(letters(100_100), literal("a"))).rejects.toThrow("out of range");
  }, 300_000);

  test("2,000 marks on a page", async () => {
    const applied = await redact(letters(2000), literal("a"));
    expect(textOf(applied).join("").trim()).toBe("");
  });

  test("one mark over 130,000 glyphs", async () => {
    const mark = "/Annots[<</Type/Annot/Subtype/Redact/Rect[0 0 612 792]>>]";
    expect(
      textOf(await apply(letters(130_000, mark)))
        .join("")
        .trim(),
    ).toBe("");
  });

  test("marks that cover the same glyphs many times", async () => {
    const mark = "<</Type/Annot/Subtype/Redact/Rect[0 0 612 792]>>";
    const pdf = letters(20_000, `/Annots[${mark.repeat(600)}]`);
    expect(await reasonOf(() => apply(pdf))).toBe("too-complex");
  });
});
