// Tests the blocks of pages as JSON, against their own schema.
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { DocumentLayout } from "../../../../src/document/layout/document-layout.ts";
import { PAGE_SCHEMA, pageJson } from "../../../../src/document/layout/json.ts";
import { pageOf, rule } from "../../../support/page-texts.ts";

async function jsonOf(page: ReturnType<typeof pageOf>) {
  const layout = new DocumentLayout();
  const each = async function* () {
    yield page;
  };
  for await (const one of layout.read(each())) return JSON.parse(pageJson(one, layout.hyphens));
}

const TEXT = "A paragraph of a few words";

test("each kind of block is valid", async () => {
  const cells = [
    { text: "Name", x: 50, y: 300, isBold: true },
    { text: "Size", x: 150, y: 300, isBold: true },
    { text: "a.pdf", x: 50, y: 320 },
  ];
  const lines = [285, 305, 325].map((y) => rule(40, y, 240, y));
  const sides = [40, 140, 240].map((x) => rule(x, 285, x, 325));
  const linked = { uri: "https://example.com/", box: [40, 640, 50, 720] as const };
  const figure = { kind: "image", argb: 0xff000000, isStroked: false, box: [40, 100, 140, 200] } as const;
  const page = pageOf(
    [
      { text: "Title", x: 40, y: 60, size: 20 },
      { text: TEXT, x: 40, y: 100 },
      { text: "1. First item", x: 40, y: 140 },
      { text: "Table 1: sizes", x: 40, y: 200 },
      ...cells,
    ],
    [...lines, ...sides, figure],
  );
  const json = await jsonOf({ ...page, links: [{ ...linked, box: [40, 690, 50, 710] }] });
  const validate = new Ajv().compile(PAGE_SCHEMA);
  expect([validate(json), validate.errors]).toEqual([true, null]);
  expect(json.blocks.map(({ kind }: { kind: string }) => kind)).toEqual([
    ...["heading", "paragraph", "item", "caption", "table", "figure"],
  ]);
  const [title, paragraph, item, , table, picture] = json.blocks;
  expect(title).toMatchObject({ level: 1, size: 20, text: "Title", box: [40, 736, 90, 756] });
  expect(paragraph).toMatchObject({ text: TEXT, links: [{ uri: linked.uri, text: "A" }] });
  expect(item).toMatchObject({ marker: "1.", text: "First item", level: 1, lines: [{ text: "1. First item" }] });
  expect(table).toMatchObject({ rowCount: 2, columnCount: 2, headerRows: 1 });
  expect(table.cells.map(({ row, column, text }: Record<string, unknown>) => [row, column, text])).toEqual([
    [0, 0, "Name"],
    [0, 1, "Size"],
    [1, 0, "a.pdf"],
    [1, 1, ""],
  ]);
  expect(table.cells[3]).toEqual({ row: 1, column: 1, rowSpan: 1, columnSpan: 1, text: "" });
  expect(picture).toEqual({ kind: "figure", box: [40, 100, 140, 200] });
});
