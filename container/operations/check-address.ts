// Checks a URL against the allow list for web pages.

import { checkAddress } from "../../src/service/outbound/check-address.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { nativeOperation } from "./native.ts";

/** @throws OutOfRange for the reasons of {@link WebPosts.check} */
export const nativeCheckAddress = nativeOperation(
  checkAddress,
  // Assigned to Chromium, so that it runs on an instance for web pages, which has internet access
  // (src/service/placement/instances/pools.ts). Does not use the browser.
  { engine: "chromium", countsAsProbe: false, timeoutMs: CONTAINER_LIMITS.webConnectMs, onlyInputs: true },
  async function* ({ withoutPermit, log }, { url }, { posts }) {
    await withoutPermit(() => posts.check(url));
    yield* encodeOutputs([], log);
  },
);
