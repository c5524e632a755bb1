// Tests limits that several processes count in one database, like several hosts with one folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const program = join(import.meta.dirname, "../../../fixtures/limiter-process.ts");

async function startAsking(folder: string, limit: string) {
  const child = spawn(process.execPath, ["--no-warnings", program, folder, limit], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  while (!output.includes("ready")) await once(child.stdout, "data");
  return async () => {
    child.stdin.write("go\n");
    await once(child, "close");
    return Number(/passed (\d+)/.exec(output)![1]);
  };
}

test.each(["requestsPerMinute", "concurrentJobs", "megabytesPerDay"])(
  "%s: of 60 requests by three processes at once, 10 pass",
  async (limit) => {
    const folder = mkdtempSync(join(tmpdir(), "usage-"));
    try {
      const processes = await Promise.all([1, 2, 3].map(() => startAsking(folder, limit)));
      const passed = await Promise.all(processes.map((go) => go()));
      expect(passed.reduce((sum, count) => sum + count, 0)).toBe(10);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
