// Tests that in the keyed variant only the creator of a stored file can delete it.
// Contract: docs/api.md#variants, #keys, #stored-files, #delete, #resumable-uploads, #asynchronous-jobs
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, upload } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { outputIdOf, postHtml } from "../support/keyed-service.ts";
import { type Service, startService } from "../support/service.ts";

const notOwner = { error: "The file can only be removed with the key that made it, or with its Delete-Token." };
const noKey = { error: "An Api-Key header is required to send this request." };
const wrongKey = { error: "The provided key is not valid." };

let service: Service;
beforeAll(async () => {
  service = await startService({ variant: "keyed", apiKeys: ["mine", "other"] });
});
afterAll(() => service.stop());

async function makeFile(): Promise<{ id: string; token: string }> {
  const response = await postHtml(service.url, "mine");
  return { id: await outputIdOf(response), token: response.headers.get("Delete-Token")! };
}
const call = (method: string, path: string, headers: Record<string, string>) =>
  fetch(service.url + path, { method, headers });
const bodyOf = async (response: Response) => [response.status, response.status === 204 ? null : await response.json()];
const exists = async (id: string) => (await fetch(`${service.url}/resource/${id}?format=info`)).status === 200;

describe("DELETE /resource/{id}", () => {
  test("without a key, with another key, with another token: the file stays", async () => {
    const { id } = await makeFile();
    const { token } = await makeFile();
    expect(await bodyOf(await call("DELETE", `/resource/${id}`, {}))).toEqual([401, noKey]);
    expect(await bodyOf(await call("DELETE", `/resource/${id}`, { "Api-Key": "unknown" }))).toEqual([401, wrongKey]);
    expect(await bodyOf(await call("DELETE", `/resource/${id}`, { "Api-Key": "other" }))).toEqual([403, notOwner]);
    expect(await bodyOf(await call("DELETE", `/resource/${id}`, { "Delete-Token": token }))).toEqual([403, notOwner]);
    expect(await exists(id)).toBe(true);
  });

  test("with the key that made the file, or with the token alone", async () => {
    const [one, two] = [await makeFile(), await makeFile()];
    expect((await call("DELETE", `/resource/${one.id}`, { "Api-Key": "mine" })).status).toBe(204);
    expect((await call("DELETE", `/resource/${two.id}`, { "Delete-Token": two.token })).status).toBe(204);
    expect([await exists(one.id), await exists(two.id)]).toEqual([false, false]);
  });

  test("files that came together have one token", async () => {
    const file = [upload("a", "a.txt"), upload("b", "b.txt")];
    const { headers, body } = await createClient(service.url, "mine").post("/zip", { file, output: "a" });
    const token = headers.get("Delete-Token")!;
    const ids = [...(body.inputId as string[]), body.outputId as string];
    for (const id of ids) {
      expect((await call("DELETE", `/resource/${id}`, { "Api-Key": "other" })).status).toBe(403);
      expect((await call("DELETE", `/resource/${id}`, { "Delete-Token": token })).status).toBe(204);
    }
  });
});

test("DELETE /request-status/{id} needs what DELETE of its files needs, and takes them along", async () => {
  const accept = async (path: string, body: FormData) => {
    const headers = { "Api-Key": "mine", Prefer: "respond-async" };
    const response = await fetch(service.url + path, { method: "POST", headers, body });
    const { requestId } = (await response.json()) as { requestId: string };
    expect(response.status).toBe(202);
    return { path: `/request-status/${requestId}`, token: response.headers.get("Delete-Token")! };
  };
  const form = (name: string, value: string | File) => {
    const all = new FormData();
    all.set(name, value);
    all.set("output", "made");
    return all;
  };
  const file = new File(["text"], "a.txt");
  const requests = [
    await accept("/html", form("content", "text")),
    await accept("/zip", form("file", file)),
    await accept("/upload", form("file", file)),
  ];
  const notRequester = { error: notOwner.error.replace("file", "request").replace("removed", "canceled") };
  for (const [at, { path, token }] of requests.entries()) {
    const remove = async (headers: Record<string, string>) => bodyOf(await call("DELETE", path, headers));
    expect(await remove({})).toEqual([401, noKey]);
    expect(await remove({ "Api-Key": "unknown" })).toEqual([401, wrongKey]);
    expect(await remove({ "Api-Key": "other" })).toEqual([403, notRequester]);
    expect(await remove({ "Delete-Token": requests[(at + 1) % 3]!.token })).toEqual([403, notRequester]);
    expect(await remove({ "Delete-Token": path })).toEqual([403, notRequester]);
    const status = () =>
      fetch(service.url + path).then((response) => response.json() as Promise<Record<string, unknown>>);
    await eventually(async () => expect(await status()).toMatchObject({ status: "completed" }));
    const { outputId, files } = (await status()) as { outputId?: string; files?: { id: string }[] };
    const id = outputId ?? files![0]!.id;
    expect(await exists(id)).toBe(true);
    expect(await remove(at === 1 ? { "Api-Key": "mine" } : { "Delete-Token": token })).toEqual([204, null]);
    await eventually(async () => expect(await exists(id)).toBe(false));
  }
});

describe("POST /delete", () => {
  test("leaves out files of others; 403 if there are no others; their token lets them go", async () => {
    const [one, two] = [await makeFile(), await makeFile()];
    const others = createClient(service.url, "other");
    const own = (await others.post("/html", { content: "<p>", output: "a" })).body.outputId as string;
    const { status, body } = await others.post("/delete", { ids: [one.id, own].join() });
    const deletionResponses = { [one.id]: notOwner.error, [own]: "Successfully Deleted" };
    expect([status, body]).toEqual([200, { deleted: [own], deletionResponses }]);
    expect((await others.post("/delete", { ids: one.id })).body).toEqual(notOwner);
    expect(await exists(one.id)).toBe(true);
    const body2 = new URLSearchParams({ ids: two.id });
    const headers = { "Api-Key": "other", "Delete-Token": two.token };
    const removed = await fetch(`${service.url}/delete`, { method: "POST", headers, body: body2 });
    expect(await removed.json()).toMatchObject({ deleted: [two.id] });
  });
});

describe("a resumable upload", () => {
  test.each([
    ["finished", "abc"],
    ["unfinished", "a"],
  ])("that is %s is removed by its creator only", async (_, sent) => {
    const created = await fetch(`${service.url}/upload/tus`, {
      method: "POST",
      headers: {
        ...{ "Api-Key": "mine", "Tus-Resumable": "1.0.0", "Upload-Length": "3" },
        "Content-Type": "application/offset+octet-stream",
      },
      body: sent,
    });
    expect(created.status).toBe(201);
    const path = new URL(created.headers.get("Location")!).pathname;
    const others = { "Api-Key": "other", "Tus-Resumable": "1.0.0" };
    expect(await bodyOf(await call("DELETE", path, others))).toEqual([403, notOwner]);
    expect((await call("HEAD", path, others)).status).toBe(200);
    const token = created.headers.get("Delete-Token")!;
    expect((await call("DELETE", path, { ...others, "Delete-Token": token })).status).toBe(204);
    expect((await call("HEAD", path, others)).status).toBe(404);
  });
});

describe("delete_after=1", () => {
  test("needs what DELETE needs", async () => {
    const { id, token } = await makeFile();
    const path = `/resource/${id}?format=file&delete_after=1`;
    expect(await bodyOf(await call("GET", path, {}))).toEqual([401, noKey]);
    expect(await bodyOf(await call("GET", path, { "Api-Key": "other" }))).toEqual([403, notOwner]);
    expect(await exists(id)).toBe(true);
    expect(await (await call("GET", path, { "Delete-Token": token })).text()).toBe("<p>a");
    await eventually(async () => expect(await exists(id)).toBe(false));
  });
});
