// Tests the time limit of requests to an S3 store, also in a process that was frozen.
import type { ServerResponse } from "node:http";
import { afterEach, expect, test, vi } from "vitest";
import { S3Client } from "../../../../host/storage/s3/s3-client.ts";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { startSite } from "../../../support/web.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const clientOf = (endpoint: string) =>
  new S3Client({ endpoint, bucket: "bucket", region: "region", accessKeyId: "key", secretAccessKey: "secret" });

test.each([
  ["is over", 0, /does not respond/],
  ["starts again after a freeze, in which the response might have arrived", 40_000, undefined],
])("the time limit %s", async (_, frozenMs, failure) => {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>();
  await using store = await startSite((_, response) => resolve(response));
  const client = clientOf(store.url);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const time = performance.now();
  const now = vi.spyOn(performance, "now").mockReturnValue(time);
  const sent = client.send({ method: "DELETE", key: "a" });
  const failed = failure && expect(sent).rejects.toThrow(failure);
  const response = await asked;
  now.mockReturnValue(time + LIMITS.storeResponseMs + frozenMs);
  vi.advanceTimersByTime(LIMITS.storeResponseMs);
  if (failure) await failed;
  response.writeHead(204).end();
  if (!failure) expect((await sent).status).toBe(204);
});

test("a store that has not responded in time has less time, until it responds", async () => {
  const asked: ((response: ServerResponse) => void)[] = [];
  await using store = await startSite((_, response) => asked.shift()!(response));
  const client = clientOf(store.url);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let time = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => time);
  const advance = (ms: number) => {
    time += ms;
    vi.advanceTimersByTime(ms);
  };
  const send = async () => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    asked.push(resolve);
    const sent = client.sendWhole({ method: "DELETE", key: "a" });
    sent.catch(() => {});
    return { sent, response: await promise };
  };
  const failing = /does not respond/;
  // The limit includes the body.
  const first = await send();
  first.response.writeHead(200).write("begun");
  advance(LIMITS.storeResponseMs);
  await expect(first.sent).rejects.toThrow(failing);
  const second = await send();
  advance(LIMITS.storeResponseMs / 10);
  await expect(second.sent).rejects.toThrow(failing);
  const third = await send();
  third.response.writeHead(204).end();
  expect((await third.sent).status).toBe(204);
  const fourth = await send();
  advance(LIMITS.storeResponseMs - 1);
  fourth.response.writeHead(204).end();
  expect((await fourth.sent).status).toBe(204);
});
