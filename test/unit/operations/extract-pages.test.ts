// Tests that extracted pages have the sizes that the engine draws, and look like those of their document.
import { degrees, PDFArray, PDFDocument, PDFHexString, PDFName, PDFNumber } from "pdf-lib";
import { describe, expect, test } from "vitest";
import type { Output } from "../../../src/document/contract/operation.ts";
import { MupdfDocument } from "../../../src/document/engines/mupdf/document.ts";
import { Mupdf } from "../../../src/document/engines/mupdf/instance/mupdf.ts";
import { MupdfPage } from "../../../src/document/engines/mupdf/page.ts";
import { findInGroup, parseProperties } from "../../../src/document/pages/page-groups.ts";
import { type ExtractPagesParams, extractPages } from "../../../src/operations/extract-pages.ts";
import { textPdf, turnedPdf } from "../../fixtures/pdfs.ts";

const LIMITS = { heapLimitBytes: 80 * 2 ** 20 };
const context = { signal: new AbortController().signal, ...LIMITS, defer() {}, log() {} };

async function extracted(bytes: Uint8Array, params: ExtractPagesParams): Promise<[Output, Uint8Array][]> {
  const input = {
    ...{ name: "a.pdf", size: bytes.length, bytes: async () => bytes },
    async *stream() {
      yield bytes;
    },
  };
  const outputs: [Output, Uint8Array][] = [];
  for await (const output of extractPages.run([input], params, context)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of output.body instanceof Uint8Array ? [output.body] : output.body)
      chunks.push(chunk.slice());
    outputs.push([output, new Uint8Array(Buffer.concat(chunks))]);
  }
  return outputs;
}

const factsOf = async (bytes: Uint8Array) => parseProperties((await extracted(bytes, { facts: true }))[0]![1]);

async function drawn(bytes: Uint8Array, index: number) {
  const document = MupdfDocument.open(await Mupdf.create(LIMITS), bytes, LIMITS);
  const page = new MupdfPage(document, index);
  const samples: Buffer[] = [];
  for (const band of page.raster({ colorModel: "rgb", dpi: 60 }).bands()) samples.push(Buffer.from(band.samples));
  const result = { size: [page.width, page.height], samples: Buffer.concat(samples), pageCount: document.pageCount };
  document.close();
  return result;
}

async function withPage(change: (page: ReturnType<PDFDocument["addPage"]>) => void): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const page = document.addPage([400, 300]);
  page.drawText("x", { x: 20, y: 20 });
  change(page);
  return document.save();
}
const box = (page: ReturnType<PDFDocument["addPage"]>, name: string, numbers: readonly number[]) => {
  const array = PDFArray.withContext(page.doc.context);
  for (const number of numbers) array.push(PDFNumber.of(number));
  page.node.set(PDFName.of(name), array);
};

describe("the size of a page is what the engine draws", () => {
  test.each([
    ["cropped, rotated, in user units", turnedPdf],
    ["rotated by -90", () => withPage((page) => page.setRotation(degrees(-90)))],
    ["rotated by 450", () => withPage((page) => page.setRotation(degrees(450)))],
    ["rotated by 100, no quarter", () => withPage((page) => page.node.set(PDFName.of("Rotate"), PDFNumber.of(100)))],
    ["with a crop box beyond it", () => withPage((page) => box(page, "CropBox", [-50, 100, 900, 200]))],
    ["with a crop box elsewhere", () => withPage((page) => box(page, "CropBox", [1000, 1000, 1100, 1100]))],
    ["with a crop box upside down", () => withPage((page) => box(page, "CropBox", [300, 200, 100, 100]))],
    ["with an empty media box", () => withPage((page) => box(page, "MediaBox", [0, 0, 0, 0]))],
    ["thinner than a point", () => withPage((page) => box(page, "MediaBox", [0, 0, 0.5, 100]))],
    ["in negative units", () => withPage((page) => page.node.set(PDFName.of("UserUnit"), PDFNumber.of(-3)))],
  ])("%s", async (_, make) => {
    const bytes = await make();
    const [size] = (await factsOf(bytes)).sizes;
    const real = (await drawn(bytes, 0)).size;
    expect(size!.map((length, side) => Math.abs(length - real[side]!) < 0.01)).toEqual([true, true]);
  });
});

test("pages of a group are pictures of their own, like those of the document", async () => {
  const bytes = await textPdf(35);
  const [first, second] = await extracted(bytes, { facts: false, groups: { first: 0, count: 5 } });
  for (const number of [1, 32, 33, 35]) {
    const group = (number <= 32 ? first : second)![1];
    const { offset, length, width, height } = findInGroup(group, number)!;
    const one = await drawn(group.slice(offset, offset + length), 0);
    expect([one.pageCount, one.size]).toEqual([1, [width, height]]);
    expect(one.samples.equals((await drawn(bytes, number - 1)).samples)).toBe(true);
  }
  expect(findInGroup(second![1], 36)).toBeUndefined();
});

test("outputs come as they were asked for, and a page beyond the last is refused", async () => {
  const bytes = await textPdf(2);
  const outputs = await extracted(bytes, { facts: true, page: 2, groups: { first: 0, count: 1 } });
  expect(outputs.map(([{ extension }]) => extension)).toEqual(["json", "pdf", "pages"]);
  await expect(extracted(bytes, { facts: true, page: 3 })).rejects.toMatchObject({ parameter: "pages", value: "3" });
});

test("labels and bookmarks", async () => {
  const document = await PDFDocument.create();
  const pages = Array.from({ length: 30 }, () => document.addPage([100, 100]));
  const { context, catalog } = document;
  const styles: Record<number, { S?: string; St?: number; P?: string }> = {
    0: { S: "r" },
    4: { S: "D", P: "A-" },
    6: { S: "A", St: 26 },
    8: { P: "cover" },
    9: { S: "X", St: 7 },
  };
  const nums = Object.entries(styles).flatMap(([start, { P, ...label }]) => [
    Number(start),
    context.obj({ ...label, ...(P === undefined ? {} : { P: PDFHexString.fromText(P) }) } as never),
  ]);
  catalog.set(PDFName.of("PageLabels"), context.obj({ Nums: nums } as never));
  const [root, top, below] = [context.nextRef(), context.nextRef(), context.nextRef()];
  const item = (title: string, page: number, links: object) =>
    context.obj({
      Title: PDFHexString.fromText(title),
      Dest: [pages[page]!.ref, "Fit"],
      Parent: root,
      ...links,
    } as never);
  context.assign(root, context.obj({ First: top, Last: top }));
  context.assign(top, item("Chapter – 1", 4, { First: below, Last: below }));
  context.assign(below, item("Section", 9, {}));
  catalog.set(PDFName.of("Outlines"), root);
  const { labels, bookmarks, pageCount } = await factsOf(await document.save());
  expect(pageCount).toBe(30);
  expect(labels!.slice(0, 11)).toEqual(["i", "ii", "iii", "iv", "A-1", "A-2", "Z", "AA", "cover", "7", "8"]);
  expect(bookmarks).toEqual([
    ["Chapter – 1", 4, -1],
    ["Section", 9, 0],
  ]);
});
