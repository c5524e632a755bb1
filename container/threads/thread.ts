// Runs operations in a worker thread, one job at a time. Sends the frames of the response, at most a few ahead of the
// reader. threads.ts starts the thread.

import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import { parentPort } from "node:worker_threads";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import type { Context, Input } from "../../src/document/contract/operation.ts";
import { localTypefaces } from "../../src/operations/container-only/local-typefaces.ts";
import { CONTAINER_OPERATIONS, PDFA_STEPS, RECOGNITION_STEPS } from "../../src/operations/index.ts";
import { describeError } from "../../src/runtime/log-line.ts";
import { systemFonts } from "../fonts/system-fonts.ts";
import { encodeOutputs } from "../operations/encode-outputs.ts";
import { shrinkWhenIdle } from "../processes/garbage-collection.ts";
import type { ThreadJob } from "../processes/thread-job.ts";
import { asFile } from "../scratch/file-input.ts";

/** Messages to a thread. `ack`: the reader has read a frame. `job`, `ping`: the thread replies that it is alive. */
export type ToThread = { readonly job: ThreadJob } | { readonly ack: true } | { readonly ping: true };

export type FromThread =
  /** `thread`: the thread's ID in the system. */
  | { readonly ready: true; readonly thread: number }
  | { readonly frame: Uint8Array<ArrayBuffer> }
  | { readonly done: true }
  | { readonly alive: true }
  | { readonly log: { readonly message: string; readonly details?: Record<string, unknown> } };

const operations = new Map(
  [...CONTAINER_OPERATIONS, ...PDFA_STEPS, ...RECOGNITION_STEPS].map((operation) => [operation.name, operation]),
);

/**
 * Delay before deferred work. The work makes the next job faster; the delay avoids blocking the next step of the
 * current job.
 */
const REST_MS = 20;
/** Maximum number of frames that were sent and not read. A frame has at most 1 MiB. */
const FRAMES_AHEAD = 8;

const port = parentPort!;
let ahead = 0;
let wake: (() => void) | undefined;
let rest: NodeJS.Timeout | undefined;

port.on("message", (message: ToThread) => {
  if ("ack" in message) {
    ahead--;
    wake?.();
  } else if ("ping" in message) {
    send({ alive: true });
  } else {
    send({ alive: true });
    void carryOut(message.job);
  }
});
shrinkWhenIdle();
send({ ready: true, thread: Number(basename(readlinkSync("/proc/thread-self"))) });

async function carryOut(job: ThreadJob): Promise<void> {
  ahead = 0;
  clearTimeout(rest);
  const deferred: (() => Promise<void>)[] = [];
  const context: Context = {
    // Never aborted: a running engine does not check signals, so a job is aborted by terminating its thread.
    signal: new AbortController().signal,
    heapLimitBytes: job.heapLimitBytes,
    fonts: systemFonts,
    typefaces: localTypefaces(systemFonts),
    usedMs,
    defer: (work) => deferred.push(work),
    log: (message, details) => send({ log: { message, ...(details ? { details } : {}) } }),
  };
  const inputs = job.inputs.map((file) => asFile(file, file.path));
  for await (const frame of encodeOutputs(run(job, inputs, context), context.log)) {
    while (ahead >= FRAMES_AHEAD) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    ahead++;
    port.postMessage({ frame } satisfies FromThread, [frame.buffer]);
  }
  send({ done: true });
  rest = setTimeout(async () => {
    // Errors are only logged: the next job might have started, and must not fail because of deferred work.
    for (const work of deferred) {
      await work().catch((error) => context.log("deferred work failed", describeError(error)));
    }
  }, REST_MS);
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** @throws ZodError if the parameters do not match the schema; the client receives it as `crashed` */
async function* run({ operation, params }: ThreadJob, inputs: readonly Input[], context: Context) {
  const found = operations.get(operation);
  if (!found) throw new EngineFailure("crashed", `no operation ${operation}`);
  yield* found.run(inputs, found.params.parse(params), context);
}

function send(message: FromThread): void {
  port.postMessage(message);
}
