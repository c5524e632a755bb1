// Tests with poppler and qpdf that every operation writes the same pages for a wrong page tree.
// Contract: docs/api.md#compressed-pdf, #flattened-transparencies-pdf, #linearized-pdf, #merged-pdf, #split-pdf
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Operation } from "../../../../src/document/contract/operation.ts";
import { compressPdf } from "../../../../src/operations/compress-pdf.ts";
import { flattenTransparency } from "../../../../src/operations/container-only/flatten-transparency.ts";
import { extractPages } from "../../../../src/operations/extract-pages.ts";
import { linearizePdf } from "../../../../src/operations/linearize-pdf.ts";
import { mergePdfs } from "../../../../src/operations/merge-pdfs.ts";
import { rasterizePdf } from "../../../../src/operations/rasterize-pdf.ts";
import { splitPdf } from "../../../../src/operations/split-pdf.ts";
import { hybridPdf } from "../../../fixtures/object-pdfs.ts";
import { WRONG_TREES } from "../../../fixtures/page-trees.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";
import { pageTexts, withFile } from "../../../support/pdf-readers.ts";

const ALL = { text: "1-last", items: [{ first: 1, last: "last" }] } as const;
const PNG = { format: "png", colorModel: "gray", dpi: 12, pages: ALL } as const;
const context = { ...CONTEXT, heapLimitBytes: 300 * 2 ** 20 };
const TEXTS = ["Page 1", "Page 2", "Page 3"];

const outputs = <P>(operation: Operation<P>, pdf: Uint8Array, params: P) =>
  outputsOf(operation, [pdf], params, context);

const pageCount = (pdf: Uint8Array) =>
  withFile(pdf, (path) => execFileSync("qpdf", ["--show-npages", path], { encoding: "utf8" }).trim());

async function expectThreePages(pdf: Uint8Array): Promise<void> {
  const [facts] = await outputs(extractPages, pdf, { facts: true });
  expect(JSON.parse(Buffer.from(facts!).toString())).toMatchObject({ pageCount: 3 });
  expect(await outputs(rasterizePdf, pdf, PNG)).toHaveLength(3);
  expect((await outputs(splitPdf, pdf, {})).map((page) => pageTexts(page)[0])).toEqual(TEXTS);
  const whole = [
    ...(await outputs(mergePdfs, pdf, { pages: [ALL] })),
    ...(await outputs(compressPdf, pdf, { level: "low" })),
    ...(await outputs(linearizePdf, pdf, {})),
    ...(await outputs(flattenTransparency, pdf, { quality: "medium" })),
  ];
  expect(whole.map(pageTexts)).toEqual(whole.map(() => TEXTS));
  expect(whole.map(pageCount)).toEqual(whole.map(() => "3"));
}

const SOME = WRONG_TREES.filter((_, index) => index % 6 === 0);
test.each(SOME)("every operation has three pages: %s", async (_, pdf) => expectThreePages(pdf));

/** Returns the PDF rewritten by qpdf, which does not change the tree. */
const rewritten = (pdf: Uint8Array, ...options: string[]) =>
  withFile(pdf, (path, folder) => {
    const target = join(folder, "out.pdf");
    execFileSync("qpdf", ["--warning-exit-0", "--no-warn", ...options, path, target]);
    return new Uint8Array(readFileSync(target));
  });

/** Returns the PDF with an incremental update that declares one page fewer (ISO 32000-1, 7.5.6). */
function updated(pdf: Uint8Array): Uint8Array {
  const before = Buffer.from(pdf).toString("latin1");
  const previous = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(before)![1];
  const root = "2 0 obj\n<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 2>>\nendobj\n";
  const table = `xref\n2 1\n${String(pdf.length).padStart(10, "0")} 00000 n \ntrailer\n<</Size 30/Root 1 0 R/Prev ${previous}>>\n`;
  return new Uint8Array(
    Buffer.from(`${before}${root}${table}startxref\n${pdf.length + root.length}\n%%EOF\n`, "latin1"),
  );
}

describe("every operation has three pages, however the file is written", () => {
  const [small, lower] = ["Count too small", "null, a number and a string among the kids"].map(
    (name) => WRONG_TREES.find(([other]) => other === name)![1],
  ) as [Uint8Array, Uint8Array];
  test.each([
    ["in object streams", () => rewritten(small, "--object-streams=generate")],
    ["in an update", () => updated(lower)],
    ["in an encrypted file", () => rewritten(small, "--encrypt", "", "owner", "256", "--")],
  ])("%s", async (name, make) => {
    const pdf = make();
    if (name !== "in an encrypted file") return expectThreePages(pdf);
    // The output stays encrypted, because qpdf does not change the tree.
    const [linearized] = await outputs(linearizePdf, pdf, {});
    expect(await outputs(rasterizePdf, linearized!, PNG)).toHaveLength(3);
    const [merged] = await outputs(mergePdfs, pdf, { pages: [ALL] });
    expect(pageTexts(merged!)).toEqual(TEXTS);
  });
});

test("the hidden objects of a hybrid-reference file are drawn", async () => {
  const draw = async (pdf: Uint8Array) => (await outputs(rasterizePdf, pdf, { ...PNG, dpi: 72 }))[0]!;
  expect(await draw(hybridPdf())).toEqual(await draw(rewritten(hybridPdf())));
});
