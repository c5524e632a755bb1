// Tests the limits of client addresses in the private variant. By default, there are none.
// Contract: docs/api.md#limits-of-a-client
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { postHtml } from "../support/keyed-service.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({
    variant: "private",
    vars: { ADDRESS_REQUESTS_PER_MINUTE: "10", ADDRESS_CONCURRENT_JOBS: "20", ADDRESS_MEGABYTES_PER_DAY: "1" },
  });
});
afterAll(() => service.stop());

test("10 of 20 requests at once of one address pass; reading files is not limited", async () => {
  // The private variant ignores keys, so different keys are not different clients.
  const responses = await Promise.all(Array.from({ length: 20 }, (_, at) => postHtml(service.url, `key${at}`)));
  const statuses = responses.map(({ status }) => status).sort((a, b) => a - b);
  expect(statuses).toEqual([...Array(10).fill(200), ...Array(10).fill(429)]);
  const refused = responses.find(({ status }) => status === 429)!;
  expect(await refused.json()).toEqual({
    error: "The limit of 10 requests a minute is reached, please try again later.",
  });
  expect(refused.headers.get("RateLimit-Policy")).toBe(
    '"requests";q=10;w=60, "jobs";q=20;qu="concurrent-requests", "bytes";q=1048576;qu="content-bytes";w=86400',
  );
  const stored = (await responses.find(({ status }) => status === 200)!.json()) as { outputUrl: string };
  expect((await fetch(stored.outputUrl)).status).toBe(200);
});

test("there is no usage without keys, and no limit by default", async () => {
  expect((await fetch(`${service.url}/usage`)).status).toBe(404);
  const { status, headers } = await postHtml(inject("services").private.url, "");
  expect([status, headers.get("RateLimit"), headers.get("Delete-Token")]).toEqual([200, null, null]);
});
