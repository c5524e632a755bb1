// Tests that threads return unused memory when they become idle.
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";

const module = new URL("../../../container/processes/garbage-collection.ts", import.meta.url);
const BYTES = 2 ** 26;

/** A thread that makes garbage of two kinds, keeps a text, and reports its memory every 50 ms. */
const code = `
import { parentPort } from "node:worker_threads";
import { getHeapStatistics } from "node:v8";
import { shrinkWhenIdle } from "${module}";
shrinkWhenIdle(200);
globalThis.kept = "kept".repeat(9);
let garbage = [new Uint8Array(${BYTES}).fill(1), Array.from({ length: 2 ** 20 }, (_, index) => ({ index }))];
setInterval(() => {
  garbage = undefined;
  const { total_heap_size, external_memory } = getHeapStatistics();
  parentPort.postMessage({ bytes: total_heap_size + external_memory, kept: globalThis.kept });
}, 50);`;

test("an idle thread returns unused memory, and keeps what is used", async () => {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  try {
    const seen: { readonly bytes: number; readonly kept: string }[] = [];
    worker.on("message", (message) => seen.push(message));
    await eventually(() => expect(seen.at(-1)?.bytes).toBeLessThan(BYTES / 2));
    expect(Math.max(...seen.map(({ bytes }) => bytes))).toBeGreaterThan(BYTES);
    expect(seen.at(-1)?.kept).toHaveLength(36);
  } finally {
    await worker.terminate();
  }
});
