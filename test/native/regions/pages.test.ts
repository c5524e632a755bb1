// Tests in workerd that pages are read near the reader, and that a deletion reaches the copy of a document.
// Contract: docs/api.md#page-images, #iiif, #stored-files

import { afterAll, beforeAll, expect, test } from "vitest";
import { textPdf } from "../../fixtures/pdfs.ts";
import { eventually } from "../../support/eventually.ts";
import { type City, type RegionalService, startRegionalService } from "../../support/regions/regional-service.ts";

let service: RegionalService;
beforeAll(async () => {
  service = await startRegionalService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function uploaded(city: City): Promise<string> {
  const body = new FormData();
  body.append("file", new File([Buffer.from(await textPdf(3))], "a.pdf"));
  const response = await service.request(city, "/upload", { method: "POST", body });
  const { files } = (await response.json()) as { files: readonly { id: string }[] };
  return files[0]!.id;
}

/** Requests paths one after the other. Returns the last status. */
async function read(city: City, ...paths: readonly string[]): Promise<number> {
  let status = 0;
  for (const path of paths) {
    const response = await service.request(city, path);
    await response.bytes();
    status = response.status;
  }
  return status;
}

const isCopied = async (id: string) => (await service.keysIn("oc")).includes(`copies/files/${id}`);

test("after the second page from another region, no page needs a call to the region of the file", async () => {
  const id = await uploaded("Frankfurt");
  const paths = [`/resource/${id}/pages/1.png?width=50`, `/resource/${id}/pages/2.jpg?width=50`];
  expect(await read("Sydney", ...paths)).toBe(200);
  // The second request can arrive before the location has noted the first one.
  let width = 50;
  await eventually(async () => {
    expect(await read("Sydney", `/resource/${id}/pages/2.jpg?width=${width++}`)).toBe(200);
    expect(await isCopied(id)).toBe(true);
  });
  const further = [`/resource/${id}/pages/3.png?width=60`, `/iiif/${id}%3A3/full/70,/0/gray.png`];
  // The first attempts can meet the end of the copying.
  await eventually(async () => {
    await service.control();
    const information = [`/iiif/${id}:1/info.json`, `/iiif/${id}/manifest.json`];
    expect(await read("Sydney", ...paths, ...further, ...information)).toBe(200);
    const bindings = (await service.control()).map(({ binding }) => binding);
    expect(new Set([...bindings, "cache"])).toEqual(new Set(["cache", "console", "OC_FILES"]));
  });

  const deleted = await service.request("Singapore", `/resource/${id}`, { method: "DELETE" });
  expect(deleted.status).toBe(204);
  expect(await isCopied(id)).toBe(false);
  expect(await read("Frankfurt", paths[0]!)).toBe(404);
  expect((await service.keysIn("oc")).filter((key) => key.includes(id) && !key.includes("/expiring/"))).toEqual([]);
});
