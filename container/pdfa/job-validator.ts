// Validates a job's files, with the container's threads and the validator.

import { EngineFailure } from "../../src/document/contract/failure.ts";
import type { OperationDeclaration, Output } from "../../src/document/contract/operation.ts";
import type { ContentWork } from "../../src/document/pdfa/content/content-count.ts";
import { countContent } from "../../src/operations/pdfa-steps/count-content.ts";
import { decodeResponse } from "../../src/service/placement/remote.ts";
import type { ValidatedLevel, Validation } from "../engines/verapdf/validation.ts";
import type { VeraPdf } from "../engines/verapdf/verapdf.ts";
import { type JobThreads, threadJob } from "../processes/thread-job.ts";
import type { FileInput } from "../scratch/file-input.ts";
import { drainOnReturn, readText } from "./outputs.ts";
import type { GeneratedFile } from "./strategy.ts";

export interface ValidationEngines {
  readonly threads: JobThreads;
  readonly validator: Pick<VeraPdf, "validate">;
  /** Maximum heap of an engine in a thread. */
  readonly heapLimitBytes: number;
}

/** The properties of a job that a conversion needs. */
export interface ConversionJob {
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Releases the job's permit during `work`, which can take long and does not need the permit. */
  withoutPermit<T>(work: () => Promise<T>): Promise<T>;
  log(message: string, details?: Record<string, unknown>): void;
}

/** Maximum work of a light validation. Validations that need more time or memory run one at a time. */
const LIGHT: ContentWork = { ms: 2_000, bytes: 256 * 2 ** 20 };

/** Failures of the validator that the document can cause. A candidate made from the document might not cause them. */
const UNREADABLE = new Set(["password-protected", "damaged", "too-complex"]);

export class JobValidator<L extends ValidatedLevel> {
  readonly level: L;
  readonly #engines: ValidationEngines;
  readonly #job: ConversionJob;

  constructor(level: L, engines: ValidationEngines, job: ConversionJob) {
    this.level = level;
    this.#engines = engines;
    this.#job = job;
  }

  get signal(): AbortSignal {
    return this.#job.signal;
  }

  log(message: string, details?: Record<string, unknown>): void {
    this.#job.log(message, details);
  }

  async count(original: FileInput): Promise<ContentWork | undefined> {
    try {
      let work: ContentWork | undefined;
      for await (const { body } of this.start(countContent, [original], {})) work = JSON.parse(await readText(body));
      return work;
    } catch (error) {
      this.signal.throwIfAborted();
      if (!(error instanceof EngineFailure) || error.reason === "too-much-content") throw error;
      // Undefined, because the strategies detect any other fault of the document.
      return undefined;
    }
  }

  async validate({ path, work }: GeneratedFile): Promise<Validation | undefined> {
    const isLight = work !== undefined && work.ms <= LIGHT.ms && work.bytes <= LIGHT.bytes;
    const weight = isLight ? "light" : "heavy";
    const validate = () => this.#engines.validator.validate(path, this.level, this.signal, weight);
    try {
      return await (isLight ? validate() : this.#job.withoutPermit(validate));
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      // The estimate was too low: the validator ran out of memory. Candidates made from this file would fail in the
      // same way.
      if (error.reason === "too-large") throw new EngineFailure("too-much-content", error.detail, { cause: error });
      if (!UNREADABLE.has(error.reason)) throw error;
      this.log("candidate not validated", { error: String(error) });
      return undefined;
    }
  }

  start<P>(
    operation: OperationDeclaration<P>,
    inputs: readonly FileInput[],
    params: NoInfer<P>,
    until = this.signal,
  ): AsyncIterable<Output> {
    const { threads, heapLimitBytes } = this.#engines;
    const job = threadJob(operation, inputs, params, heapLimitBytes);
    return decodeResponse(drainOnReturn(threads.run(job, until, this.#job.log)), { signal: until });
  }
}
