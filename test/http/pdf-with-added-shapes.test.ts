// Tests POST /pdf-with-added-shapes: errors. The operation's own tests check what is drawn.
// Contract: docs/api.md#pdf-with-added-shapes
import { expect, test } from "vitest";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { keyedClient, privateClient, upload } from "../support/client.ts";

const client = privateClient();
const pdf = await labeledPdf("P", 2);
const line = (more: object) => ({ type: "line", page: "all", x1: 1, y1: 1, x2: 9, y2: 9, ...more });
const box = (more: object) => ({ type: "rectangle", page: 1, x: 1, y: 1, width: 9, height: 9, ...more });
const either = (kind: string) =>
  `Exactly one of the 'shape_objects.0.${kind}_color_rgb' and 'shape_objects.0.${kind}_color_cmyk' fields is required.`;

test.each([
  [line({}), either("stroke")],
  [line({ stroke_color_rgb: "0,0,0", stroke_color_cmyk: "0,0,0,0" }), either("stroke")],
  [box({ fill_color_rgb: "0,0,0", fill_color_cmyk: "0,0,0,0" }), either("fill")],
  [box({ fill_color_rgb: "0,0,0", stroke_color_rgb: "0,0,0", stroke_color_cmyk: "0,0,0,0" }), either("stroke")],
  [
    box({}),
    "The 'shape_objects.0.stroke_color_rgb' field is required. A rectangle has a color of its border, of its area, or of both.",
  ],
  [box({ width: null }), "The 'shape_objects.0.width' field is required."],
  [
    box({ fill_color_cmyk: "0,101,0,0" }),
    "0,101,0,0 is not within the acceptable range for shape_objects.0.fill_color_cmyk.",
  ],
  [
    line({ stroke_color_rgb: "0,0,0", page: 3 }),
    "3 is not within the acceptable range for shape_objects.0.page. The document has 2 pages.",
  ],
] as const)("%j is refused", async (shape, error) => {
  for (const service of [client, keyedClient()]) {
    const { status, body } = await service.post("/pdf-with-added-shapes", {
      file: upload(pdf, "book.pdf"),
      shape_objects: JSON.stringify([shape]),
    });
    expect([status, body.error]).toEqual([400, error]);
  }
});

test("a member that is null counts as not sent", async () => {
  const { status, body } = await client.post("/pdf-with-added-shapes", {
    file: upload(pdf, "book.pdf"),
    shape_objects: JSON.stringify(box({ fill_color_rgb: "0,0,0", stroke_color_rgb: null, stroke_width: null })),
  });
  expect([status, body.error]).toEqual([200, undefined]);
});
