// Tests the host's limiter and usage records, in a real database that several processes have open.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { UsageDatabase } from "../../../../host/storage/sqlite/usage-database.ts";
import { limiterConformance } from "../../../support/limiter-conformance.ts";
import { usageConformance } from "../../../support/usage-conformance.ts";

const folder = mkdtempSync(join(tmpdir(), "usage-"));
let now = 1_700_000_000_000;
const opened = await Promise.all([1, 2].map(() => UsageDatabase.open(folder, () => now)));
afterAll(() => {
  for (const database of opened) database[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** Returns one of two connections, alternately. */
function open(): UsageDatabase {
  opened.push(opened.shift()!);
  return opened[0]!;
}

limiterConformance({
  open,
  now: () => now,
  passes: (ms) => {
    now += ms;
  },
});
usageConformance(open);
