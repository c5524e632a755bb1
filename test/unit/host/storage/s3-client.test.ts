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

test.each([
  ["is over", 0, /does not respond/],
  ["starts again after a freeze, in which the response might have arrived", 40_000, undefined],
])("the time limit %s", async (_, frozenMs, failure) => {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>();
  await using store = await startSite((_, response) => resolve(response));
  const credentials = { accessKeyId: "key", secretAccessKey: "secret" };
  const client = new S3Client({ endpoint: store.url, bucket: "bucket", region: "region", ...credentials });
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
