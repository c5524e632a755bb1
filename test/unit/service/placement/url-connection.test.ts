// Tests jobs that are canceled, however long they have been running, and jobs whose engine is excluded.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { FRAME_VERSION, FRAME_VERSION_HEADER } from "../../../../src/service/placement/frame-version.ts";
import { connectUrl } from "../../../../src/service/placement/url-connection.ts";

test("a canceled job ends, also after a collection of garbage", async () => {
  const left: Promise<unknown>[] = [];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { [FRAME_VERSION_HEADER]: FRAME_VERSION }).write("frame");
    left.push(once(response, "close"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const container = connectUrl(`http://127.0.0.1:${port}`, "secret", {
    requestId: "1",
    client: "",
    waitUntil() {},
  });
  async function* frames() {
    yield new Uint8Array(1);
  }
  const jobs = Array.from({ length: 20 }, () => new AbortController());
  for (const { signal } of jobs) {
    const response = await container.post({ name: "office-to-pdf" }, frames(), signal);
    void (async () => {
      for await (const _ of response);
    })().catch(() => {});
  }
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 5; round++) {
    collect();
    await sleep(20);
  }
  for (const job of jobs) job.abort();
  await Promise.all(left);
  expect(left).toHaveLength(20);
  server.close();
}, 20_000);

test("a job whose engine is excluded is not lost, so that another host can run it", async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(404, { [FRAME_VERSION_HEADER]: FRAME_VERSION }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const container = connectUrl(`http://127.0.0.1:${port}`, "secret", { requestId: "1", client: "", waitUntil() {} });
  async function* frames() {
    yield new Uint8Array(1);
  }
  const posted = container.post({ name: "post-webhook" }, frames(), new AbortController().signal);
  await expect(posted).rejects.toMatchObject({ reason: "busy" });
  server.close();
});
