// Posts a message to a receiver on the web. Knows nothing about addresses and connections.

import { postWebhook } from "../../src/operations/post-webhook.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { answer } from "./answer.ts";
import { native } from "./native.ts";

/** @throws EngineFailure, OutOfRange as {@link WebPosts.post} does */
export const nativePostWebhook = native(
  postWebhook,
  // An instance for web pages has the internet (src/placement/pools.ts), though no browser takes part.
  { engine: "chromium", isProof: false, timeoutMs: 2 * CONTAINER_LIMITS.webhookAnswerMs, onlyInputs: true },
  async function* ({ inputs, signal, aside, log }, { url, headers }, { posts }) {
    const message = await inputs[0]!.bytes();
    // A slow receiver takes no place from others.
    const status = await aside(() => posts.post(url, headers, message, signal));
    const body = new TextEncoder().encode(JSON.stringify({ status }));
    yield* answer([{ extension: "json", type: "application/json", body }], log);
  },
);
