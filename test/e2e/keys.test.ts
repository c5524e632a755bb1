// Tests `npm run keys` with the storage of a running service.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { putKeys } from "../../scripts/key-records.ts";
import { hashKey } from "../../src/core/api-key.ts";
import { run } from "../support/processes.ts";
import { type Service, startService } from "../support/service.ts";

const revokedByKey = "revoked-by-key";
const revokedByHash = "revoked-by-hash";
const twinHashes = ["1", "2"].map((end) => `feedc0de${end.repeat(56)}`);

let service: Service;
beforeAll(async () => {
  service = await startService({ variant: "keyed", apiKeys: [revokedByKey, revokedByHash] });
  const twin = { owner: "Twin", created: "2026-01-02T03:04:05.678Z", revoked: null };
  const twins = twinHashes.map((hash) => ({ hash, ...twin }));
  await putKeys({ persistTo: service.persistTo }, twins);
});
afterAll(() => service.stop());

async function keys(...args: string[]): Promise<{ code: number | string; output: string }> {
  const command = run(process.execPath, ["scripts/keys.ts", ...args, "--persist-to", service.persistTo]);
  const code = await command.ended;
  return { code, output: command.output().trim() };
}

/** The status of a POST that is valid except perhaps for its key. */
async function statusWith(key: string): Promise<number> {
  const form = new FormData();
  form.set("output", "hello");
  form.set("content", "<h1>Hello</h1>");
  const response = await fetch(`${service.url}/html`, { method: "POST", headers: { "Api-Key": key }, body: form });
  await response.body?.cancel();
  return response.status;
}

describe("create", () => {
  test("prints a key in groups of 8-4-4-4-12 that works at once", async () => {
    const { code, output } = await keys("create", "--owner", "Ada");
    expect(code).toBe(0);
    expect(output).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(await statusWith(output)).toBe(200);
  });

  test("takes a key of the caller's choice, once", async () => {
    expect(await keys("create", "--key", "chosen-by-me")).toEqual({ code: 0, output: "chosen-by-me" });
    expect(await statusWith("chosen-by-me")).toBe(200);
    const again = await keys("create", "--key", "chosen-by-me");
    expect(again.code).toBe(1);
    expect(again.output).toContain("exists already");
  });

  test("refuses a key that no header could carry", async () => {
    const { code, output } = await keys("create", "--key", "two words");
    expect(code).toBe(1);
    expect(output).toContain("without spaces");
  });
});

test("list shows the beginning of each hash, owner and dates", async () => {
  const { code, output } = await keys("list");
  expect(code).toBe(0);
  const lines = output.split("\n").map((line) => line.split(/ {2,}/));
  expect(lines[0]).toEqual(["hash", "owner", "created", "revoked"]);
  expect(lines).toContainEqual([twinHashes[0]!.slice(0, 12), "Twin", "2026-01-02T03:04:05.678Z", "-"]);
  expect(lines.map(([hash]) => hash)).toContain(hashKey(revokedByKey).slice(0, 12));
});

describe("revoke", () => {
  test("by the key itself: the running service refuses it from then on", async () => {
    expect(await statusWith(revokedByKey)).toBe(200);
    const { code, output } = await keys("revoke", revokedByKey);
    expect(code).toBe(0);
    expect(output).toContain(`Revoked ${hashKey(revokedByKey).slice(0, 12)}`);
    expect(await statusWith(revokedByKey)).toBe(401);
    expect((await keys("revoke", revokedByKey)).output).toContain("already");
  });

  test("by the beginning of its hash", async () => {
    expect(await statusWith(revokedByHash)).toBe(200);
    expect((await keys("revoke", hashKey(revokedByHash).slice(0, 12))).code).toBe(0);
    expect(await statusWith(revokedByHash)).toBe(401);
  });

  test("refuses a beginning that two hashes share, and one that none has", async () => {
    const shared = await keys("revoke", "feedc0de");
    expect(shared.code).toBe(1);
    expect(shared.output).toContain("2 keys");
    const unknown = await keys("revoke", "feedc0ffee");
    expect(unknown.code).toBe(1);
    expect(unknown.output).toContain("No key matches");
  });
});

test("anything else prints how it is used, exit code 1", async () => {
  for (const args of [[], ["delete"], ["revoke"], ["list", "--nonsense"], ["list", "--local", "--remote"]]) {
    const command = run("npm", ["run", "--silent", "keys", "--", ...args]);
    expect(await command.ended).toBe(1);
    expect(command.output()).toContain("Usage:");
  }
});
