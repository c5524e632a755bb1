// Tests the differences that the comparison finds between a document and its converted copy.
import { describe, expect, test } from "vitest";
import type { PageRendering } from "../../../../src/document/pdfa/comparison/document-rendering.ts";
import {
  decodeRenderings,
  encodeCount,
  encodeRendering,
} from "../../../../src/document/pdfa/comparison/rendering-records.ts";
import { type Comparison, comparePdfs } from "../../../../src/operations/pdfa-steps/compare-pdfs.ts";
import { renderPdf } from "../../../../src/operations/pdfa-steps/render-pdf.ts";
import { PdfBuilder, plainPdf } from "../../../fixtures/pdf-builder.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";

async function compared(one: Uint8Array, other: Uint8Array, timeMs = 60_000): Promise<Comparison> {
  const [output] = await outputsOf(comparePdfs, [one, other], { timeMs }, { ...CONTEXT, heapLimitBytes: 2 ** 29 });
  return JSON.parse(Buffer.from(output!).toString()) as Comparison;
}
const kinds = async (one: Uint8Array, other: Uint8Array) =>
  (await compared(one, other)).differences.map(({ pageNumber, kind }) => [pageNumber, kind]);

const page = (content: string) => {
  const builder = new PdfBuilder();
  builder.page(content);
  return builder.bytes();
};
const square = "0 0 1 rg 100 50 60 60 re f (";

describe("differences", () => {
  test("none of a document and itself, nor of rewritten content", async () => {
    expect(await kinds(plainPdf("A", "B"), plainPdf("A", "B"))).toEqual([]);
    expect(
      await kinds(page("BT /F 24 Tf 30 150 Td (Hello) Tj ET"), page("BT /F 24 Tf 30 150 Td (He) Tj (llo) Tj ET")),
    ).toEqual([]);
  });

  test("a page that went blank, and one that was added or lost", async () => {
    expect(await kinds(page(`${square}`), page("("))).toEqual([[1, "picture"]]);
    expect(await kinds(plainPdf("A", "B"), plainPdf("A"))).toEqual([[2, "missing"]]);
    expect(await kinds(plainPdf("A"), plainPdf("A", "B"))).toEqual([[2, "missing"]]);
  });

  test("one small word that is gone, however large the page", async () => {
    const text = (word: string) => page(`BT /F 6 Tf 30 150 Td (${word}) Tj ET`);
    expect(await kinds(text("Word"), text(""))).toEqual([[1, "text"]]);
    expect(
      await kinds(page("BT /F 24 Tf 30 150 Td (Hello) Tj ET"), page("BT /F 24 Tf 3 Tr 30 150 Td (Hello) Tj ET")),
    ).toEqual([[1, "picture"]]);
  });

  describe("on a page of two thousand characters", () => {
    const lines = Array.from({ length: 22 }, (_, line) => `Invoice ${line} of ${"a long account of work, ".repeat(4)}`);
    const full = (...last: string[]) =>
      page(["BT /F 5 Tf 6 TL 10 190 Td", ...[...lines, ...last].map((line) => `(${line}) '`), "ET"].join("\n"));

    test.each([
      ["one digit is another one", "Total 1,284.00 EUR", "Total 1,234.00 EUR"],
      ["one is gone", "Total 1,284.00 EUR", "Total 1,28.00 EUR"],
      ["one is added", "Total 1,284.00 EUR", "Total 11,284.00 EUR"],
    ])("%s", async (_, before, after) => {
      expect(await kinds(full(before), full(after))).toEqual([[1, "text"]]);
    });
  });

  test("one character looks different, and reads the same", async () => {
    const readAs = (shown: string, read: string) => {
      const builder = new PdfBuilder();
      const code = shown.charCodeAt(0).toString(16);
      const map = builder.stream(
        `1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <${code}> <${`00${read.charCodeAt(0).toString(16)}`}> endbfchar`,
      );
      const font = builder.add(`<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/ToUnicode ${map}>>`);
      const content = builder.stream(
        `BT /F 10 Tf 30 150 Td (Total 1,2) Tj /G 10 Tf (${shown}) Tj /F 10 Tf (4.00) Tj ET`,
      );
      const own = builder.page("");
      const fonts = `/Resources<</Font<</F 3 0 R/G ${font}>>>>`;
      builder.set(own, `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]${fonts}/Contents ${content}>>`);
      return builder.bytes();
    };
    const exact = async (one: Uint8Array, other: Uint8Array) => {
      const params = { timeMs: 60_000, isExact: true };
      const [output] = await outputsOf(comparePdfs, [one, other], params, { ...CONTEXT, heapLimitBytes: 2 ** 29 });
      return (JSON.parse(Buffer.from(output!).toString()) as Comparison).differences.map(({ kind }) => kind);
    };
    for (const [shown, other] of [
      ["8", "3"],
      ["1", "7"],
      ["6", "0"],
    ] as const) {
      expect(await exact(readAs(shown, "8"), readAs(other, "8"))).toEqual(["picture"]);
      expect(await exact(readAs(shown, "8"), readAs(shown, "8"))).toEqual([]);
    }
  });

  test("what was hidden comes to light", async () => {
    const content = `/OC /L BDC 0 0 1 rg 100 50 60 60 re f EMC (`;
    const withLayer = (state: string) => {
      const builder = new PdfBuilder();
      const layer = builder.add("<</Type/OCG/Name(Secret)>>");
      builder.page(content, "", `/Properties<</L ${layer}>>`);
      builder.catalog = `/OCProperties<</OCGs[${layer}]/D<<${state}[${layer}]>>>>`;
      return builder.bytes();
    };
    expect(await kinds(withLayer("/OFF"), withLayer("/ON"))).toEqual([[1, "picture"]]);
  });

  test("another color, another size", async () => {
    expect(await kinds(page(square), page(square.replace("0 0 1", "1 0 0")))).toEqual([[1, "picture"]]);
    const wide = Buffer.from(plainPdf("A")).toString("latin1").replace("[0 0 300 200]", "[0 0 320 200]");
    expect(await kinds(plainPdf("A"), Buffer.from(wide, "latin1"))).toEqual([[1, "size"]]);
  });

  test("a document that cannot be read has none of the pages", async () => {
    expect(await kinds(plainPdf("A"), Buffer.from("%PDF-1.7"))).toEqual([[1, "missing"]]);
  });
});

test("when time is up, pages all over a long document have been looked at", async () => {
  const before = plainPdf(...Array.from({ length: 200 }, (_, index) => `Page ${index}`));
  const after = plainPdf(...Array.from({ length: 200 }, (_, index) => (index < 100 ? `Page ${index}` : "")));
  const { compared: count, differences } = await compared(before, after, 0);
  expect(count).toBe(32);
  expect(differences.length).toBeGreaterThan(12);
});

test("what was seen of one document or of both beforehand, with pictures or without, changes nothing", async () => {
  const context = { ...CONTEXT, heapLimitBytes: 2 ** 29 };
  const before = plainPdf("A", "B", "C");
  const others = [before, plainPdf("A", "B"), page(square), plainPdf("A", "", "C")];
  const seen = async (pdf: Uint8Array) => (await outputsOf(renderPdf, [pdf], { timeMs: 60_000 }, context))[0]!;
  const withoutPictures = (looks: Uint8Array) => {
    const { pageCount, pages } = decodeRenderings(looks);
    const records = [...pages].map(([index, look]) => encodeRendering(index, look as PageRendering, false));
    return Buffer.concat([encodeCount(pageCount), ...records]);
  };
  const looks = await seen(before);
  for (const other of others) {
    const expected = await compared(before, other);
    expect(expected.differences.length > 0).toBe(other !== before);
    const both = [looks, await seen(other)];
    for (const known of [[looks], [withoutPictures(looks)], both, both.map(withoutPictures)]) {
      const [output] = await outputsOf(comparePdfs, [before, other, ...known], { timeMs: 60_000 }, context);
      expect(JSON.parse(Buffer.from(output!).toString())).toEqual(expected);
    }
  }
});
