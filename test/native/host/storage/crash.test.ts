// Tests the bucket in the file system while its process is killed at random moments.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { FileBucket } from "../../../../host/storage/folder/file-bucket.ts";
import { run, waitForOutput } from "../../../support/processes.ts";

const KILLS = Number(process.env.STORAGE_KILLS ?? 5);
const folder = await mkdtemp(join(tmpdir(), "crash-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const writer = () => run(process.execPath, ["--no-warnings", "test/fixtures/bucket-writer.ts", folder]);

test("what was stored is there and whole, what was removed is not, and nothing is half there", {
  timeout: 60_000 * KILLS,
}, async () => {
  const stored = new Set<string>();
  for (let round = 0; round < KILLS; round++) {
    const command = writer();
    await waitForOutput(command, "files/");
    await sleep(Math.random() * 500);
    command.child.kill("SIGKILL");
    await command.ended;
    // The last line can be incomplete.
    for (const line of command.output().split("\n").slice(0, -1)) {
      if (line.startsWith("-")) stored.delete(line.slice(1));
      else stored.add(line);
    }
    using bucket = await FileBucket.open(folder);
    expect(await readdir(join(folder, "writing"))).toEqual([]);
    const found = new Set<string>();
    for (let cursor: string | undefined; ; ) {
      const page = await bucket.list(cursor ? { cursor } : {});
      for (const { key } of page.objects) found.add(key);
      if (!page.truncated) break;
      cursor = page.cursor;
    }
    for (const key of found) {
      const object = (await bucket.get(key))!;
      expect(object.customMetadata).toEqual({ name: key });
      expect(
        Buffer.from(await object.bytes())
          .toString()
          .replaceAll(key, ""),
      ).toBe("");
    }
    // If the process was killed during the removal of a file, the file can be gone already; if it was killed during a
    // write, the file can exist already.
    const lost = [...stored].filter((key) => !found.has(key));
    expect(lost.length).toBeLessThanOrEqual(4);
    expect(lost.every((key) => Number(key.split("-").at(-1)) % 4 === 3)).toBe(true);
    for (const key of lost) stored.delete(key);
    for (const key of found) stored.add(key);
  }
  console.log(`killed ${KILLS} times, ${stored.size} objects are there`);
});

test("a second process waits for the first, and is refused if that does not end", async () => {
  const first = writer();
  await waitForOutput(first, "files/");
  await expect(FileBucket.open(folder)).rejects.toThrow("in use by another process");
  const opening = FileBucket.open(folder);
  first.child.kill("SIGKILL");
  (await opening)[Symbol.dispose]();
  await first.ended;
});
