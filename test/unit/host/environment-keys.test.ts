// Tests keys from the environment, and records that an operator has made for some of them.
import { expect, test } from "vitest";
import { EnvironmentKeys } from "../../../host/environment-keys.ts";
import { requireKey } from "../../../src/service/http/clients/auth.ts";
import { hashKey, type KeyRecord } from "../../../src/service/ports/api-key.ts";

const record = (more: Partial<KeyRecord>): KeyRecord => ({ owner: "a", created: "2026-01-01", revoked: null, ...more });

/** Returns the record that applies to the key `given`, if the database has the record `kept`. */
async function known(kept: KeyRecord | null) {
  const keys = new EnvironmentKeys(["given"], { get: async (hash) => (hash === hashKey("given") ? kept : null) });
  await expect(requireKey("other", keys)).rejects.toMatchObject({ status: 401 });
  return (await requireKey("given", keys)).record;
}

test("a key without a record may do everything", async () => {
  const { owner, scopes, limits, revoked } = await known(null);
  expect([owner, scopes, limits, revoked]).toEqual(["environment", undefined, undefined, null]);
});

test.each([
  ["its revocation", { revoked: "2026-01-02T00:00:00.000Z" }],
  ["its end", { expires: "2026-01-02T00:00:00.000Z" }],
])("of a key with a record, %s counts", async (_, more) => {
  await expect(known(record(more))).rejects.toMatchObject({ status: 401, message: "The provided key is not valid." });
});

test("of a key with a record, scopes, limits, lifetime and secrets count", async () => {
  const kept = record({
    scopes: ["png"],
    limits: { requestsPerMinute: 1 },
    fileLifetimeHours: 1,
    webhookSecrets: [{ secret: "whsec_MTIz" }],
  });
  expect(await known(kept)).toEqual(kept);
});
