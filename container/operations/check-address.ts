// Asks the gate of web pages about an address.

import { checkAddress } from "../../src/operations/check-address.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { answer } from "./answer.ts";
import { native } from "./native.ts";

/** @throws OutOfRange as {@link WebPosts.check} does */
export const nativeCheckAddress = native(
  checkAddress,
  // An instance for web pages has the internet (src/placement/pools.ts), though no browser takes part.
  { engine: "chromium", isProof: false, timeoutMs: CONTAINER_LIMITS.webConnectMs, onlyInputs: true },
  async function* ({ aside, log }, { url }, { posts }) {
    await aside(() => posts.check(url));
    yield* answer([], log);
  },
);
