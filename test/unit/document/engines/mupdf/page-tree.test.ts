// Tests that MuPDF and the reader of objects find the same pages in wrong page trees.
import { describe, expect, test } from "vitest";
import { MupdfDocument } from "../../../../../src/document/engines/mupdf/document.ts";
import { Mupdf } from "../../../../../src/document/engines/mupdf/instance/mupdf.ts";
import { MupdfPage } from "../../../../../src/document/engines/mupdf/page.ts";
import { pageSize } from "../../../../../src/document/pages/page-size.ts";
import { readPages } from "../../../../../src/document/pages/pages.ts";
import {
  deepTree,
  endlessTree,
  LONE_PAGES,
  REPEATED_PAGES,
  WRONG_TREES,
  wideTree,
} from "../../../../fixtures/page-trees.ts";
import { plainPdf } from "../../../../fixtures/pdf-builder.ts";
import { withoutXref } from "../../../../fixtures/pdfs.ts";
import { openPdf } from "../../../../support/pdf-objects.ts";

const LIMITS = { heapLimitBytes: 88 * 1024 * 1024 };

const open = async (pdf: Uint8Array) => MupdfDocument.open(await Mupdf.create(LIMITS), pdf, LIMITS);

/** Returns text and width of the pages that the engine draws; with `every`, only of every n-th page. */
async function drawn(pdf: Uint8Array, every = 1) {
  const document = await open(pdf);
  const pages: (readonly [text: string, width: number])[] = [];
  for (let index = 0; index < document.pageCount; index += every) {
    const page = new MupdfPage(document, index);
    const text = page
      .text()
      .flatMap(({ characters }) => characters.map(({ codePoint }) => String.fromCodePoint(codePoint)));
    pages.push([text.join(""), page.width]);
    page.close();
  }
  const { pageCount, isRewritten } = document;
  document.close();
  return { pages, pageCount, isRewritten };
}

async function widths(pdf: Uint8Array) {
  using opened = await openPdf(pdf);
  return readPages(opened.file).pages.map((page) => pageSize(opened.file, page).width);
}

const THREE = [200, 210, 220].map((width, index) => [`Page ${index + 1}`, width] as const);

describe("three pages, whatever is wrong with their tree", () => {
  test.each(WRONG_TREES)("%s", async (_, pdf) => {
    expect((await drawn(pdf)).pages).toEqual(THREE);
    expect(await widths(pdf)).toEqual(THREE.map(([, width]) => width));
    expect((await drawn(withoutXref(pdf))).pages).toEqual(THREE);
  });
});

test("pages that come twice are there twice", async () => {
  for (const [pages, pdf] of REPEATED_PAGES) {
    const expected = pages.split(" ").map((number) => THREE[Number(number) - 1]!);
    expect((await drawn(pdf)).pages).toEqual(expected);
    expect(await widths(pdf)).toEqual(expected.map(([, width]) => width));
  }
});

test("the catalog's only page is the document", async () => {
  for (const pdf of LONE_PAGES) expect((await drawn(pdf)).pages).toEqual([THREE[0]]);
});

test("deep and wide trees have all their pages, and sound ones are left alone", async () => {
  const deep = deepTree(5000);
  expect(await drawn(deep, 1000)).toMatchObject({ pageCount: 5000, isRewritten: true });
  expect(await widths(deep)).toEqual(Array.from({ length: 5000 }, (_, index) => 100 + (index % 7)));
  expect(await drawn(wideTree(20_000), 9000)).toMatchObject({ pageCount: 20_000, isRewritten: false });
  expect(await drawn(wideTree(20_000, 19_999), 9000)).toMatchObject({ pageCount: 20_000, isRewritten: true });
  expect(await drawn(plainPdf("a", "b"))).toMatchObject({ pageCount: 2, isRewritten: false });
});

test("a tree that multiplies its pages without end has each of them once", async () => {
  expect(await drawn(endlessTree())).toMatchObject({ pageCount: 2, isRewritten: true });
  expect(await widths(endlessTree())).toEqual([9, 9]);
});

test("a reopened document has the same pages", async () => {
  const document = await open(WRONG_TREES[0]![1]);
  await document.reopen();
  expect(document.pageCount).toBe(3);
  document.close();
});
