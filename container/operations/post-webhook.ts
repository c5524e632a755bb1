// Posts a message to a receiver on the web. Knows nothing about addresses and connections.

import { postWebhook } from "../../src/service/outbound/post-webhook.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { nativeOperation } from "./native.ts";

/** @throws EngineFailure, OutOfRange as {@link WebPosts.post} does */
export const nativePostWebhook = nativeOperation(
  postWebhook,
  // An instance for web pages has the internet (src/service/placement/instances/pools.ts), though no browser takes part.
  { engine: "chromium", countsAsProbe: false, timeoutMs: 2 * CONTAINER_LIMITS.webhookResponseMs, onlyInputs: true },
  async function* ({ inputs, signal, withoutPermit, log }, { url, headers }, { posts }) {
    const message = await inputs[0]!.bytes();
    // A slow receiver takes no place from others.
    const status = await withoutPermit(() => posts.post(url, headers, message, signal));
    const body = new TextEncoder().encode(JSON.stringify({ status }));
    yield* encodeOutputs([{ extension: "json", type: "application/json", body }], log);
  },
);
