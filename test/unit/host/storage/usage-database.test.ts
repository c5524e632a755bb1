// Tests the limiter of the host.
// Contract: docs/api.md#limits-of-a-client
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { UsageDatabase } from "../../../../host/storage/sqlite/usage-database.ts";
import { limiterConformance } from "../../../support/limiter-conformance.ts";

const folder = mkdtempSync(join(tmpdir(), "limiter-"));
const opened: UsageDatabase[] = [];
afterAll(() => {
  for (const database of opened) database[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

limiterConformance(async () => {
  const database = await UsageDatabase.open(folder);
  opened.push(database);
  return database;
});
