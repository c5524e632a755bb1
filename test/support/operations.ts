// Provides the context in which tests run operations, and returns their outputs as bytes.
import { EngineFailure } from "../../src/document/contract/failure.ts";
import type { Context, Input, Operation, Output } from "../../src/document/contract/operation.ts";

export const CONTEXT: Context = {
  signal: new AbortController().signal,
  heapLimitBytes: 88 * 1024 * 1024,
  log: () => {},
  defer: () => {},
};

export function inputOf(bytes: Uint8Array, name = "a.pdf"): Input {
  return {
    name,
    size: bytes.length,
    bytes: async () => bytes,
    async *stream() {
      yield bytes;
    },
  };
}

export async function bytesOf({ body, headerPatch }: Pick<Output, "body" | "headerPatch">): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(Buffer.from(chunk));
  const whole = new Uint8Array(Buffer.concat(chunks));
  const head = headerPatch?.();
  if (head) whole.set(head);
  return whole;
}

/** Runs an operation, and returns the bytes of all outputs. */
export async function outputsOf<P>(
  operation: Operation<P>,
  inputs: readonly Uint8Array[],
  params: P,
  context: Context = CONTEXT,
): Promise<Uint8Array[]> {
  const outputs: Uint8Array[] = [];
  for await (const output of operation.run(
    inputs.map((bytes) => inputOf(bytes)),
    params,
    context,
  )) {
    outputs.push(await bytesOf(output));
  }
  return outputs;
}

/** Returns the reason with which an engine or operation fails, or `none` if it succeeds. */
export async function reasonOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "none";
  } catch (error) {
    if (error instanceof EngineFailure) return error.reason;
    throw error;
  }
}
