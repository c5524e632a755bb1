// Tests the lifetime of files: File-Lifetime, Expires, delete_after.
// Contract: docs/api.md#lifetime-of-files, #stored-files
import { randomBytes } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { upload } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { outputIdOf, postHtml } from "../support/keyed-service.ts";

const { url } = inject("services").private;
const DAY_MS = 86_400_000;

const make = (lifetime?: string) => postHtml(url, "", lifetime === undefined ? {} : { "File-Lifetime": lifetime });
const address = (id: string, query = "") => `${url}/resource/${id}?format=file${query}`;
const statusOf = async (id: string) => (await fetch(address(id), { method: "HEAD" })).status;
const infoOf = async (id: string) =>
  (await (await fetch(`${url}/resource/${id}?format=info`)).json()) as { modified: string; expires: string };

async function uploaded(bytes: Uint8Array): Promise<string> {
  const form = new FormData();
  form.set("file", upload(bytes, "a.bin"));
  const response = await fetch(`${url}/upload`, { method: "POST", body: form });
  return ((await response.json()) as { files: { id: string }[] }).files[0]!.id;
}

describe("File-Lifetime", () => {
  test("without it, a file ends after the lifetime of all files, as Expires and expires tell", async () => {
    const id = await outputIdOf(await make());
    const { modified, expires } = await infoOf(id);
    expect(Date.parse(expires) - Date.parse(modified)).toBe(DAY_MS);
    const { headers } = await fetch(address(id), { method: "HEAD" });
    expect(headers.get("Expires")).toBe(new Date(expires).toUTCString());
  });

  test("ends the files of a request earlier, whether they came alone or together", async () => {
    const id = await outputIdOf(await make("600"));
    const form = new FormData();
    for (const name of ["a", "b"]) form.append("file", upload(name, name));
    const headers = { "File-Lifetime": "600" };
    const response = await fetch(`${url}/upload`, { method: "POST", body: form, headers });
    const { files } = (await response.json()) as { files: { id: string }[] };
    for (const each of [id, ...files.map(({ id }) => id)]) {
      const { modified, expires } = await infoOf(each);
      const seconds = (Date.parse(expires) - Date.parse(modified)) / 1000;
      expect(Math.abs(seconds - 600)).toBeLessThan(60);
    }
  });

  test.each(["59", "86401", "-1", "1e3", "abc", "60.5", "9999999999"])("%s gives 400", async (value) => {
    const response = await make(value);
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: `${value} is not within the acceptable range for File-Lifetime.` },
    ]);
  });

  test("of a resumable upload is that of its file", async () => {
    const headers = { "Tus-Resumable": "1.0.0", "Upload-Length": "3", "File-Lifetime": "600" };
    const type = { "Content-Type": "application/offset+octet-stream" };
    const created = await fetch(`${url}/upload/tus`, { method: "POST", headers: { ...headers, ...type }, body: "abc" });
    const id = created.headers.get("Location")!.split("/").at(-1)!;
    const { modified, expires } = await infoOf(id);
    expect(Math.abs((Date.parse(expires) - Date.parse(modified)) / 1000 - 600)).toBeLessThan(60);
  });
});

describe("delete_after=1", () => {
  /** Waits until another deletion has completed, so that earlier deletions have completed too. */
  async function anotherIsRemoved(): Promise<void> {
    const id = await uploaded(randomBytes(10));
    await (await fetch(address(id, "&delete_after=1"))).arrayBuffer();
    await eventually(async () => expect(await statusOf(id)).toBe(404));
  }

  test.each([
    ["small", 1000],
    ["large", 12 * 2 ** 20],
  ])("removes a %s file once all of it was sent", async (_, size) => {
    const bytes = randomBytes(size);
    const id = await uploaded(bytes);
    const response = await fetch(address(id, "&delete_after=1"));
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect(response.headers.get("ETag")).not.toBeNull();
    await eventually(async () => expect(await statusOf(id)).toBe(404));
  });

  test("HEAD, a range, a condition that holds and 0 remove nothing", async () => {
    const id = await uploaded(randomBytes(1000));
    const last = address(id, "&delete_after=1");
    const { status, headers } = await fetch(last, { method: "HEAD" });
    expect(status).toBe(200);
    expect((await fetch(last, { headers: { Range: "bytes=0-999" } })).status).toBe(206);
    expect((await fetch(last, { headers: { "If-None-Match": headers.get("ETag")! } })).status).toBe(304);
    expect((await fetch(address(id, "&delete_after=0"))).status).toBe(200);
    await anotherIsRemoved();
    expect(await statusOf(id)).toBe(200);
  });

  test("a download that breaks off removes nothing", async () => {
    const id = await uploaded(randomBytes(50 * 2 ** 20));
    const leaving = new AbortController();
    const response = await fetch(address(id, "&delete_after=1"), { signal: leaving.signal });
    await response.body!.getReader().read();
    leaving.abort();
    await anotherIsRemoved();
    expect(await statusOf(id)).toBe(200);
  });

  test.each(["2", "", "true", "1&delete_after=1"])("%o gives 400", async (value) => {
    const id = await uploaded(randomBytes(10));
    expect((await fetch(address(id, `&delete_after=${value}`))).status).toBe(400);
    expect(await statusOf(id)).toBe(200);
  });
});
