// Posts a message to a receiver on the web.

import { postWebhook } from "../../src/service/outbound/post-webhook.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { nativeOperation } from "./native.ts";

/** @throws EngineFailure, OutOfRange for the reasons of {@link WebPosts.post} */
export const nativePostWebhook = nativeOperation(
  postWebhook,
  // Assigned to Chromium, so that it runs on an instance for web pages, which has internet access
  // (src/service/placement/instances/pools.ts). Does not use the browser.
  { engine: "chromium", countsAsProbe: false, timeoutMs: 2 * CONTAINER_LIMITS.webhookResponseMs, onlyInputs: true },
  async function* ({ inputs, signal, withoutPermit, log }, { url, headers }, { posts }) {
    const message = await inputs[0]!.bytes();
    // Releases the permit, so that a slow receiver does not block other jobs.
    const status = await withoutPermit(() => posts.post(url, headers, message, signal));
    const body = new TextEncoder().encode(JSON.stringify({ status }));
    yield* encodeOutputs([{ extension: "json", type: "application/json", body }], log);
  },
);
