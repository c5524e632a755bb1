// Rewrites documents that LibreOffice cannot open correctly or fast; most need no change. Runs in a thread of the job,
// because a large document takes many seconds and must not block the server; only the replacement of small parts, which
// many presentations need, takes less time than the start of a thread.

import { Worker } from "node:worker_threads";
import { EngineFailure } from "../../../../src/document/contract/failure.ts";
import { untilAborted } from "../../../../src/runtime/until-aborted.ts";
import { CONTAINER_LIMITS } from "../../../limits.ts";
import { EngineLost } from "../../../processes/retry.ts";
import type { Scratch } from "../../../scratch/scratch.ts";
import { neededRewriting, type Rewriting, type Rewritten, replaceParts } from "./rewriting.ts";
import type { FromRewriting } from "./rewriting-thread.ts";

/** A document that LibreOffice can open. Disposal deletes its temporary files. */
export type Prepared = Rewritten & AsyncDisposable;

/**
 * @throws EngineFailure `password-protected`, `damaged`, `unsupported`, `too-complex`, `too-large`
 * @throws the signal's reason when aborted; the thread has ended by then
 */
export async function prepare(
  document: Omit<Rewriting, "folder">,
  scratch: Scratch,
  signal: AbortSignal,
): Promise<Prepared> {
  const needed = await neededRewriting(document);
  if (needed !== "all" && needed.size === 0) {
    return { path: document.path, chunks: [], hasPictures: false, notices: [], [Symbol.asyncDispose]: async () => {} };
  }
  const folder = await scratch.folder("prepared");
  const dispose = () => folder[Symbol.asyncDispose]();
  const rewriting = { ...document, folder: folder.path };
  try {
    const rewritten = await (needed === "all" ? rewriteAside(rewriting, signal) : replaceParts(rewriting, needed));
    signal.throwIfAborted();
    return { ...rewritten, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

const THREAD = new URL("./rewriting-thread.ts", import.meta.url);

async function rewriteAside(rewriting: Rewriting, signal: AbortSignal): Promise<Rewritten> {
  signal.throwIfAborted();
  const worker = new Worker(THREAD, {
    workerData: rewriting,
    resourceLimits: { maxOldGenerationSizeMb: CONTAINER_LIMITS.threadHeapBytes / 2 ** 20 },
    env: {},
  });
  const { promise, resolve, reject } = Promise.withResolvers<Rewritten>();
  worker.once("message", (message: FromRewriting) => {
    if ("failure" in message) reject(new EngineFailure(message.failure.reason, message.failure.detail));
    else resolve(message.rewritten);
  });
  worker.once("error", (error: NodeJS.ErrnoException) => {
    const isFull = error.code === "ERR_WORKER_OUT_OF_MEMORY";
    reject(isFull ? new EngineFailure("too-complex", "the heap of the thread is full", { cause: error }) : error);
  });
  worker.once("exit", () => reject(new EngineLost("the thread that rewrites a document ended")));
  try {
    return await untilAborted(promise, signal);
  } finally {
    await worker.terminate();
  }
}
