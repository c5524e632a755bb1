// Tests which words and pages differ between documents whose text is known.
// Contract: docs/api.md#compared-pdf
import { describe, expect, test } from "vitest";
import { findDifferences } from "../../../../src/operations/find-differences.ts";
import { asianPdf, utf16 } from "../../../fixtures/asian-pdf.ts";
import { PdfBuilder, plainPdf } from "../../../fixtures/pdf-builder.ts";
import { HOSTILE_PDFS, onePage } from "../../../support/hostile-pdfs.ts";
import { CONTEXT, outputsOf, reasonOf } from "../../../support/operations.ts";

interface Passage {
  readonly page: number;
  readonly text: string;
  readonly boxes: readonly (readonly number[])[];
}
interface Answer {
  readonly pages: readonly {
    readonly original?: number;
    readonly compared?: number;
    readonly difference: number;
    readonly areas: readonly (readonly number[])[];
  }[];
  readonly changes: readonly { readonly removed?: Passage; readonly added?: Passage }[];
  readonly identical: boolean;
}

async function compare(original: Uint8Array, compared: Uint8Array): Promise<Answer> {
  const [json] = await outputsOf(findDifferences, [original, compared], { outputType: "json", dpi: 72 });
  return JSON.parse(new TextDecoder().decode(json));
}

const changesOf = ({ changes }: Answer) =>
  changes.map(({ removed, added }) => [
    removed && `${removed.page}: ${removed.text}`,
    added && `${added.page}: ${added.text}`,
  ]);
const pairsOf = ({ pages }: Answer) => pages.map(({ original, compared }) => [original, compared]);

/** Returns a page for each list of lines. */
function linesPdf(...pages: readonly (readonly string[])[]): Uint8Array {
  const builder = new PdfBuilder();
  for (const lines of pages) {
    const shown = lines.map((line) => `(${line}) Tj 0 -14 Td`).join(" ");
    builder.page(`BT /F 12 Tf 20 170 Td ${shown} ET`);
  }
  return builder.bytes();
}

/** Returns pages without text, each with a square at a place of its own. */
function squaresPdf(...places: readonly number[]): Uint8Array {
  const builder = new PdfBuilder();
  for (const x of places) builder.page(`${x} 50 20 20 re f % ()`);
  return builder.bytes();
}

describe("words", () => {
  test("equal documents are identical", async () => {
    const answer = await compare(plainPdf("One", "Two"), plainPdf("One", "Two"));
    expect(answer).toEqual({
      pages: [1, 2].map((page) => ({ original: page, compared: page, difference: 0, areas: [] })),
      ...{ changes: [], identical: true },
    });
  });

  test("a word that replaces another has its page and its box", async () => {
    const answer = await compare(plainPdf("Pay in 30 days"), plainPdf("Pay in 14 days"));
    expect(changesOf(answer)).toEqual([["1: 30", "1: 14"]]);
    const [[left, bottom, right, top]] = answer.changes[0]!.added!.boxes as [number[]];
    expect(left).toBeGreaterThan(90);
    expect(right).toBeLessThan(140);
    expect([bottom! < 151, top! > 165]).toEqual([true, true]);
    expect(answer.identical).toBe(false);
  });

  test("words that move to another line or page are equal", async () => {
    const answer = await compare(
      linesPdf(["The first sentence stands here and the", "second one follows it."], ["The last page."]),
      linesPdf(["The first sentence stands here", "and the second one follows"], ["it.", "The last page."]),
    );
    expect(changesOf(answer)).toEqual([]);
    expect(answer.identical).toBe(false);
  });

  test("raised letters differ from others", async () => {
    const answer = await compare(linesPdf(["the 2\\343 edition"]), linesPdf(["the 2a edition"]));
    expect(changesOf(answer)).toEqual([["1: 2ª", "1: 2a"]]);
  });

  test("a divided word is equal to the whole one", async () => {
    const answer = await compare(
      linesPdf(["A long sentence with a foot-", "ball, and another football."]),
      linesPdf(["A long sentence with a football,", "and another football."]),
    );
    expect(changesOf(answer)).toEqual([]);
  });

  test("a divided word is equal if the hyphen seems to be part of it in one document only", async () => {
    const page = ["A co-author wrote a foot-", "ball song."];
    const answer = await compare(linesPdf(page), linesPdf(page, ["foot-ball"]));
    expect(changesOf(answer)).toEqual([[undefined, "2: foot-ball"]]);
  });

  test("syllables of Korean words are not separated", async () => {
    const korean = { font: "HYSMyeongJo-Medium", encoding: "UniKS-UTF16-H", ordering: "Korea1" };
    const page = (text: string) => asianPdf({ ...korean, codes: utf16(text) });
    const answer = await compare(page("제일조 헌법"), page("제이삼사조 헌법"));
    expect(changesOf(answer)).toEqual([["1: 일", "1: 이삼사"]]);
  });

  test("words on a line that runs up the page have one box", async () => {
    const upward = (text: string) => {
      const builder = new PdfBuilder();
      builder.page(`BT /F 12 Tf 0 1 -1 0 100 20 Tm (${text}) Tj ET`);
      return builder.bytes();
    };
    const answer = await compare(upward("a few old words"), upward("a few more new words"));
    const boxes = (passage: Passage | undefined) => passage?.boxes.length;
    expect(answer.changes.map(({ removed, added }) => [boxes(removed), boxes(added)])).toEqual([[1, 1]]);
  });

  test("removed and added words stand alone", async () => {
    const answer = await compare(plainPdf("a big red house"), plainPdf("a red house today"));
    expect(changesOf(answer)).toEqual([
      ["1: big", undefined],
      [undefined, "1: today"],
    ]);
  });

  test("a removed page that starts like the next one is removed as a whole", async () => {
    const answer = await compare(plainPdf("Page one", "Page two", "Page three"), plainPdf("Page one", "Page three"));
    expect(changesOf(answer)).toEqual([["2: Page two", undefined]]);
    const added = await compare(plainPdf("Page one", "Page three"), plainPdf("Page one", "Page two", "Page three"));
    expect(changesOf(added)).toEqual([[undefined, "2: Page two"]]);
  });

  test("documents with nothing in common are replaced", async () => {
    const words = (prefix: string) =>
      Array.from({ length: 20 }, (_, page) =>
        Array.from({ length: 12 }, (_, line) =>
          Array.from({ length: 20 }, (_, at) => `${prefix}${page}${line}${at}`).join(" "),
        ),
      );
    const answer = await compare(linesPdf(...words("a")), linesPdf(...words("b")));
    expect(answer.changes).toHaveLength(20);
    expect(pairsOf(answer)).toEqual(Array.from({ length: 20 }, (_, at) => [at + 1, at + 1]));
  });
});

describe("pages", () => {
  test("an added page has no counterpart", async () => {
    const answer = await compare(plainPdf("First page", "Last page"), plainPdf("First page", "New leaf", "Last page"));
    expect(pairsOf(answer)).toEqual([
      [1, 1],
      [undefined, 2],
      [2, 3],
    ]);
    expect(answer.pages[1]!.difference).toBe(1);
  });

  test("pages without text are paired by their looks", async () => {
    const answer = await compare(squaresPdf(10, 50, 90), squaresPdf(10, 90));
    expect(pairsOf(answer)).toEqual([
      [1, 1],
      [2, undefined],
      [3, 2],
    ]);
  });

  test("empty pages of two sizes are not identical", async () => {
    const empty = (box: string) => onePage("", "", [], "", box);
    expect((await compare(empty("0 0 300 200"), empty("0 0 300 210"))).identical).toBe(false);
  });

  test("areas surround what looks different", async () => {
    const { pages, changes } = await compare(squaresPdf(50), squaresPdf(200));
    expect(changes).toEqual([]);
    expect(pages[0]!.areas).toEqual([
      [50, 50, 70, 70],
      [200, 50, 220, 70],
    ]);
    expect(pages[0]!.difference).toBeCloseTo(800 / 60_000, 4);
  });

  test("pages of two sizes are compared in the larger one", async () => {
    const larger = new PdfBuilder();
    larger.page("50 50 20 20 re f % ()", "/CropBox[0 0 300 180]");
    const { pages } = await compare(squaresPdf(50), larger.bytes());
    expect(pages).toHaveLength(1);
  });

  test("a wide and a high page fit into memory, and into a page of a PDF", async () => {
    const sized = (box: string) => onePage("0 0 3 3 re f", "", [], "", box);
    const pages = [sized("0 0 14400 3"), sized("0 0 3 14400")];
    const [pdf] = await outputsOf(findDifferences, pages, { outputType: "pdf", dpi: 300 });
    expect(pdf!.length).toBeLessThan(2 ** 20);
  });
});

describe("failures", () => {
  test("too many words for the memory", async () => {
    const context = { ...CONTEXT, heapLimitBytes: 24 * 2 ** 20 };
    const many = linesPdf(...Array.from({ length: 900 }, () => Array.from({ length: 14 }, () => "a b c d ".repeat(6))));
    const params = { outputType: "json", dpi: 36 } as const;
    expect(await reasonOf(() => outputsOf(findDifferences, [many, many], params, context))).toBe("too-large");
  });

  test("a damaged document is named", async () => {
    const work = compare(plainPdf("a"), new TextEncoder().encode("%PDF-1.7 nothing"));
    await expect(work).rejects.toMatchObject({ why: "a.pdf, number 2 of the 2 inputs, is damaged." });
  });

  test("a document with a page that cannot be drawn is named", async () => {
    const { bytes } = HOSTILE_PDFS.find(({ name }) => name === "forms 20,000 deep")!;
    const work = compare(bytes(), plainPdf("a"));
    await expect(work).rejects.toMatchObject({ why: "a.pdf, number 1 of the 2 inputs, is damaged." });
  });
});
