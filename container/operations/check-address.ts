// Asks the gate of web pages about an address.

import { checkAddress } from "../../src/service/outbound/check-address.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { nativeOperation } from "./native.ts";

/** @throws OutOfRange as {@link WebPosts.check} does */
export const nativeCheckAddress = nativeOperation(
  checkAddress,
  // An instance for web pages has the internet (src/service/placement/instances/pools.ts), though no browser takes part.
  { engine: "chromium", countsAsProbe: false, timeoutMs: CONTAINER_LIMITS.webConnectMs, onlyInputs: true },
  async function* ({ withoutPermit, log }, { url }, { posts }) {
    await withoutPermit(() => posts.check(url));
    yield* encodeOutputs([], log);
  },
);
