// Tests limits and usage with two isolates of the whole Worker that share one key.
// Contract: docs/api.md#limits-of-a-client, #usage
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startTwoIsolates, type TwoIsolates } from "../support/two-isolates.ts";

let service: TwoIsolates;
beforeAll(async () => {
  service = await startTwoIsolates({ ten: { limits: { requestsPerMinute: 10 } }, plain: {} });
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function post(key: string, at: number): Promise<number> {
  const response = await service.isolates[at % 2 === 0 ? 0 : 1].fetch("http://service.example/html", {
    method: "POST",
    body: new URLSearchParams({ output: "a", content: "<p>a" }).toString(),
    headers: { "Api-Key": key, "Content-Type": "application/x-www-form-urlencoded" },
  });
  await response.body?.cancel();
  return response.status;
}

test("10 of 20 requests at once pass, half of them sent to each isolate", async () => {
  const statuses = await Promise.all(Array.from({ length: 20 }, (_, at) => post("ten", at)));
  expect(statuses.sort((a, b) => a - b)).toEqual([...Array(10).fill(200), ...Array(10).fill(429)]);
  expect([await post("ten", 0), await post("ten", 1)]).toEqual([429, 429]);
});

test("usage of both adds up", async () => {
  for (let round = 0; round < 20; round++) {
    const statuses = await Promise.all(Array.from({ length: 10 }, (_, at) => post("plain", at)));
    expect(statuses).toEqual(Array(10).fill(200));
  }
  await eventually(async () => {
    const answer = await service.isolates[0].fetch("http://service.example/usage", { headers: { "Api-Key": "plain" } });
    const { total } = (await answer.json()) as { total: object };
    expect(total).toMatchObject({ requests: 200, errors: 0, bytesOut: 800 });
  });
});
