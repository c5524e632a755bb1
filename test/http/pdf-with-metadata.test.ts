// Tests POST /pdf-with-metadata: a JSON parameter whose null deletes. The operation's own tests check the metadata.
// Contract: docs/api.md#pdf-with-metadata
import { beforeAll, expect, test } from "vitest";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { privateClient, upload } from "../support/client.ts";
import { infoOf } from "../support/pdf-readers.ts";

const client = privateClient();
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await labeledPdf("P", 1);
});
const file = () => upload(pdf, "book.pdf");

test("metadata are a text in a form, and an object in JSON", async () => {
  const metadata = { title: "Größe", keywords: ["a", "b"], custom: { Project: "Apollo" } };
  const { status, body } = await client.post("/pdf-with-metadata", {
    file: file(),
    metadata: JSON.stringify(metadata),
  });
  expect(status).toBe(200);
  const queries = "title,keywords,custom_metadata";
  const asked = await client.post("/pdf-info", { id: String(body.outputId), queries });
  expect(asked.body).toMatchObject({ title: "Größe", keywords: "a, b", custom_metadata: { Project: "Apollo" } });
  const response = await fetch(`${client.url}/pdf-with-metadata`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/pdf" },
    body: JSON.stringify({ id: body.outputId, metadata: { title: null, author: "Jane" } }),
  });
  expect(response.headers.get("Content-Disposition")).toContain("_pdf-with-metadata.pdf");
  const info = infoOf(new Uint8Array(await response.arrayBuffer()));
  expect(info).toMatchObject({ Author: "Jane", Keywords: "a, b" });
  expect(info.Title ?? "").toBe("");
});

test.each([
  ["", "The 'metadata' field is required."],
  ["title", "title is not within the acceptable range for metadata. It is not JSON."],
  ["{}", "{} is not within the acceptable range for metadata."],
  ['{"title":1}', "1 is not within the acceptable range for metadata.title."],
  ['{"creation_date":"2024-02-30"}', "2024-02-30 is not within the acceptable range for metadata.creation_date."],
  ['{"language":"de_CH"}', "de_CH is not within the acceptable range for metadata.language."],
  ['{"Title":"a"}', "a is not within the acceptable range for metadata.Title."],
  ['{"custom":{"Title":"a"}}', expect.stringContaining("is not within the acceptable range for metadata.custom")],
])("400 for the metadata %s", async (metadata, error) => {
  const { status, body } = await client.post("/pdf-with-metadata", { file: file(), metadata });
  expect([status, body.error]).toEqual([400, error]);
});
