// Tests POST /exported-form-data and /pdf-with-imported-form-data: media types of the formats, and the two ways to send
// data. The operations' own tests check the values.
// Contract: docs/api.md#exported-form-data, #pdf-with-imported-form-data, #file-responses
import { beforeAll, expect, test } from "vitest";
import { fieldPdf } from "../fixtures/pdfs.ts";
import { privateClient, upload } from "../support/client.ts";
import { pageTexts } from "../support/pdf-readers.ts";

const client = privateClient();
let id: string;
beforeAll(async () => {
  const body = new FormData();
  body.append("file", upload(await fieldPdf(1), "form.pdf"));
  const response = await fetch(`${client.url}/upload`, { method: "POST", body });
  id = ((await response.json()) as { files: { id: string }[] }).files[0]!.id;
});

const send = (path: string, accept: string, body: object) =>
  fetch(client.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: accept },
    body: JSON.stringify({ id, ...body }),
  });

test.each([
  ["fdf", "application/vnd.fdf", "%FDF-1.2"],
  ["xfdf", "application/vnd.adobe.xfdf", "<?xml"],
  ["xml", "application/xml", "<?xml"],
])("%s is returned as %s, and fills the form again", async (format, type, start) => {
  const response = await send("/exported-form-data", type, { data_format: format });
  expect([response.status, response.headers.get("Content-Type")?.split(";")[0]]).toEqual([200, type]);
  expect(response.headers.get("Content-Disposition")).toContain(`form_exported-form-data.${format}`);
  const data = new Uint8Array(await response.arrayBuffer());
  expect(Buffer.from(data).toString("latin1").startsWith(start)).toBe(true);
  const fields = { id, data_file: upload(data, `data.${format}`) };
  const { status, body } = await client.post("/pdf-with-imported-form-data", fields);
  expect([status, body.inputId]).toEqual([200, id]);
});

test("JSON bodies have the values", async () => {
  const response = await send("/pdf-with-imported-form-data", "application/pdf", { data: { Name: "Ada Lovelace" } });
  expect(pageTexts(new Uint8Array(await response.arrayBuffer())).join()).toContain("Ada Lovelace");
});

test("values in other scripts have fonts of the container", async () => {
  const response = await send("/pdf-with-imported-form-data", "application/pdf", { data: { Name: "日本 ωδή" } });
  expect(pageTexts(new Uint8Array(await response.arrayBuffer())).join()).toContain("日本 ωδή");
});

test.each([
  [{}, "Exactly one of the 'data_file' and 'data' fields is required."],
  [{ data: { Name: {} } }, "{} is not within the acceptable range for data.Name."],
  [{ data: { Nam: "a" } }, /^\{"Nam":"a"\} is not .* for data\. The form has no field with one of its names\.$/],
])("%j is rejected", async (body, sentence) => {
  const response = await send("/pdf-with-imported-form-data", "*/*", body);
  expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
    400,
    typeof sentence === "string" ? sentence : expect.stringMatching(sentence),
  ]);
});

test("a format that the form does not have is rejected with those that it has", async () => {
  const response = await send("/exported-form-data", "*/*", { data_format: "xdp" });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    {
      error:
        "xdp is not within the acceptable range for data_format. Valid for the form of the document: fdf, xfdf, xml, json.",
    },
  ]);
});
