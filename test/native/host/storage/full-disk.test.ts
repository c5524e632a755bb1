// Tests the bucket in the file system, and the databases next to it, on a full disk.
// Contract: docs/api.md#errors

import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { FileBucket } from "../../../../host/storage/folder/file-bucket.ts";
import { SqliteFile } from "../../../../host/storage/sqlite/sqlite-file.ts";
import { StorageFull } from "../../../../src/document/contract/failure.ts";
import { toServiceError } from "../../../../src/service/http/contract/errors.ts";
import { createMemoryQuota } from "../../../../src/service/storage/memory-quota.ts";
import { createStore } from "../../../../src/service/storage/store.ts";

const folder = await mkdtemp(join(tmpdir(), "full-disk-"));
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=15m", "tmpfs", folder]).status === 0;
if (!mounted) console.log("The test of a full disk is skipped: only root can mount a small one.");
afterAll(async () => {
  if (mounted) spawnSync("umount", [folder]);
  await rm(folder, { recursive: true, force: true });
});

test.skipIf(!mounted)(
  "a full disk is 507, keeps what was there, and takes files again once there is room",
  async () => {
    using bucket = await FileBucket.open(folder);
    const store = createStore(bucket, { lifetimeMs: 0 });
    const storing = async (bytes: number) => {
      const batch = store.batch("output", createMemoryQuota({ perRequest: 0, total: 0 }).openReservation());
      try {
        await batch.add({ name: "a.bin", type: "image/png", body: new Uint8Array(bytes).fill(bytes) });
        return (await batch.commit())[0]!;
      } catch (error) {
        await batch.discard();
        throw error;
      }
    };
    const small = await storing(100_000);
    const large = await storing(11_000_000);
    for (const bytes of [5_000_000, 12_000_000]) {
      const failure = await storing(bytes).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(StorageFull);
      expect(toServiceError(failure)).toMatchObject({ status: 507 });
      expect(await readdir(join(folder, "writing"))).toEqual([]);
    }
    for (const { id, size } of [small, large]) {
      const bytes = await new Response((await store.open(id))!.body).bytes();
      expect(bytes.length).toBe(size);
      expect(bytes.every((byte) => byte === size % 256)).toBe(true);
    }
    await store.remove([large.id]);
    expect((await storing(5_000_000)).size).toBe(5_000_000);
  },
);

test.skipIf(!mounted)(
  "a database on a full disk says so, keeps what it had, and writes again once there is room",
  async () => {
    const options = { name: "kept", subject: "test", synchronous: "FULL" } as const;
    using file = await SqliteFile.open(folder, options, (file) => file);
    file.exec("CREATE TABLE kept (text TEXT)");
    const add = (bytes: number) => file.all("INSERT INTO kept VALUES (?)", "a".repeat(bytes));
    const count = () => file.all("SELECT count(*) AS count FROM kept")[0]!.count;
    add(1);
    const filler = join(folder, "filler");
    await expect(writeFile(filler, new Uint8Array(16 * 2 ** 20))).rejects.toThrow("ENOSPC");
    expect(() => add(100_000)).toThrow(StorageFull);
    const twoAtOnce = () =>
      file.transaction(() => {
        add(1);
        add(100_000);
      });
    expect(twoAtOnce).toThrow(StorageFull);
    expect(count()).toBe(1);
    await rm(filler);
    twoAtOnce();
    expect(count()).toBe(3);
  },
);
