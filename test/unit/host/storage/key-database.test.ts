// The database of API keys of the host on Node.
// Contract: docs/api.md#variants

import { chmod, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KeyDatabase } from "../../../../host/storage/sqlite/key-database.ts";
import { listKeys, putKeys } from "../../../../scripts/keys/key-records.ts";
import { hashKey } from "../../../../src/service/ports/api-key.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "keys-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const entryOf = (key: string, created = "2026-01-02T03:04:05.678Z") => ({
  hash: hashKey(key),
  owner: "Jane's laptop",
  created,
  revoked: null,
});

test("a key that a script adds is known at once, and one that it revokes is not any more", async () => {
  using keys = await KeyDatabase.open(folder);
  expect(await keys.get(hashKey("secret"), "json")).toBeNull();
  await putKeys({ data: folder }, [entryOf("secret")]);
  expect(await keys.get(hashKey("secret"), "json")).toMatchObject({ owner: "Jane's laptop", revoked: null });
  const revoked = "2026-02-03T04:05:06.789Z";
  await putKeys({ data: folder }, [{ ...entryOf("secret"), revoked }]);
  expect(await keys.get(hashKey("secret"), "json")).toMatchObject({ revoked });
});

test("keys are listed from the oldest, and stay when the database is opened again", async () => {
  await putKeys({ data: folder }, [entryOf("b", "2026-03"), entryOf("a", "2026-02")]);
  await putKeys({ data: folder }, [entryOf("c", "2026-04")]);
  expect((await listKeys({ data: folder })).map(({ created }) => created)).toEqual(["2026-02", "2026-03", "2026-04"]);
});

test("others cannot read its files, even in a folder that they can read", async () => {
  await chmod(folder, 0o755);
  using _keys = await KeyDatabase.open(folder);
  const files = await readdir(folder);
  expect(files).toContain("keys.db-wal");
  const modes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).mode & 0o777));
  expect(new Set(modes)).toEqual(new Set([0o600]));
});

test("a folder in which there can be no database is refused in a sentence", async () => {
  await mkdir(join(folder, "keys.db"));
  await expect(KeyDatabase.open(folder)).rejects.toThrow(`The key database in ${folder} cannot be opened`);
});
