// Tests POST /pdf-with-added-tables: spellings of values, images, and errors. The operation's own tests check the tables.
// Contract: docs/api.md#pdf-with-added-tables
import { expect, test } from "vitest";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { keyedClient, privateClient, upload } from "../support/client.ts";
import { EXAMPLE_IMAGE } from "../support/examples.ts";
import { pageTexts } from "../support/pdf-readers.ts";
import { rowsOf } from "../support/tables.ts";

const client = privateClient();
const pdf = await labeledPdf("P", 2);
const file = () => upload(pdf, "book.pdf");
const image = () => upload(Buffer.from(EXAMPLE_IMAGE.base64, "base64"), EXAMPLE_IMAGE.name);
const one = (more: object = {}) => ({ page: 1, x: 9, y: 60, rows: rowsOf(["Seen", "文"]), ...more });

test("values are numbers or texts, and objects are a list or a single one", async () => {
  const { status, body } = await client.post("/pdf-with-added-tables", {
    ...{ file: file(), image_files: image(), tag_enabled: "true" },
    table_objects: JSON.stringify({
      ...{ page: "2", x: "9", y: "60", width: "100", width_mode: "relative", columns: [{ width: "1" }, { width: 2 }] },
      rows: [
        { cells: [{ text: "Seen", no_wrap: "true" }, { image: { image_index: 0, width: 9, tag_alt_text: "dot" } }] },
      ],
      style: { text_size: "8", text_color_rgb: "200, 0, 0", border: { top: { color_cmyk: [0, 0, 0, 50.5] } } },
    }),
  });
  expect([status, body.notices]).toEqual([200, undefined]);
  const response = await fetch(`${client.url}/pdf-with-added-tables`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/pdf" },
    body: JSON.stringify({ id: body.outputId, table_objects: [one()] }),
  });
  const [first, second] = pageTexts(new Uint8Array(await response.arrayBuffer()));
  expect(first).toMatch(/Seen +文/);
  expect(second).toMatch(/Seen/);
});

test.each([
  [undefined, "The 'table_objects' field is required."],
  ["[]", "[] is not within the acceptable range for table_objects."],
  [one({ y: undefined }), "The 'table_objects.0.y' field is required."],
  [one({ x: undefined }), "The 'table_objects.0.x' field is required."],
  [
    one({ rows: [{ cells: [{ text: 5 }] }] }),
    "5 is not within the acceptable range for table_objects.0.rows.0.cells.0.text.",
  ],
  [
    one({ rows: [...rowsOf(["a", "b"]), { cells: [{}, { col_span: 2 }] }] }),
    "2 is not within the acceptable range for table_objects.0.rows.1.cells.1.col_span. The table has 2 columns.",
  ],
  [
    one({ rows: [{ cells: [{}] }, { cells: [{ col_span: 2 }] }] }),
    "2 is not within the acceptable range for table_objects.0.rows.1.cells.0.col_span. The table has 1 column.",
  ],
  [
    one({ rows: [{ cells: [{}], min_height: 500 }] }),
    "500 is not within the acceptable range for table_objects.0.rows.0. The row is taller than the space on a page.",
  ],
  [one({ page: 3 }), "3 is not within the acceptable range for table_objects.0.page. The document has 2 pages."],
  [
    one({ rows: [{ cells: [{ image: { image_index: 1 } }] }] }),
    "1 is not within the acceptable range for table_objects.0.rows.0.cells.0.image.image_index. There is 1 image, from 0.",
  ],
] as const)("%j is refused", async (table_objects, error) => {
  const sent = typeof table_objects === "object" ? JSON.stringify([table_objects]) : table_objects;
  for (const service of [client, keyedClient()]) {
    const { status, body } = await service.post("/pdf-with-added-tables", {
      ...{ file: file(), image_files: image() },
      ...(sent === undefined ? {} : { table_objects: sent }),
    });
    expect([status, body.error]).toEqual([400, error]);
  }
});

test("a file that is no image is refused", async () => {
  const { status } = await client.post("/pdf-with-added-tables", {
    ...{ file: file(), image_files: upload(pdf, "no.png"), table_objects: JSON.stringify(one()) },
  });
  expect(status).toBe(400);
});
