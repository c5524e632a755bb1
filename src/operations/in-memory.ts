// Buffers in memory the documents that one operation passes to another.

import { EngineFailure } from "../document/contract/failure.ts";
import type { Output } from "../document/contract/operation.ts";

/** @throws EngineFailure `too-large` */
export async function readWhole(
  body: Output["body"],
  limitBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    size += chunk.length;
    if (size > limitBytes) throw new EngineFailure("too-large", `a step makes more than ${limitBytes} bytes`);
    chunks.push(chunk.slice());
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of released(chunks)) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Releases each chunk after it has been read, which frees memory while the output is stored. */
export function* released(chunks: Uint8Array[]): Generator<Uint8Array> {
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk;
}
