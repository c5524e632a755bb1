// Tests POST /pdf-with-added-image: two ways to send images and positions. The operation's own tests check the
// positions.
// Contract: docs/api.md#pdf-with-added-image
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { pattern, png } from "../fixtures/pictures.ts";
import { keyedClient, privateClient, upload } from "../support/client.ts";
import { withFile } from "../support/pdf-readers.ts";

const client = privateClient();
const pdf = await labeledPdf("P", 3);
const image = png(pattern(3), { colorType: 2, bits: 8 });
const file = () => upload(pdf, "book.pdf");
const image_file = () => upload(image, "logo.png");
const at = { x: "5", y: "6", page: "1" };
const objects = (...more: object[]) => more.map((one) => ({ page: 1, x: 0, y: 0, ...one }));
const timesShown = (made: Uint8Array) =>
  withFile(made, (path) => execFileSync("pdfimages", ["-list", path], { encoding: "utf8" })).match(
    /^ +\d+ +\d+ image /gm,
  )?.length;

test("an image is a file with x, y and page in a form, and an id in JSON", async () => {
  const { status, body } = await client.post("/pdf-with-added-image", {
    file: file(),
    image_file: image_file(),
    ...at,
  });
  expect(status).toBe(200);
  const [id, image_id] = body.inputId as string[];
  const sent = [
    { id, image_id, x: 5, y: 6, page: 1 },
    { id, image_ids: [image_id], image_objects: objects({}) },
    { id, image_ids: [image_id, image_id], image_objects: objects({}, { image_index: 1, page: "2-last" }) },
    { id, image_id, image_objects: objects({ width: 9, height: null })[0] },
    { id, image_id, image_objects: objects({ image_index: "0", x: "5", y: "6", width: "9" }) },
  ];
  const shown: unknown[] = [];
  for (const json of sent) {
    const response = await fetch(`${client.url}/pdf-with-added-image`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/pdf" },
      body: JSON.stringify(json),
    });
    expect(response.headers.get("Content-Disposition")).toContain("book_pdf-with-added-image.pdf");
    shown.push(timesShown(new Uint8Array(await response.arrayBuffer())));
  }
  expect(shown).toEqual([1, 1, 3, 1, 1]);
});

const text = upload(Buffer.from("<svg/>"), "logo.svg");
const broken = upload(image.subarray(0, 45), "logo.png");
test.each([
  [{}, "Exactly one of the 'image_file' and 'image_files' fields is required."],
  [{ image_file: image_file() }, "The 'x' field is required."],
  [{ image_file: image_file(), ...at, page: "" }, "The 'page' field is required."],
  [{ image_file: image_file(), ...at, x: "-1" }, "-1 is not within the acceptable range for x."],
  [{ image_file: image_file(), ...at, y: "low" }, "low is not within the acceptable range for y."],
  [
    { image_file: image_file(), ...at, page: "4" },
    "4 is not within the acceptable range for page. The document has 3 pages.",
  ],
  [
    { image_file: image_file(), ...at, image_objects: "[]" },
    "[] is not within the acceptable range for image_objects.",
  ],
  [
    { image_file: image_file(), x: "1", image_objects: objects({}) },
    "Exactly one of the 'x' and 'image_objects' fields is required.",
  ],
  [
    { image_file: image_file(), image_objects: "1-3" },
    "1-3 is not within the acceptable range for image_objects. It is not JSON.",
  ],
  [
    { image_file: image_file(), image_objects: objects({}, { x: -1 }) },
    "-1 is not within the acceptable range for image_objects.1.x.",
  ],
  [
    { image_file: image_file(), image_objects: objects({ page: "1-x" }) },
    "1-x is not within the acceptable range for image_objects.0.page.",
  ],
  [
    { image_file: image_file(), image_objects: objects({ page: 9 }) },
    "9 is not within the acceptable range for image_objects.0.page. The document has 3 pages.",
  ],
  [
    { image_files: image_file(), image_objects: objects({ image_index: 1 }) },
    "1 is not within the acceptable range for image_objects.0.image_index. There is 1 image, from 0.",
  ],
  [
    { image_files: image_file(), image_objects: objects({ image_id: "logo" }) },
    "logo is not within the acceptable range for image_objects.0.image_id.",
  ],
  [{ image_file: text, ...at }, expect.stringContaining("logo.svg")],
  [{ image_file: file(), ...at }, expect.stringContaining("book.pdf is a PDF; this endpoint takes a JPEG")],
  [{ image_file: broken, ...at }, "There was a problem reading the input image."],
] as const)("%j is refused", async (fields, error) => {
  for (const service of [client, keyedClient()]) {
    const form = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, Array.isArray(value) ? JSON.stringify(value) : value]),
    );
    const { status, body } = await service.post("/pdf-with-added-image", { file: file(), ...form });
    expect([status, body.error]).toEqual([400, error]);
  }
});
