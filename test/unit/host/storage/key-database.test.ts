// Tests the host's database of API keys.
// Contract: docs/api.md#variants

import { chmod, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KeyDatabase } from "../../../../host/storage/sqlite/key-database.ts";
import { listKeys, putKeys } from "../../../../scripts/keys/key-records.ts";
import { hashKey } from "../../../../src/service/ports/api-key.ts";
import { keyConformance } from "../../../support/key-conformance.ts";

let folder: string;
let keys: KeyDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "keys-"));
  keys = await KeyDatabase.open(folder);
});
afterEach(async () => {
  keys[Symbol.dispose]();
  await rm(folder, { recursive: true, force: true });
});

const entryOf = (key: string, created = "2026-01-02T03:04:05.678Z") => ({
  hash: hashKey(key),
  owner: "Jane's laptop",
  created,
  revoked: null,
});

keyConformance({
  records: () => keys,
  put: (hash, record) => putKeys({ data: folder }, [{ hash, ...record }]),
});

test("keys are listed from the oldest, and stay when the database is opened again", async () => {
  await putKeys({ data: folder }, [entryOf("b", "2026-03"), entryOf("a", "2026-02")]);
  await putKeys({ data: folder }, [entryOf("c", "2026-04")]);
  expect((await listKeys({ data: folder })).map(({ created }) => created)).toEqual(["2026-02", "2026-03", "2026-04"]);
});

test("others cannot read its files, even in a folder that they can read", async () => {
  await chmod(folder, 0o755);
  await putKeys({ data: folder }, [entryOf("a")]);
  const files = await readdir(folder);
  expect(files).toContain("keys.db-wal");
  const modes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).mode & 0o777));
  expect(new Set(modes)).toEqual(new Set([0o600]));
});

test("a folder in which there can be no database is refused in a sentence", async () => {
  const other = join(folder, "other");
  await mkdir(join(other, "keys.db"), { recursive: true });
  await expect(KeyDatabase.open(other)).rejects.toThrow(`The key database in ${other} cannot be opened`);
});
