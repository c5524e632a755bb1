// Tests that fields which no form lists stay separate fields when documents are merged and split.
import { expect, test } from "vitest";
import type { Reference } from "../../../src/document/objects/values.ts";
import { findFields, fullName } from "../../../src/document/pages/parts/forms/field-tree.ts";
import { SourceDocument } from "../../../src/document/pages/source-document.ts";
import { mergePdfs } from "../../../src/operations/merge-pdfs.ts";
import { splitPdf } from "../../../src/operations/split-pdf.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { CONTEXT, outputsOf } from "../../support/operations.ts";
import { openPdf } from "../../support/pdf-objects.ts";

const ALL = { text: "1-last", items: [{ first: 1, last: "last" }] } as const;
const widget = (entries: string) => `<</Type/Annot/Subtype/Widget/Rect[20 50 120 70]/F 4${entries}>>`;

/** Returns a page with a text field `name` that has this value. */
function orphanPdf(value: string, catalog: string): Uint8Array {
  const builder = new PdfBuilder();
  builder.page(value, `/Annots[${builder.add(widget(`/FT/Tx/T(name)/V(${value})`))}]`);
  builder.catalog = catalog;
  return builder.bytes();
}

/** Returns two pages, each with a widget of the same field. Only the widgets refer to the field. */
function pairPdf(): Uint8Array {
  const builder = new PdfBuilder();
  const field = builder.reserve();
  const widgets = [1, 2].map(() => builder.add(widget(`/Parent ${field}`)));
  builder.set(field, `<</FT/Tx/T(name)/V(pair)/Kids[${widgets.join(" ")}]>>`);
  for (const one of widgets) builder.page("pair", `/Annots[${one}]`);
  return builder.bytes();
}

/** Returns the name and the value of each widget's field, page by page. */
async function fieldsOf(pdf: Uint8Array) {
  using opened = await openPdf(pdf);
  const { file } = opened;
  const source = new SourceDocument(file);
  const tree = findFields(source)!;
  return source.pages.flatMap(({ reference }) =>
    (file.array(file.dictionary(reference)?.get("Annots")) ?? []).map((annotation) => {
      const node = tree.byNumber.get((annotation as Reference).number)!;
      const field = node.isField ? node : tree.nodes[node.parent]!;
      return [fullName(tree, node), file.string(file.dictionary(field.reference)?.get("V"))?.latin1];
    }),
  );
}

test("equal names of different documents are kept apart, with a form, an empty one and none", async () => {
  const form = "/AcroForm<</Fields[]/DA(/F 0 Tf 0 g)>>";
  const inputs = [
    orphanPdf("one", form),
    orphanPdf("two", ""),
    orphanPdf("three", ""),
    pairPdf(),
    orphanPdf("four", form),
  ];
  const [merged] = await outputsOf(mergePdfs, inputs, { pages: inputs.map(() => ALL) }, CONTEXT);
  const fields = await fieldsOf(merged!);
  expect(fields.map(([, value]) => value)).toEqual(["one", "two", "three", "pair", "pair", "four"]);
  expect(new Set(fields.map(([name]) => name)).size).toBe(5);
  expect(fields[3]![0]).toBe(fields[4]![0]);
});

test("a split keeps them", async () => {
  expect(await fieldsOf((await outputsOf(splitPdf, [orphanPdf("one", "")], {}, CONTEXT))[0]!)).toEqual([
    ["name", "one"],
  ]);
  for (const page of await outputsOf(splitPdf, [pairPdf()], {}, CONTEXT)) {
    expect(await fieldsOf(page)).toEqual([["name", "pair"]]);
  }
});
