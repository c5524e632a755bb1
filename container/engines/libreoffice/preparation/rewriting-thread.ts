// Rewrites one document in a worker thread; prepare.ts is its other end.

import { parentPort, workerData } from "node:worker_threads";
import { EngineFailure, type FailureReason } from "../../../../src/document/contract/failure.ts";
import { type Rewriting, type Rewritten, rewrite } from "./rewriting.ts";

export type FromRewriting =
  | { readonly rewritten: Rewritten }
  | { readonly failure: { readonly reason: FailureReason; readonly detail: string } };

async function answer(): Promise<FromRewriting> {
  try {
    return { rewritten: await rewrite(workerData as Rewriting) };
  } catch (error) {
    // A message loses an error's class. Other errors end the thread.
    if (!(error instanceof EngineFailure)) throw error;
    return { failure: { reason: error.reason, detail: error.detail } };
  }
}

parentPort!.postMessage(await answer());
