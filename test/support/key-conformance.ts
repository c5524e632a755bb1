// Tests that key records must pass, in KV and in the host's database.

import { expect, test } from "vitest";
import { hashKey, type KeyRecord, type KeyRecords } from "../../src/service/ports/api-key.ts";

export interface TestedKeys {
  records(): KeyRecords;
  /** Writes a record, as the operator's script does. */
  put(hash: string, record: KeyRecord): Promise<void>;
}

export function keyConformance({ records, put }: TestedKeys): void {
  test("a record that the operator writes is found with all it has, until the next one replaces it", async () => {
    const hash = hashKey("secret");
    const record: KeyRecord = {
      ...{ owner: "Jane’s laptop ✓", created: "2026-01-02T03:04:05.678Z", revoked: null },
      ...{ expires: "2027-01-01T00:00:00.000Z", scopes: ["png"], limits: { concurrentJobs: 2 }, fileLifetimeHours: 1 },
      webhookSecrets: [{ secret: "whsec_bmV3" }, { secret: "whsec_b2xk", until: "2026-02-01T00:00:00.000Z" }],
    };
    expect(await records().get(hash, "json")).toBeNull();
    await put(hash, record);
    expect(await records().get(hash, "json")).toEqual(record);
    const { owner, created } = record;
    const revoked = { owner, created, revoked: "2026-02-03T04:05:06.789Z" };
    await put(hash, revoked);
    expect(await records().get(hash, "json")).toEqual(revoked);
    expect(await records().get(hashKey("other"), "json")).toBeNull();
  });
}
