// Measures how a process's memory grows during some work.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Resident memory of a process, in bytes. */
function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}

/** Returns by how many bytes a process grows at most while `work` runs. */
export async function growthDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = residentBytes(pid);
  let most = before;
  let isWorking = true;
  const watching = (async () => {
    while (isWorking) {
      most = Math.max(most, residentBytes(pid));
      await sleep(20);
    }
  })();
  await work().finally(() => {
    isWorking = false;
  });
  await watching;
  return most - before;
}
