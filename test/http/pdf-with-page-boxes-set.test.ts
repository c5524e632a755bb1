// Tests POST /pdf-with-page-boxes-set: a JSON parameter. The operation's own tests check the boxes.
// Contract: docs/api.md#pdf-with-page-boxes-set, #json-bodies
import { beforeAll, expect, test } from "vitest";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { privateClient, upload } from "../support/client.ts";
import { infoOf } from "../support/pdf-readers.ts";

const client = privateClient();
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await labeledPdf("P", 2);
});
const file = () => upload(pdf, "book.pdf");
const margins = { left: 10, top: 20, bottom: 30, right: 40 };
const crop = (more: object = {}) => ({ boxes: [{ box: "crop", pages: [{ range: "all", ...margins, ...more }] }] });

test("boxes are a text in a form, and a text or an object in JSON", async () => {
  const size = infoOf(pdf)["Page size"]!.split(" ").map(Number);
  const cropped = `${size[0]! - 50} x ${size[2]! - 50} pts`;
  const { status, body } = await client.post("/pdf-with-page-boxes-set", {
    file: file(),
    boxes: JSON.stringify(crop()),
  });
  expect([status, Object.keys(body).toSorted()]).toEqual([200, ["inputId", "outputId", "outputSize", "outputUrl"]]);
  for (const boxes of [crop(), JSON.stringify(crop())]) {
    const response = await fetch(`${client.url}/pdf-with-page-boxes-set`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/pdf" },
      body: JSON.stringify({ id: body.inputId, boxes }),
    });
    expect(response.headers.get("Content-Disposition")).toContain("book_pdf-with-page-boxes-set.pdf");
    expect(infoOf(new Uint8Array(await response.arrayBuffer()))["Page size"]).toBe(cropped);
  }
});

test.each([
  ["", "The 'boxes' field is required."],
  ["crop", "crop is not within the acceptable range for boxes. It is not JSON."],
  ["[]", "[] is not within the acceptable range for boxes."],
  ["{}", "The 'boxes' field is required."],
  ['{"boxes":[]}', "[] is not within the acceptable range for boxes."],
  ['{"boxes":[{"box":"slug","pages":[]}]}', "slug is not within the acceptable range for boxes.0.box."],
  ['{"boxes":[{"box":"crop"}]}', "The 'boxes.0.pages' field is required."],
  [crop({ left: 0 }), "0 is not within the acceptable range for boxes.0.pages.0.left."],
  [crop({ right: -1 }), "-1 is not within the acceptable range for boxes.0.pages.0.right."],
  [crop({ top: "1" }), "1 is not within the acceptable range for boxes.0.pages.0.top."],
  [crop({ bottom: undefined }), "The 'boxes.0.pages.0.bottom' field is required."],
  [crop({ range: "1-x" }), "1-x is not within the acceptable range for boxes.0.pages.0.range."],
  [crop({ range: "3" }), "3 is not within the acceptable range for boxes.0.pages.0.range. The document has 2 pages."],
  [JSON.stringify(crop()).replace("10", "NaN"), expect.stringContaining("It is not JSON.")],
  [JSON.stringify(crop()).replace("10", "1e999"), expect.stringContaining("boxes.0.pages.0.left")],
])("%j is refused", async (boxes, error) => {
  const given = typeof boxes === "string" ? boxes : JSON.stringify(boxes);
  const { status, body } = await client.post("/pdf-with-page-boxes-set", { file: file(), boxes: given });
  expect([status, body.error]).toEqual([400, error]);
});
