// Defines operations that run only in the container, with native engines.

import type { OperationDeclaration } from "../../src/document/contract/operation.ts";
import type { EngineName } from "../engine-selection.ts";
import type { Chromium } from "../engines/chromium/chromium.ts";
import type { Ghostscript } from "../engines/ghostscript/ghostscript.ts";
import type { PdfRewriter } from "../engines/ghostscript/pdf.ts";
import type { LibreOffice } from "../engines/libreoffice/libreoffice.ts";
import type { Mustang } from "../engines/mustang/mustang.ts";
import type { Poppler } from "../engines/poppler/poppler.ts";
import type { Tesseract } from "../engines/tesseract/tesseract.ts";
import type { VeraPdf } from "../engines/verapdf/verapdf.ts";
import type { WebFiles } from "../engines/web/web-files.ts";
import type { WebPosts } from "../engines/web/web-posts.ts";
import type { JobThreads } from "../processes/thread-job.ts";
import type { FileInput } from "../scratch/file-input.ts";

export interface NativeJob {
  readonly inputs: readonly FileInput[];
  /** The client, if its ID certainly stands for one client only. @default unknown */
  readonly oneClient?: string | undefined;
  /** The job's own folder, which is deleted when the job ends. */
  readonly folder: string;
  /** Aborted when the client disconnects, the time limit is reached, or the service shuts down. */
  readonly signal: AbortSignal;
  /** Releases the job's permit during `work`, which can take long and does not need the permit. */
  withoutPermit<T>(work: () => Promise<T>): Promise<T>;
  log(message: string, details?: Record<string, unknown>): void;
}

/** The engines of the service. */
export interface Engines {
  readonly chromium: Engine<Chromium>;
  readonly ghostscript: Engine<Ghostscript>;
  readonly office: Engine<LibreOffice>;
  readonly verapdf: Engine<VeraPdf>;
  readonly rewriter: PdfRewriter;
  readonly mustang: Mustang;
  readonly poppler: Poppler;
  readonly tesseract: Tesseract;
  readonly threads: JobThreads;
  readonly web: WebFiles;
  readonly posts: WebPosts;
  /** Maximum heap of an engine in a thread. */
  readonly heapLimitBytes: number;
}

interface Engine<E> {
  /**
   * Waits until the engine runs.
   * @throws EngineFailure `busy` if the engine cannot be started
   */
  ready(signal: AbortSignal): Promise<E>;
}

/** Properties of an operation. */
interface NativeRequirements {
  /** Engine that the operation needs. Without it, the operation is not offered. */
  readonly engine: EngineName;
  /** False if a successful job does not show that the engine works. @default true */
  readonly countsAsProbe?: boolean;
  /** Time limit of a job, without its time in the queue. */
  readonly timeoutMs: number;
  /**
   * True if the operation writes only its inputs to the job's folder. The folder can then be in memory. @default false
   */
  readonly onlyInputs?: boolean;
}

export interface NativeOperation extends NativeRequirements {
  readonly name: string;
  /**
   * Checks the parameters and runs a job.
   * @returns the frames of the response
   * @throws ZodError if the parameters do not match the schema; the client receives it as `crashed`
   */
  run(job: NativeJob, params: unknown, engines: Engines): AsyncIterable<Uint8Array>;
}

/** @param run returns the frames of the response */
export function nativeOperation<P>(
  { name, params: schema }: OperationDeclaration<P>,
  needs: NativeRequirements,
  run: (job: NativeJob, params: P, engines: Engines) => AsyncIterable<Uint8Array>,
): NativeOperation {
  return {
    name,
    ...needs,
    async *run(job, params, engines) {
      yield* run(job, schema.parse(params), engines);
    },
  };
}
