// Measures operations in this process, as they run in a long-lived isolate or thread.
import type { Context, Input, Operation } from "../../src/document/contract/operation.ts";
import { bytesOf, inputOf } from "../../test/support/operations.ts";

interface Environment extends Partial<Pick<Context, "typefaces">> {
  /** Inputs after the first one. */
  readonly others?: readonly Input[];
}

const context = { signal: new AbortController().signal, heapLimitBytes: 512 * 2 ** 20, log: () => {} };

/**
 * Returns the CPU time of a response in milliseconds, and the output. Excludes the preparation of the next engine, which
 * follows the response.
 * @param given the first input, or all inputs
 */
export async function ran<P>(
  operation: Operation<P>,
  given: Uint8Array | readonly Input[],
  params: P,
  { others = [], ...environment }: Environment = {},
): Promise<readonly [number, Uint8Array]> {
  const later: (() => unknown)[] = [];
  const defer = (work: () => unknown) => later.push(work);
  const inputs = [...(given instanceof Uint8Array ? [inputOf(given)] : given), ...others];
  const started = process.cpuUsage();
  let made = new Uint8Array();
  for await (const output of operation.run(inputs, params, { ...context, ...environment, defer }))
    made = new Uint8Array(await bytesOf(output));
  const { user, system } = process.cpuUsage(started);
  for (const work of later) await work();
  return [(user + system) / 1000, made];
}
