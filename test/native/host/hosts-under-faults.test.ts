// Tests that three hosts answer mixed requests correctly while one is killed, one frozen, and their database crashes.
// `npm run test:faults -- hosts` is the long run.
// Contract: docs/api.md#asynchronous-jobs
import { expect, test } from "vitest";
import { missingForHosts } from "../../faults/hosts/cluster.ts";
import { run } from "../../faults/hosts/hosts-under-faults.ts";

const missing = await missingForHosts();
if (missing) console.log(`The test of hosts under faults is skipped: ${missing}`);
const COUNTS: Readonly<Record<string, number>> = {
  ...{ requests: 64, clients: 6, restarts: 1, "freeze-ms": 33_000, "pause-ms": 3000 },
};

test.skipIf(missing !== undefined)("requests have one answer each, however hosts and the database fail", async () => {
  const count = (name: string, fallback: number) => COUNTS[name] ?? fallback;
  const { ok, line } = await run({ seed: 1, only: [], count, words: () => [] });
  expect(ok, line).toBe(true);
});
