// Tests `npm run keys` on the storage of a running service.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runKeys } from "../../scripts/keys/command.ts";
import { ensureDevelopmentKey } from "../../scripts/keys/development-key.ts";
import { putKeys } from "../../scripts/keys/key-records.ts";
import { hashKey } from "../../src/service/ports/api-key.ts";
import { eventually } from "../support/eventually.ts";
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

/** Runs a command in this process, because loading Miniflare takes longer than the command. */
async function keys(...args: string[]): Promise<{ code: number | string; output: string }> {
  const lines: string[] = [];
  try {
    await runKeys([...args, "--persist-to", service.persistTo], (line) => lines.push(line));
    return { code: 0, output: lines.join("\n").trim() };
  } catch (error) {
    return { code: 1, output: [...lines, (error as Error).message].join("\n").trim() };
  }
}

/** Runs a command in a process of its own, as a user does. */
async function keysAlone(...args: string[]): Promise<{ code: number | string; output: string }> {
  const command = run(process.execPath, ["scripts/keys.ts", ...args, "--persist-to", service.persistTo]);
  const code = await command.ended;
  return { code, output: command.output().trim() };
}

/** Returns the status of a POST that is valid except perhaps for its key. */
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
    const { code, output } = await keysAlone("create", "--owner", "Ada");
    expect(code).toBe(0);
    expect(output).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(await statusWith(output)).toBe(200);
  });

  test("takes a key of the caller's choice, once", async () => {
    expect(await keys("create", "--key", "chosen-by-me")).toEqual({ code: 0, output: "chosen-by-me" });
    expect(await statusWith("chosen-by-me")).toBe(200);
    const again = await keysAlone("create", "--key", "chosen-by-me");
    expect(again.code).toBe(1);
    expect(again.output).toContain("exists already");
  });

  test("refuses a key that no header could carry", async () => {
    const { code, output } = await keys("create", "--key", "two words");
    expect(code).toBe(1);
    expect(output).toContain("without spaces");
  });
});

test("npm start with API_KEY makes a record once: a revocation and settings outlast the next start", async () => {
  const ownedBy = async (owner: string) =>
    (await keys("list")).output.split("\n").filter((line) => line.includes(owner));
  const given = "of-the-environment";
  expect(await ensureDevelopmentKey(service.persistTo, given)).toBe(given);
  expect(await statusWith(given)).toBe(200);
  await keys("update", given, "--owner", "Joan", "--scopes", "html");
  await ensureDevelopmentKey(service.persistTo, given);
  expect(await ownedBy("Joan")).toHaveLength(1);
  expect(await keys("revoke", given)).toMatchObject({ code: 0 });
  const revoked = await ownedBy("Joan");
  await ensureDevelopmentKey(service.persistTo, given);
  expect(await ownedBy("Joan")).toEqual(revoked);
  expect(await statusWith(given)).toBe(401);
});

test("list shows the beginning of each hash, owner and dates", async () => {
  const { code, output } = await keysAlone("list");
  expect(code).toBe(0);
  const lines = output.split("\n").map((line) => line.split(/ {2,}/));
  expect(lines[0]).toEqual(["hash", "owner", "created", "revoked", "expires", "settings"]);
  expect(lines).toContainEqual([twinHashes[0]!.slice(0, 12), "Twin", "2026-01-02T03:04:05.678Z", "-", "-", "-"]);
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
    expect(await keys("revoke", hashKey(revokedByHash).slice(0, 12))).toMatchObject({ code: 0 });
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

describe("update", () => {
  test("changes limits, scopes and expiry, which a running service follows, and removes them", async () => {
    const settings = ["--requests-per-minute", "1", "--scopes", "html,/png", "--expires", "90d"];
    await keys("create", "--key", "limited", "--owner", "Grace", ...settings);
    expect([await statusWith("limited"), await statusWith("limited")]).toEqual([200, 429]);
    const changed = await keys("update", "limited", "--requests-per-minute", "none", "--scopes", "png");
    expect(changed).toMatchObject({ code: 0, output: expect.stringContaining("only png") });
    expect(await statusWith("limited")).toBe(403);
    const listed = (await keys("list")).output.split("\n").find((line) => line.includes("Grace"))!;
    expect(listed.split(/ {2,}/)[4]).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(listed).toMatch(/ {2}only png$/);
    const ended = await keys("update", "limited", "--scopes", "none", "--expires", "2020-01-01");
    expect(ended).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Updated \w+ \(Grace\): until 2020-01-01T00:00:00\.000Z\.$/m),
    });
    expect(await statusWith("limited")).toBe(401);
  });

  test("binds a key to regions, without which a deployment rejects it", async () => {
    await keys("create", "--key", "resident", "--regions", "eu, weur");
    expect(await statusWith("resident")).toBe(503);
    const changed = await keys("update", "resident", "--regions", "eu");
    expect(changed.output).toContain("bound to eu.");
    await keys("update", "resident", "--regions", "none");
    expect(await statusWith("resident")).toBe(200);
  });

  test.each([
    ["--expires", "soon"],
    ["--expires", "2027-02-30"],
    ["--owner", "Mallory\nRoot"],
    ["--scopes", "png,tiff"],
    ["--regions", "eu,mars"],
    ["--requests-per-minute", "0"],
    ["--megabytes-per-day", "1.5"],
  ])("refuses %s %s in a sentence", async (option, value) => {
    const { code, output } = await keys("create", option, value);
    expect([code, output.startsWith(`${option} `)]).toEqual([1, true]);
  });
});

test("usage shows what the running service has counted, of all keys or one", async () => {
  await keys("create", "--key", "used", "--owner", "Linus");
  for (let at = 0; at < 3; at++) expect(await statusWith("used")).toBe(200);
  await eventually(async () => {
    const { code, output } = await keys("usage", "--key", "used", "--days", "1");
    expect(code).toBe(0);
    const [head, row, total] = output.split("\n").map((line) => line.split(/ {2,}/));
    expect(head).toEqual(["hash", "owner", "day", "operation", "requests", "errors", "bytes in", "bytes out"]);
    expect(row!.slice(0, 2)).toEqual([hashKey("used").slice(0, 12), "Linus"]);
    expect(row!.slice(3, 6)).toEqual(["html", "3", "0"]);
    expect(total!.slice(0, 3)).toEqual(["total", "3", "0"]);
  });
  expect((await keys("usage")).output).toContain("html");
});

test("anything else prints how it is used, exit code 1", async () => {
  for (const args of [[], ["delete"], ["revoke"], ["list", "--nonsense"], ["list", "--local", "--remote"]]) {
    const command = run("npm", ["run", "--silent", "keys", "--", ...args]);
    expect(await command.ended).toBe(1);
    expect(command.output()).toContain("Usage:");
  }
});
