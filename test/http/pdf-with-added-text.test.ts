// Tests POST /pdf-with-added-text: spellings of values, and errors. The operation's own tests check the positions.
// Contract: docs/api.md#pdf-with-added-text
import { expect, test } from "vitest";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { keyedClient, privateClient, upload } from "../support/client.ts";
import { pageTexts } from "../support/pdf-readers.ts";

const client = privateClient();
const pdf = await labeledPdf("P", 2);
const file = () => upload(pdf, "book.pdf");
const LOOK = { font: "Arial", text_size: 8, max_width: 150, rotation: 0, opacity: 1, text_color_rgb: [0, 0, 0] };
const one = (more: object = {}) => ({ ...LOOK, text: "Seen", page: 1, x: 9, y: 9, ...more });

test("values are numbers or texts, and objects are a list or a single one", async () => {
  const texts = Object.fromEntries(
    Object.entries(one({ text: "Écrit 文 😀", page: "all", text_color_rgb: "0, 0, 0" })).map(([key, value]) => [
      key,
      String(value),
    ]),
  );
  const { status, body } = await client.post("/pdf-with-added-text", {
    file: file(),
    text_objects: JSON.stringify([texts]),
  });
  expect([status, body.notices]).toEqual([
    200,
    ["1 font was substituted: Arial (replaced by Liberation Sans, same widths)"],
  ]);
  const response = await fetch(`${client.url}/pdf-with-added-text`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/pdf" },
    body: JSON.stringify({ id: body.outputId, text_objects: one({ text: "Also", y: 60 }), tag_enabled: true }),
  });
  const [first, second] = pageTexts(new Uint8Array(await response.arrayBuffer()));
  expect(first).toMatch(/Also[\s\S]*Écrit/);
  expect(second).toMatch(/Écrit 文/);
});

test.each([
  [undefined, "The 'text_objects' field is required."],
  ["[]", "[] is not within the acceptable range for text_objects."],
  ["hello", "hello is not within the acceptable range for text_objects. It is not JSON."],
  [one({ text_size: 4 }), "4 is not within the acceptable range for text_objects.0.text_size."],
  [one({ text_color_rgb: "256,0,0" }), "256,0,0 is not within the acceptable range for text_objects.0.text_color_rgb."],
  [one({ text_color_rgb: [0, 0, 256] }), "256 is not within the acceptable range for text_objects.0.text_color_rgb.2."],
  [one({ x: null }), "The 'text_objects.0.x' field is required."],
  [one({ opacity: "1.5" }), "1.5 is not within the acceptable range for text_objects.0.opacity."],
  [one({ max_width: 0 }), "0 is not within the acceptable range for text_objects.0.max_width."],
  [
    one({ font: "Nope" }),
    "Nope is not within the acceptable range for text_objects.0.font. The requested font was not found.",
  ],
  [one({ page: 3 }), "3 is not within the acceptable range for text_objects.0.page. The document has 2 pages."],
  [
    one({ tag_structure_type: "H1" }),
    "H1 is not within the acceptable range for text_objects.0.tag_structure_type. It requires tag_enabled.",
  ],
] as const)("%j is refused", async (text_objects, error) => {
  const sent = typeof text_objects === "object" ? JSON.stringify([text_objects]) : text_objects;
  for (const service of [client, keyedClient()]) {
    const { status, body } = await service.post("/pdf-with-added-text", {
      file: file(),
      ...(sent === undefined ? {} : { text_objects: sent }),
    });
    expect([status, body.error]).toEqual([400, error]);
  }
});

test("exactly one color is required, and null counts as not sent", async () => {
  const { text_color_rgb: _, ...colorless } = one();
  for (const object of [colorless, one({ text_color_cmyk: "0,0,0,100" }), one({ text_color_rgb: null })]) {
    const { status, body } = await client.post("/pdf-with-added-text", {
      file: file(),
      text_objects: JSON.stringify([object]),
    });
    const [rgb, cmyk] = ["text_objects.0.text_color_rgb", "text_objects.0.text_color_cmyk"];
    expect([status, body.error]).toEqual([400, `Exactly one of the '${rgb}' and '${cmyk}' fields is required.`]);
  }
});
