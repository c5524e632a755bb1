// Fetches a file from the web.

import { fetchUrl } from "../../src/service/outbound/fetch-url.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { nativeOperation } from "./native.ts";

/** @throws EngineFailure, OutOfRange for the reasons of {@link WebFiles.fetch} */
export const nativeFetchUrl = nativeOperation(
  fetchUrl,
  // Assigned to Chromium, so that it runs on an instance for web pages, which has internet access
  // (src/service/placement/instances/pools.ts). Does not use the browser.
  { engine: "chromium", countsAsProbe: false, timeoutMs: CONTAINER_LIMITS.fetchMs, onlyInputs: true },
  async function* ({ signal, log }, { url, maxBytes, visit }, { web }) {
    const { name, type, body } = await web.fetch(url, maxBytes, signal, visit);
    try {
      yield* encodeOutputs([{ extension: "", name, type, body }], log);
    } finally {
      await body.return(undefined);
    }
  },
);
