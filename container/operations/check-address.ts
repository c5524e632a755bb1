// Checks a URL against the allow list for web pages.

import { checkAddress } from "../../src/service/outbound/check-address.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { nativeOperation } from "./native.ts";

/** @throws OutOfRange as {@link WebPosts.check} does */
export const nativeCheckAddress = nativeOperation(
  checkAddress,
  // Runs on an instance for web pages, which has internet access (src/service/placement/instances/pools.ts), but needs
  // no browser.
  { engine: "chromium", countsAsProbe: false, timeoutMs: CONTAINER_LIMITS.webConnectMs, onlyInputs: true },
  async function* ({ withoutPermit, log }, { url }, { posts }) {
    await withoutPermit(() => posts.check(url));
    yield* encodeOutputs([], log);
  },
);
