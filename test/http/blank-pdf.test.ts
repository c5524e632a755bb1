// Tests POST /blank-pdf: a request without an input. The operation's own tests check the pages.
// Contract: docs/api.md#blank-pdf, #responses, #output-names
import { expect, test } from "vitest";
import { privateClient } from "../support/client.ts";
import { infoOf } from "../support/pdf-readers.ts";

const client = privateClient();
const A4 = { page_size: "A4", page_count: "2", page_orientation: "portrait" };
const custom = { page_size: "custom", page_count: "1", custom_width: "100.5", custom_height: "50" };
const make = async (fields: Record<string, string>) => {
  const [file] = await client.make("/blank-pdf", fields);
  const { Pages, "Page size": size } = infoOf(file!.bytes);
  return [file!.name, Pages, size];
};

test("makes a file of its fields, named after the endpoint or by the client", async () => {
  expect(await make(A4)).toEqual([expect.stringContaining("blank-pdf.pdf"), "2", "595.276 x 841.89 pts (A4)"]);
  expect(await make({ ...custom, output: "mine" })).toEqual([
    expect.stringContaining("mine.pdf"),
    "1",
    "100.5 x 50 pts",
  ]);
});

test("the answer has no inputId, in a form and in JSON", async () => {
  const { status, body } = await client.post("/blank-pdf", A4);
  expect([status, Object.keys(body).toSorted()]).toEqual([200, ["outputId", "outputSize", "outputUrl"]]);
  const response = await fetch(`${client.url}/blank-pdf`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/pdf", "Idempotency-Key": crypto.randomUUID() },
    body: JSON.stringify({ page_size: "custom", page_count: 3, custom_width: 72, custom_height: 0.5 }),
  });
  expect(response.status).toBe(200);
  expect(infoOf(new Uint8Array(await response.arrayBuffer()))).toMatchObject({
    Pages: "3",
    "Page size": "72 x 0.5 pts",
  });
});

test("fields that do not count for the size are ignored", async () => {
  expect(await make({ ...A4, custom_width: "5" })).toContain("595.276 x 841.89 pts (A4)");
  expect(await make({ ...custom, page_orientation: "landscape" })).toContain("100.5 x 50 pts");
});

test.each([
  [{ page_size: "" }, "The 'page_size' field is required."],
  [{ page_size: "a4" }, "a4 is not within the acceptable range for page_size."],
  [{ page_count: "0" }, "0 is not within the acceptable range for page_count."],
  [{ page_count: "1001" }, "1001 is not within the acceptable range for page_count."],
  [{ page_count: "1.5" }, "1.5 is not within the acceptable range for page_count."],
  [{ page_orientation: "" }, "The 'page_orientation' field is required."],
  [{ page_orientation: "upright" }, "upright is not within the acceptable range for page_orientation."],
  [{ ...custom, custom_height: "" }, "Missing custom_height and/or custom_width for custom page size."],
  [{ ...custom, custom_width: "" }, "Missing custom_height and/or custom_width for custom page size."],
  [
    { page_size: "custom", page_orientation: "", page_count: "1" },
    "Missing custom_height and/or custom_width for custom page size.",
  ],
  [{ ...custom, custom_width: "0" }, "0 is not within the acceptable range for custom_width."],
  [{ ...custom, custom_width: "-72" }, "-72 is not within the acceptable range for custom_width."],
  [{ ...custom, custom_width: "14400.1" }, "14400.1 is not within the acceptable range for custom_width."],
  [{ ...custom, custom_width: "1e3" }, "1e3 is not within the acceptable range for custom_width."],
  [{ ...custom, custom_width: "NaN" }, "NaN is not within the acceptable range for custom_width."],
])("refuses %o", async (fields, error) => {
  const { status, body } = await client.post("/blank-pdf", { ...A4, ...fields });
  expect([status, body]).toEqual([400, { error }]);
});
