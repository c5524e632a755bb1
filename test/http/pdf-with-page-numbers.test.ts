// Tests POST /pdf-with-page-numbers: the defaults, Bates numbers and errors.
// Contract: docs/api.md#pdf-with-page-numbers
import { expect, test } from "vitest";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { privateClient, upload } from "../support/client.ts";
import { pageTexts } from "../support/pdf-readers.ts";

const client = privateClient();
const pdf = await labeledPdf("P", 3);
const file = () => upload(pdf, "book.pdf");

test.each([
  [{}, ["1", "2", "3"]],
  [
    { prefix: "ACME-", digits: "6", start: "7", position: "top-right", margin: "5", pages: "2-last" },
    ["", "ACME-000007", "ACME-000008"],
  ],
] as const)("%j", async (fields, numbers) => {
  const { body } = await client.post("/pdf-with-page-numbers", { file: file(), ...fields });
  expect(body.notices).toBeUndefined();
  const made = new Uint8Array(await (await fetch(String(body.outputUrl))).arrayBuffer());
  expect(pageTexts(made).map((text) => text.replace(/P\d/, "").trim())).toEqual(numbers);
});

test.each([
  [{ digits: "0" }, "0 is not within the acceptable range for digits."],
  [{ position: "left" }, "left is not within the acceptable range for position."],
  [{ pages: "4" }, "4 is not within the acceptable range for pages. The document has 3 pages."],
] as const)("%j is refused", async (fields, error) => {
  const { status, body } = await client.post("/pdf-with-page-numbers", { file: file(), ...fields });
  expect([status, body.error]).toEqual([400, error]);
});
