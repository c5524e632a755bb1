// Compares text, words and their places with those of poppler.
// Contract: docs/api.md#extracted-text
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { type ExtractTextParams, extractText } from "../../../src/operations/extract-text.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { fieldPdf, textPdf } from "../../fixtures/pdfs.ts";
import { corpusFile } from "../../support/corpus.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { outputsOf, reasonOf } from "../../support/operations.ts";
import { withFile } from "../../support/pdf-readers.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}
interface Answer {
  readonly fullText?: string;
  readonly words?: readonly {
    readonly text: string;
    readonly page: number;
    readonly coordinates: Readonly<Record<"topLeft" | "topRight" | "bottomLeft" | "bottomRight", Point>>;
    readonly style: {
      readonly color: { readonly values: readonly number[] };
      readonly font: { readonly name: string };
    };
  }[];
}

const USUAL: ExtractTextParams = {
  pages: parsePages("1-last")!,
  ...{ fullText: "document", preserveLineBreaks: false, wordStyle: true, wordCoordinates: true, layout: false },
};

async function ask(pdf: Uint8Array, params: Partial<ExtractTextParams> = {}): Promise<Answer> {
  const [answer] = await outputsOf(extractText, [pdf], { ...USUAL, ...params });
  return JSON.parse(new TextDecoder().decode(answer));
}

/** Returns the words of a page with their left, upper, right and lower edges from the upper left corner. */
function popplerWords(pdf: Uint8Array) {
  const text = withFile(pdf, (path) =>
    execFileSync("pdftotext", ["-bbox", "-cropbox", path, "-"], { encoding: "utf8" }),
  );
  const [, width, height] = /<page width="([\d.]+)" height="([\d.]+)"/.exec(text)!.map(Number);
  const words = [...text.matchAll(/<word xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)<\/word>/g)].map(
    ([, left, top, right, bottom, word]) => ({
      word: word!.replaceAll("&amp;", "&").replaceAll("&lt;", "<").replaceAll("&gt;", ">"),
      ...{ left: Number(left), top: Number(top), right: Number(right), bottom: Number(bottom) },
    }),
  );
  return { width: width!, height: height!, words };
}

const SENTENCE = "BT /F 12 Tf 60 100 Td (The quick brown fox) Tj ET";
const page = (entries: string): Uint8Array => {
  const builder = new PdfBuilder();
  builder.page(SENTENCE, entries);
  return builder.bytes();
};

describe("places of words", () => {
  test.each<[string, string]>([
    ["plain", ""],
    ["cropped", "/CropBox[40 30 290 180]"],
    ...[90, 180, 270].map((angle): [string, string] => [`turned by ${angle}`, `/Rotate ${angle}`]),
    ["turned and cropped", "/Rotate 90/CropBox[40 30 290 180]"],
  ])("%s", async (_, entries) => {
    const pdf = page(entries);
    const { words = [] } = await ask(pdf);
    const { width, height: unturned, words: others } = popplerWords(pdf);
    // Poppler states the size of the page before its rotation, and the places of words after it.
    const height = /Rotate (?:90|270)/.test(entries) ? width : unturned;
    expect(words.map(({ text }) => text)).toEqual(["The", "quick", "brown", "fox"]);
    for (const { text, coordinates } of words) {
      const other = others.find(({ word }) => word === text)!;
      const corners = Object.values(coordinates);
      const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => height - y)];
      // The heights of fonts differ between programs.
      expect(Math.abs((Math.min(...xs) + Math.max(...xs) - other.left - other.right) / 2)).toBeLessThan(2);
      expect(Math.abs((Math.min(...ys) + Math.max(...ys) - other.top - other.bottom) / 2)).toBeLessThan(2);
    }
  });

  test("the upper left corner is where a reader of turned text sees it", async () => {
    const builder = new PdfBuilder();
    builder.page("BT /F 12 Tf 0 1 -1 0 150 60 Tm (Upwards) Tj ET");
    const { topLeft, topRight, bottomLeft } = (await ask(builder.bytes())).words![0]!.coordinates;
    expect([topRight.x - topLeft.x, topRight.y > topLeft.y + 30, bottomLeft.x > topLeft.x]).toEqual([0, true, true]);
  });
});

describe("text", () => {
  test("styles", async () => {
    const builder = new PdfBuilder();
    builder.page("BT 1 0 0 rg /F 12 Tf 60 100 Td (Red) Tj ET");
    expect((await ask(builder.bytes())).words![0]!.style).toEqual({
      color: { space: "DeviceRGB", values: [1, 0, 0] },
      font: { name: "Helvetica", size: 12 },
    });
  });

  test("invisible text counts, text outside the page does not, and text drawn twice counts once", async () => {
    const builder = new PdfBuilder();
    const shown = (text: string, x: number, y: number) => `BT /F 12 Tf ${x} ${y} Td (${text}) Tj ET `;
    builder.page(
      `BT 3 Tr /F 12 Tf 60 150 Td (hidden) Tj 0 Tr ET ${shown("outside", 900, 20)}${shown("bold", 60, 100)}${shown("bold", 60.3, 100)}`,
    );
    expect((await ask(builder.bytes())).fullText).toBe("hidden\nbold");
  });

  test("line breaks stay on request", async () => {
    const builder = new PdfBuilder();
    builder.page("BT /F 12 Tf 14 TL 20 150 Td (one two three four five) Tj T* (six seven eight nine ten) Tj ET");
    expect((await ask(builder.bytes())).fullText).toBe("one two three four five six seven eight nine ten");
    const kept = await ask(builder.bytes(), { preserveLineBreaks: true });
    expect(kept.fullText).toBe("one two three four five\nsix seven eight nine ten");
  });

  test("selected pages, in their order", async () => {
    const { words = [] } = await ask(await textPdf(3), { pages: parsePages("3,1")! });
    expect([...new Set(words.map(({ page }) => page))]).toEqual([3, 1]);
    expect(await reasonOf(() => ask(new Uint8Array(10)))).toBe("not-a-pdf");
  });

  test("a word of 300,000 letters, and as many brackets", async () => {
    const builder = new PdfBuilder();
    const shown = (text: string) => `(${text.repeat(1000 / text.length)}) Tj `.repeat(300);
    builder.page(`BT /F .001 Tf 10 100 Td ${shown("a")} ET`);
    builder.page(`BT /F .001 Tf 10 100 Td ${shown("[ ")} ET`);
    const { pages } = (await ask(builder.bytes(), { fullText: "by_page", wordStyle: false, wordCoordinates: false }))
      .fullText as unknown as { readonly pages: readonly { readonly text: string }[] };
    expect(pages.map(({ text }) => text.length)).toEqual([300_000, 299_999]);
  });

  test("nothing is an empty text", async () => {
    const builder = new PdfBuilder();
    builder.page("()");
    expect(await ask(builder.bytes())).toEqual({ words: [], fullText: "" });
    expect(await ask(await fieldPdf(1), { fullText: "off", wordStyle: false, wordCoordinates: false })).toEqual({});
  });

  test.each(["pdf/right_to_left_01.pdf", "pdf/amt_handbook_sample.pdf", "pdf/test3.pdf"])(
    "%s has the characters that poppler finds, but for kinds of dashes",
    async (name) => {
      const pdf = corpusFile(name);
      if (!pdf) return;
      const counts = (text: string) => {
        const found = new Map<string, number>();
        for (const one of text.normalize("NFKC").replace(/[\s\p{C}\p{M}\p{Pd}−~〜]/gu, ""))
          found.set(one, (found.get(one) ?? 0) + 1);
        return found;
      };
      const own = counts((await ask(pdf, { preserveLineBreaks: true })).fullText!);
      const others = counts(withFile(pdf, (path) => execFileSync("pdftotext", [path, "-"], { encoding: "utf8" })));
      const total = [...others.values()].reduce((sum, count) => sum + count, 0);
      const differing = [...new Set([...own.keys(), ...others.keys()])].reduce(
        (sum, one) => sum + Math.abs((own.get(one) ?? 0) - (others.get(one) ?? 0)),
        0,
      );
      expect(differing).toBeLessThan(total * 0.01);
    },
  );

  test.each(HOSTILE_PDFS.filter(({ name }) => !/spaces|ten deep/.test(name)))("$name ends", async ({ bytes }) => {
    expect(await reasonOf(() => ask(bytes()))).toMatch(
      /^(?:none|damaged|not-a-pdf|too-complex|too-large|password-protected)$/,
    );
  });
});
