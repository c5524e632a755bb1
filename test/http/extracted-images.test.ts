// Tests POST /extracted-images: names of outputs, and the response without images. The operation's own tests check the
// files.
// Contract: docs/api.md#extracted-images, #responses, #output-names
import { expect, test } from "vitest";
import { fieldPdf, textPdf } from "../fixtures/pdfs.ts";
import { privateClient, upload } from "../support/client.ts";

const client = privateClient();

async function extract(pdf: Uint8Array, fields: Readonly<Record<string, string>> = {}, headers = {}) {
  const body = new FormData();
  body.append("file", upload(pdf, "brochure.pdf"));
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return fetch(`${client.url}/extracted-images`, { method: "POST", body, headers });
}

test("outputs have the number of the image and of the page in their names", async () => {
  const response = await extract(await fieldPdf(2));
  const { outputId, outputUrl, files } = (await response.json()) as Record<string, { name: string }[]>;
  expect([response.status, outputId!.length, outputUrl!.length]).toEqual([200, 1, 1]);
  expect(files!.map(({ name }) => name)).toEqual(["brochure-img1-page1.png"]);
  const named = (await (await extract(await fieldPdf(1), { output: "photo" })).json()) as { files: { name: string }[] };
  expect(named.files[0]!.name).toBe("photo-img1-page1.png");
});

test("pages without images give empty lists and a warning", async () => {
  const response = await extract(await textPdf(1));
  expect([response.status, await response.json()]).toEqual([
    200,
    {
      ...{ outputUrl: [], outputId: [], files: [], inputId: expect.any(String) },
      warning: "No files of the specified type were found.",
    },
  ]);
});

test("the only image is the response, if the client prefers it", async () => {
  const response = await extract(await fieldPdf(1), {}, { Accept: "image/png" });
  expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "image/png"]);
});

test("a page that does not exist is rejected", async () => {
  const response = await extract(await textPdf(1), { pages: "2" });
  expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
    400,
    "2 is not within the acceptable range for pages. The document has 1 page.",
  ]);
});
