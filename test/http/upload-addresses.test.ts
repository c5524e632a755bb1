// Tests upload URLs, each of which accepts one file, once and without a key.
// Contract: docs/api.md#upload-urls
import { expect, inject, test } from "vitest";

const { private: open, keyed } = inject("services");

async function create(name = "report.pdf", service: typeof open = keyed): Promise<string> {
  const headers = service.key ? { "Api-Key": service.key } : {};
  const answer = await fetch(`${service.url}/upload/once?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers,
  });
  expect(answer.status).toBe(200);
  const { uploadUrl, expires } = (await answer.json()) as { uploadUrl: string; expires: string };
  expect(uploadUrl).toMatch(/\/upload\/once\/[\da-f]{64}$/);
  expect(Date.parse(expires)).toBeGreaterThan(Date.now());
  return uploadUrl;
}
const send = async (url: string, init: RequestInit = {}) => {
  const answer = await fetch(url, { method: "PUT", body: "the text", ...init });
  return {
    status: answer.status,
    body: (await answer.json()) as { files: { name: string; id: string }[]; error?: string },
  };
};
const fileOf = async (id: string) => (await fetch(`${keyed.url}/resource/${id}?format=file`)).text();

test.each(["PUT", "POST"])("%s stores the body, without a key", async (method) => {
  const url = await create("größe 1.txt");
  expect((await (await fetch(url)).json()) as object).toEqual({ files: [] });
  const { status, body } = await send(url, { method });
  expect([status, body.files[0]!.name, await fileOf(body.files[0]!.id)]).toEqual([200, "größe 1.txt", "the text"]);
  expect(await (await fetch(url)).json()).toEqual(body);
});

test("a form is taken too, with one file", async () => {
  const url = await create();
  const form = (...names: string[]) => {
    const body = new FormData();
    for (const name of names) body.append("file", new File([name], name));
    return { method: "POST", body };
  };
  expect((await send(url, form())).body.error).toBe("The 'file' field is required.");
  expect((await send(url, form("a", "b"))).body.error).toBe("This route will only accept one File or one ID.");
  expect((await send(url, form("a.txt"))).body.files[0]!.name).toBe("a.txt");
});

test("a second file is refused, also at the same time", async () => {
  const url = await create();
  const statuses = (await Promise.all([1, 2, 3, 4].map(() => send(url)))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => ![200, 410, 423].includes(status))).toEqual([]);
  expect(await send(url)).toMatchObject({ status: 410, body: { error: "The upload address has been used." } });
});

test("an upload that fails leaves the address open", async () => {
  const url = await create();
  const broken = new AbortController();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(1000)),
    pull: () => broken.abort(),
  });
  await expect(
    fetch(url, { method: "PUT", body, duplex: "half", signal: broken.signal } as RequestInit),
  ).rejects.toThrow();
  await expect.poll(async () => (await send(url)).status, { timeout: 90_000, interval: 500 }).toBe(200);
});

test("only who has a key makes addresses", async () => {
  const answer = await fetch(`${keyed.url}/upload/once`, { method: "POST" });
  expect(answer.status).toBe(401);
  expect((await send(await create("a", open))).status).toBe(200);
});

test.each(["0".repeat(64), "x", "..%2f..%2ffiles", `${"0".repeat(63)}G`])("%s is no address", async (token) => {
  expect((await send(`${open.url}/upload/once/${token}`)).status).toBe(404);
  expect((await fetch(`${open.url}/upload/once/${token}`)).status).toBe(404);
});

test("other methods are refused", async () => {
  const answer = await fetch(await create(), { method: "DELETE" });
  expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "GET, POST, PUT"]);
  expect((await fetch(`${open.url}/upload/once`)).headers.get("Allow")).toBe("POST");
});
