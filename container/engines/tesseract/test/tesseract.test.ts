// Tests Tesseract with its limits and its sandbox.
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRecognized } from "../../../../src/document/recognition/hocr.ts";
import { recognizeText } from "../../../../src/operations/recognize-text.ts";
import { Scratch } from "../../../scratch/scratch.ts";
import { type Picture, Tesseract } from "../tesseract.ts";

let scratch: Scratch;
let tesseract: Tesseract;
beforeAll(async () => {
  scratch = await Scratch.open();
  tesseract = new Tesseract({ scratch, processes: 2 });
});
afterAll(() => scratch[Symbol.asyncDispose]());

const { signal } = new AbortController();

/** A white picture with black bars, which look like the letter l. */
function bars(width: number, height: number): Picture {
  const header = Buffer.from(`P5 ${width} ${height} 255\n`);
  const bytes = Buffer.alloc(header.length + width * height, 255);
  header.copy(bytes);
  for (let row = 100; row < 140; row++) {
    for (let left = 100; left < 600; left += 20)
      bytes.fill(0, header.length + row * width + left, header.length + row * width + left + 6);
  }
  return { bytes, dpi: 300 };
}

test("every language has its data, and the vertical ones have those, too", async () => {
  for (const language of recognizeText.parameters.languages.kind.words!) {
    for (const isVertical of /Chinese|Japanese|Korean/.test(language) ? [false, true] : [false]) {
      const output = await tesseract.recognize(bars(700, 250), [language as "English"], { signal, isVertical });
      expect([language, output]).toEqual([language, expect.stringContaining("ocr_page")]);
      expect([language, readRecognized(output, isVertical)]).toEqual([language, expect.any(Array)]);
    }
  }
});

test("pictures that are damaged, empty or too large fail for a reason", async () => {
  const attempt = (bytes: Uint8Array) => tesseract.recognize({ bytes, dpi: 300 }, ["English"], { signal });
  await expect(attempt(Buffer.from("P5 100000 100000 255\n"))).rejects.toHaveProperty("reason", "too-complex");
  await expect(attempt(Buffer.from("no picture"))).rejects.toHaveProperty("reason", "too-complex");
  await expect(attempt(Buffer.alloc(0))).rejects.toHaveProperty("reason", "too-complex");
});

test("a picture with too little text is not turned", async () => {
  expect(await tesseract.uprightTurn(bars(700, 250), signal)).toBe(0);
});

test("characters that the text of PDF/A must not contain are left out", () => {
  const word = (text: string) => `<span class='ocrx_word' title='bbox 0 0 9 9; x_wconf 90'>${text}</span>`;
  const line = `<span class='ocr_line' title="bbox 0 0 99 9; baseline 0 0; x_size 9">`;
  const output = `${line}${word("\ufefface\ufffe")}${word("\ufeff")}</span>\n  </div>\n </body>\n</html>\nace\n </body>`;
  expect(readRecognized(output).map(({ words }) => words.map(({ text }) => text))).toEqual([["ace"]]);
});

test("words of a vertical line take its left and right edges", () => {
  const word = (box: string) => `<span class='ocrx_word' title='bbox ${box}; x_wconf 90'>あ</span>`;
  const output = `<span class='ocr_line' title="bbox 10 0 50 200">${word("10 0 50 90")}${word("40 100 50 110")}</span>\n  </div>\n`;
  const [line] = readRecognized(output, true);
  expect(line!.words.map(({ box }) => box)).toEqual([
    [10, 0, 50, 90],
    [10, 100, 50, 110],
  ]);
});

test("a list of files is not followed", async () => {
  // Tesseract treats a text on standard input as a list of pictures.
  const list = { bytes: Buffer.from("/etc/passwd\n"), dpi: 300 };
  await expect(tesseract.recognize(list, ["English"], { signal })).rejects.toHaveProperty("reason", "too-complex");
});

test("an aborted job ends its process", async () => {
  const ending = new AbortController();
  const running = tesseract.recognize(bars(5000, 5000), ["English"], { signal: ending.signal });
  ending.abort(new Error("over"));
  await expect(running).rejects.toThrow("over");
});
