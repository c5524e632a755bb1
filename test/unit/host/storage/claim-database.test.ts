// Tests the host's claims of idempotent requests, in a real database.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClaimDatabase } from "../../../../host/storage/sqlite/claim-database.ts";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { claimConformance } from "../../../support/claim-conformance.ts";

const folder = mkdtempSync(join(tmpdir(), "claims-"));
let now = 1_700_000_000_000;
let database: ClaimDatabase;

beforeAll(async () => {
  database = await ClaimDatabase.open(folder, () => now);
});
afterAll(() => {
  database[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

describe("conformance", () => {
  claimConformance({
    claim: (name) => database.getByName(name),
    passes: (ms) => {
      now += ms;
    },
  });
});

test("claims survive the process, and other users cannot read them", async () => {
  const answer = { status: 404, headers: [], text: "{}" };
  await database.getByName("survivor").acquire("a", "content");
  await database.getByName("survivor").complete("a", "content", answer);
  using again = await ClaimDatabase.open(folder, () => now);
  expect(await again.getByName("survivor").acquire("b", "content")).toEqual({ kind: "kept", answer });
  expect(statSync(join(folder, "claims.db")).mode & 0o077).toBe(0);
});

test("what has outlived its time is swept with its own files", async () => {
  const keep = async (name: string, file: { id: string; isOwn: boolean }) => {
    await database.getByName(name).acquire("a", "content");
    await database.getByName(name).complete("a", "content", { status: 200, headers: [], text: "", file });
  };
  await keep("own", { id: "own file", isOwn: true });
  await keep("named", { id: "file of the client", isOwn: false });
  await database.getByName("crashed").acquire("a", "content");
  const removed: string[] = [];
  const sweep = () => database.sweep(async (ids) => void removed.push(...ids));
  await sweep();
  expect(removed).toEqual([]);
  now += LIMITS.storedResponseMs;
  await sweep();
  expect(removed).toEqual(["own file"]);
  await sweep();
  expect(removed).toEqual(["own file"]);
});

test("a folder that cannot be used is named", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  await expect(ClaimDatabase.open(file)).rejects.toThrow(/^The claim database in .* cannot be opened: /);
});
