// Tests a time stamp authority that does not respond.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { requestTimeStamp } from "../../../../src/document/signatures/request-time-stamp.ts";

test("an authority that does not respond is not asked again for a time", { timeout: 30_000 }, async () => {
  let requests = 0;
  const server = createServer(() => requests++).listen(0, "127.0.0.1");
  try {
    await new Promise((resolve) => server.once("listening", resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const ask = () => requestTimeStamp(address, new Uint8Array(8), AbortSignal.timeout(4 * LIMITS.timeStampMs));
    await expect(ask()).rejects.toMatchObject({ reason: "time-stamp-failed" });
    await expect(Promise.all([ask(), ask()])).rejects.toMatchObject({ reason: "time-stamp-failed" });
    expect(requests).toBe(1);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
