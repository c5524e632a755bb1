// Measures operations in this process, as they run in a long-lived isolate or thread.
import type { Operation } from "../../src/document/contract/operation.ts";
import { bytesOf, inputOf } from "../../test/support/operations.ts";

const context = { signal: new AbortController().signal, heapLimitBytes: 512 * 2 ** 20, log: () => {} };

/**
 * Returns the CPU time of a response in milliseconds, and the output. Excludes the preparation of the next engine, which
 * follows the response.
 */
export async function ran<P>(
  operation: Operation<P>,
  bytes: Uint8Array,
  params: P,
): Promise<readonly [number, Uint8Array]> {
  const later: (() => unknown)[] = [];
  const defer = (work: () => unknown) => later.push(work);
  const started = process.cpuUsage();
  let made = new Uint8Array();
  for await (const output of operation.run([inputOf(bytes)], params, { ...context, defer }))
    made = new Uint8Array(await bytesOf(output));
  const { user, system } = process.cpuUsage(started);
  for (const work of later) await work();
  return [(user + system) / 1000, made];
}
