// Runs the edge's own operations in a worker thread, one job at a time. Sends the answer's frames, at most a few ahead
// of what has been read. Knows no HTTP; jobs/threads.ts is its other end.

import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import { parentPort } from "node:worker_threads";
import type { Notice } from "../../src/core/notice.ts";
import type { Context, Output } from "../../src/core/operation.ts";
import { encodeAnswer } from "../../src/placement/remote.ts";
import { hostedComparePdfs, hostedLookAtPdf } from "../operations/compare-pdfs.ts";
import { hostedCompressPdf } from "../operations/compress-pdf.ts";
import type { UncheckedOperation } from "../operations/edge-operation.ts";
import { hostedExtractPdfs, hostedReplacePdfs } from "../operations/embedded-pdfs.ts";
import { hostedFlattenTransparency } from "../operations/flatten-transparency.ts";
import { hostedImageToPdf } from "../operations/image-to-pdf.ts";
import { hostedLimitImages } from "../operations/limit-images.ts";
import { hostedLinearizePdf } from "../operations/linearize-pdf.ts";
import { hostedMergePdfs } from "../operations/merge-pdfs.ts";
import { hostedPicturePages } from "../operations/picture-pages.ts";
import { hostedRasterizePdf } from "../operations/rasterize-pdf.ts";
import { hostedCountContent, hostedRepairPdfa } from "../operations/repair-pdfa.ts";
import { hostedReplaceContents } from "../operations/replace-contents.ts";
import { hostedSplitPdf } from "../operations/split-pdf.ts";
import { fileInput } from "../scratch/file-input.ts";
import { describeError } from "./hosted.ts";

/** Messages to a thread. `taken`: the reader has read a frame. */
export type ToThread = { readonly job: ThreadJob } | { readonly taken: true };

export interface ThreadJob {
  readonly operation: string;
  readonly inputs: readonly { readonly name: string; readonly size: number; readonly path: string }[];
  readonly params: unknown;
  readonly heapLimitBytes: number;
  /** Earlier losses of the input, which the first output of this job reports too. @default none */
  readonly notices?: readonly Notice[];
}

export type FromThread =
  /** `thread`: its thread ID in the system. */
  | { readonly ready: true; readonly thread: number }
  | { readonly frame: Uint8Array<ArrayBuffer> }
  | { readonly done: true }
  | { readonly log: { readonly message: string; readonly details?: Record<string, unknown> } };

const operations: ReadonlyMap<string, UncheckedOperation> = new Map([
  ["compare-pdfs", hostedComparePdfs],
  ["compress-pdf", hostedCompressPdf],
  ["count-content", hostedCountContent],
  ["extract-pdfs", hostedExtractPdfs],
  ["flatten-transparency", hostedFlattenTransparency],
  ["image-to-pdf", hostedImageToPdf],
  ["limit-images", hostedLimitImages],
  ["linearize-pdf", hostedLinearizePdf],
  ["look-at-pdf", hostedLookAtPdf],
  ["merge-pdfs", hostedMergePdfs],
  ["picture-pages", hostedPicturePages],
  ["rasterize-pdf", hostedRasterizePdf],
  ["repair-pdfa", hostedRepairPdfa],
  ["replace-contents", hostedReplaceContents],
  ["replace-pdfs", hostedReplacePdfs],
  ["split-pdf", hostedSplitPdf],
]);

/**
 * Delay before deferred work, which makes the next job faster. The job that ended may be part of one that continues.
 */
const REST_MS = 20;
/** Maximum number of unread frames. Frames are 1 MiB at most. */
const FRAMES_AHEAD = 8;

const port = parentPort!;
let ahead = 0;
let wake: (() => void) | undefined;
let rest: NodeJS.Timeout | undefined;

port.on("message", (message: ToThread) => {
  if ("taken" in message) {
    ahead--;
    wake?.();
  } else {
    void carryOut(message.job);
  }
});
send({ ready: true, thread: Number(basename(readlinkSync("/proc/thread-self"))) });

async function carryOut(job: ThreadJob): Promise<void> {
  ahead = 0;
  clearTimeout(rest);
  const deferred: (() => Promise<void>)[] = [];
  const context: Context = {
    // A job is ended by ending its thread: an engine at work checks no signal.
    signal: new AbortController().signal,
    heapLimitBytes: job.heapLimitBytes,
    defer: (work) => deferred.push(work),
    log: (message, details) => send({ log: { message, ...(details ? { details } : {}) } }),
  };
  const inputs = job.inputs.map(({ name, size, path }) => fileInput(name, size, path));
  const outputs = reporting(job.notices ?? [], operations.get(job.operation)!(inputs, job.params, context));
  for await (const frame of encodeAnswer(outputs, (error) => context.log("failed", describeError(error)))) {
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
    // The next job may have started, and must not fail with this work.
    for (const work of deferred) await work().catch((error) => context.log("not deferred", describeError(error)));
  }, REST_MS);
}

async function* reporting(before: readonly Notice[], outputs: AsyncIterable<Output>): AsyncGenerator<Output> {
  let earlier = before;
  for await (const output of outputs) {
    const untold = earlier;
    earlier = [];
    yield untold.length === 0 ? output : { ...output, notices: () => [...untold, ...(output.notices?.() ?? [])] };
  }
}

function send(message: FromThread): void {
  port.postMessage(message);
}
