// Tests what an attempt to post a webhook message counts as. test/http/webhooks.test.ts tests the messages.
// Contract: docs/api.md#webhooks

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { deliverWebhook } from "../../../../src/service/http/async/webhook-delivery.ts";
import { createSemaphore } from "../../../../src/service/placement/semaphore.ts";
import { connectUrl } from "../../../../src/service/placement/url-connection.ts";
import type { KeyRecords } from "../../../../src/service/ports/api-key.ts";
import { RecordsUnavailable } from "../../../../src/service/ports/records-unavailable.ts";
import { ISOLATE_CAPACITY } from "../../../../src/service/settings/capacity.ts";

const turns = () => createSemaphore({ concurrency: 1, maxQueued: 1, maxWaitMs: 1000 });
const message = {
  ...{ id: "1", url: "https://receiver.example/", signer: "signer", client: "client", endedAt: 0, attempt: 1 },
  status: { status: "completed", answer: "{}" },
} as const;
const record = { owner: "", created: "", revoked: null, webhookSecrets: [{ secret: `whsec_${btoa("secret")}` }] };

test("an attempt on a host without Chromium, or without the database, does not count", async () => {
  const container = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(404).end());
  }).listen(0, "127.0.0.1");
  try {
    await new Promise((resolve) => container.once("listening", resolve));
    const url = `http://127.0.0.1:${(container.address() as AddressInfo).port}`;
    const caller = { requestId: "1", client: "client", waitUntil: () => {} };
    const deliver = (get: KeyRecords["get"]) =>
      deliverWebhook(message, {
        ...{ records: { get }, budgets: ISOLATE_CAPACITY, log: () => {}, defer: () => {} },
        ...{ engineSemaphore: turns(), receiveSemaphore: turns(), containerSemaphore: turns() },
        container: connectUrl(url, "secret", caller),
      });
    expect(await deliver(async () => record)).toBe("postponed");
    expect(await deliver(() => Promise.reject(new RecordsUnavailable("away")))).toBe("postponed");
    // Without a secret, nobody can sign.
    expect(await deliver(async () => null)).toBe("failed");
  } finally {
    container.closeAllConnections();
    container.close();
  }
});
