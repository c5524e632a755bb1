// Worker thread that rewrites one document. prepare.ts starts it.

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
    // Returned as data, because an error loses its class in a message between threads. Any other error ends the thread.
    if (!(error instanceof EngineFailure)) throw error;
    return { failure: { reason: error.reason, detail: error.detail } };
  }
}

parentPort!.postMessage(await answer());
