// Returns a PDF that an engine exported, after limiting its images as the client requested.

import { createReadStream, readFileSync } from "node:fs";
import type { Notice } from "../../src/document/contract/notice.ts";
import { type LimitImagesParams, limitImages, mayChange } from "../../src/operations/limit-images.ts";
import { encodeNotices } from "../../src/service/placement/remote.ts";
import { threadJob } from "../processes/thread-job.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import type { Engines, NativeJob } from "./native.ts";

/** A PDF that an engine made, and notices about its losses. */
interface Exported {
  readonly path: string;
  readonly size: number;
  readonly notices?: readonly Notice[];
}

/** Maximum size of a PDF that is sent as one frame. */
const AT_ONCE_BYTES = 2 ** 20;
const STRETCH_BYTES = 2 ** 20;
/** Overlap of consecutive chunks. At least the length of a searched text, so that no match is split. */
const OVERLAP_BYTES = 64;

/** Yields the frames of the response. */
export async function* limitedExport(
  { path, size, notices = [] }: Exported,
  images: LimitImagesParams,
  { signal, log }: Pick<NativeJob, "signal" | "log">,
  { threads, heapLimitBytes }: Pick<Engines, "threads" | "heapLimitBytes">,
): AsyncGenerator<Uint8Array> {
  const small = size <= AT_ONCE_BYTES ? readFileSync(path) : undefined;
  if (small ? mayChange(small, images) : await fileMayChange(path, images)) {
    const job = threadJob(limitImages, [{ name: "result.pdf", size, path }], images, heapLimitBytes);
    if (notices.length > 0) yield encodeNotices(notices);
    return yield* threads.run(job, signal, log);
  }
  const body = small ?? createReadStream(path);
  yield* encodeOutputs([{ extension: "pdf", type: "application/pdf", body, notices: () => notices }], log);
}

/** Equivalent to {@link mayChange}, for a file that might not fit into memory. */
async function fileMayChange(path: string, images: LimitImagesParams): Promise<boolean> {
  let before = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: STRETCH_BYTES })) {
    const stretch = Buffer.concat([before, chunk]);
    if (mayChange(stretch, images)) return true;
    before = stretch.subarray(-OVERLAP_BYTES);
  }
  return false;
}
