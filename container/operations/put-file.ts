// Sends a file to a web server.

import { putFile } from "../../src/service/outbound/put-file.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { nativeOperation } from "./native.ts";

/** @throws EngineFailure, OutOfRange for the reasons of {@link WebPosts.put} */
export const nativePutFile = nativeOperation(
  putFile,
  // Assigned to Chromium, like the posting of webhooks.
  { engine: "chromium", countsAsProbe: false, timeoutMs: CONTAINER_LIMITS.deliveryMs, onlyInputs: true },
  async function* ({ inputs, signal, withoutPermit, log }, { url, headers, method = "PUT" }, { posts }) {
    const status = await withoutPermit(() => posts.send(url, { method, headers }, inputs[0]!, signal));
    const body = new TextEncoder().encode(JSON.stringify({ status }));
    yield* encodeOutputs([{ extension: "json", type: "application/json", body }], log);
  },
);
