// Builds the conversion context of a job from the container's threads and engines. Passes files by their paths in the
// job's folder.

import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import type { OperationDeclaration, Output } from "../../src/document/contract/operation.ts";
import type { ContentWork } from "../../src/document/pdfa/content/content-count.ts";
import type { PdfaLevel } from "../../src/document/pdfa/level.ts";
import { flattenTransparency } from "../../src/operations/flatten-transparency.ts";
import { type Comparison, comparePdfs } from "../../src/operations/pdfa-steps/compare-pdfs.ts";
import { countContent } from "../../src/operations/pdfa-steps/count-content.ts";
import { rasterizePages } from "../../src/operations/pdfa-steps/rasterize-pages.ts";
import { renderPdf } from "../../src/operations/pdfa-steps/render-pdf.ts";
import { replaceContents } from "../../src/operations/pdfa-steps/replace-contents.ts";
import { decodeResponse } from "../../src/service/placement/remote.ts";
import type { PdfRewriter } from "../engines/ghostscript/pdf.ts";
import type { Validation } from "../engines/verapdf/validation.ts";
import type { VeraPdf } from "../engines/verapdf/verapdf.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { type JobThreads, threadJob } from "../processes/thread-job.ts";
import { type FileInput, fileInput } from "../scratch/file-input.ts";
import { convertToLevel } from "./convert.ts";
import { drainOnReturn, readText, writeToFile } from "./outputs.ts";
import type { ConversionContext, GeneratedFile, RenderTask, Strategy } from "./strategy.ts";

/** The threads and engines to use. */
export interface ConversionEngines {
  readonly threads: JobThreads;
  readonly validator: Pick<VeraPdf, "validate">;
  readonly rewriter: PdfRewriter;
  /** Maximum size of the heap of a thread's engine. */
  readonly heapLimitBytes: number;
}

/** The parts of a job that the conversion context uses. */
export interface ConversionJob {
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Releases the job's permit during long work that does not need it. */
  withoutPermit<T>(work: () => Promise<T>): Promise<T>;
  log(message: string, details?: Record<string, unknown>): void;
}

/**
 * Time in which a thread can finish an assessment that is no longer needed, because replacing the thread would cost
 * more.
 */
const LOOKING_ENDS_MS = 200;

/** Maximum work of a light validation. Validations that need more time or memory run one at a time. */
const LIGHT: ContentWork = { ms: 2_000, bytes: 256 * 2 ** 20 };

/** Operations that change the objects on pages. */
const REDRAWING = new Set([flattenTransparency.name, rasterizePages.name, replaceContents.name]);

/** Validator failures that a document can cause. A candidate made from the document can be free of them. */
const UNREADABLE = new Set(["password-protected", "damaged", "too-complex"]);

export class JobConversionContext implements ConversionContext {
  readonly level: PdfaLevel;
  readonly #strategies: readonly Strategy[];
  readonly #engines: ConversionEngines;
  readonly #job: ConversionJob;
  readonly #depth: number;

  /** @param depth nesting depth of the document as an embedded file */
  constructor(
    level: PdfaLevel,
    strategies: readonly Strategy[],
    engines: ConversionEngines,
    job: ConversionJob,
    depth = 0,
  ) {
    this.level = level;
    this.#strategies = strategies;
    this.#engines = engines;
    this.#job = job;
    this.#depth = depth;
  }

  get signal(): AbortSignal {
    return this.#job.signal;
  }

  log(message: string, details?: Record<string, unknown>): void {
    this.#job.log(message, details);
  }

  async runOperation<P>(
    operation: OperationDeclaration<P>,
    inputs: readonly GeneratedFile[],
    params: NoInfer<P>,
  ): Promise<GeneratedFile> {
    let made: GeneratedFile | undefined;
    const before = inputs[0]?.notices ?? [];
    const isRedrawn = inputs[0]?.isRedrawn === true || REDRAWING.has(operation.name);
    for await (const { type, body, notices } of this.#start(operation, inputs, params)) {
      if (type !== "application/json") {
        made = await writeToFile(this.#newPath(), body, this.signal);
        made = { ...made, notices: [...before, ...(notices?.() ?? [])], isRedrawn };
      } else if (made) made = { ...made, work: JSON.parse(await readText(body)) };
    }
    if (!made) throw new EngineFailure("crashed", `${operation.name} gave nothing`);
    return made;
  }

  async extract<P>(
    operation: OperationDeclaration<P>,
    inputs: readonly FileInput[],
    params: NoInfer<P>,
    until = this.signal,
  ): Promise<readonly FileInput[]> {
    const made: FileInput[] = [];
    for await (const { body } of this.#start(operation, inputs, params, until)) {
      made.push(await writeToFile(this.#newPath(), body, until));
    }
    return made;
  }

  async convert(embedded: FileInput, timeoutMs: number): Promise<FileInput | undefined> {
    if (this.#depth >= CONTAINER_LIMITS.embeddedDepth) return undefined;
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(timeoutMs)]);
    const { folder, withoutPermit, log } = this.#job;
    const level = { part: this.level.part, conformance: "b" } as const;
    try {
      const job = { folder, withoutPermit, log, signal };
      const inner = new JobConversionContext(level, this.#strategies, this.#engines, job, this.#depth + 1);
      return (await convertToLevel(embedded, this.#strategies, inner)).document;
    } catch (error) {
      this.signal.throwIfAborted();
      this.log("embedded document not converted", { error: String(error) });
      return undefined;
    }
  }

  async rewrite(input: FileInput): Promise<FileInput> {
    const path = this.#newPath();
    const version = this.level.part === 1 ? "1.4" : "1.7";
    await this.#engines.rewriter.rewrite(input.path, path, { version }, this.signal);
    return fileInput("document.pdf", (await stat(path)).size, path);
  }

  async count(original: FileInput): Promise<ContentWork | undefined> {
    try {
      let work: ContentWork | undefined;
      for await (const { body } of this.#start(countContent, [original], {})) work = JSON.parse(await readText(body));
      return work;
    } catch (error) {
      this.signal.throwIfAborted();
      if (!(error instanceof EngineFailure) || error.reason === "too-much-content") throw error;
      // The strategies detect other faults of the document.
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
      // The estimate was too low. A candidate made from this file would time out too.
      if (error.reason === "too-large") throw new EngineFailure("too-much-content", error.detail, { cause: error });
      if (!UNREADABLE.has(error.reason)) throw error;
      this.log("candidate not validated", { error: String(error) });
      return undefined;
    }
  }

  render(original: FileInput): RenderTask {
    const ending = new AbortController();
    let isOver = false;
    const seen = this.#lookAt(original, AbortSignal.any([this.signal, ending.signal])).finally(() => {
      isOver = true;
    });
    const end = async () => {
      await Promise.race([seen, sleep(LOOKING_ENDS_MS, undefined, { ref: false })]);
      ending.abort();
    };
    return {
      seen,
      get isOver() {
        return isOver;
      },
      [Symbol.asyncDispose]: end,
    };
  }

  async compare(original: FileInput, candidate: GeneratedFile, looking: RenderTask | undefined): Promise<Comparison> {
    let text = "";
    const after = !looking || looking.isOver ? undefined : await this.#lookAt(candidate, this.signal);
    const before = await looking?.seen;
    const looks = before ? [before, ...(after ? [after] : [])] : [];
    const inputs = [original, candidate, ...looks];
    const params = {
      timeMs: CONTAINER_LIMITS.compareMs,
      isExact: candidate.isRedrawn !== true,
      substitutes: (candidate.notices ?? [])
        .filter(({ code }) => code === "fonts-substituted")
        .flatMap(({ subjects = [] }) => subjects),
    };
    for await (const { body } of this.#start(comparePdfs, inputs, params)) text = await readText(body);
    return JSON.parse(text);
  }

  /** @returns undefined if rendering fails: the comparison then fails in the same way, and reports it */
  #lookAt(input: FileInput, until: AbortSignal): Promise<FileInput | undefined> {
    return this.extract(renderPdf, [input], { timeMs: CONTAINER_LIMITS.lookMs }, until)
      .then(([made]) => made)
      .catch(() => undefined);
  }

  #start<P>(
    operation: OperationDeclaration<P>,
    inputs: readonly FileInput[],
    params: NoInfer<P>,
    until = this.signal,
  ): AsyncIterable<Output> {
    const { threads, heapLimitBytes } = this.#engines;
    const job = threadJob(operation, inputs, params, heapLimitBytes);
    return decodeResponse(drainOnReturn(threads.run(job, until, this.#job.log)), { signal: until });
  }

  #newPath(): string {
    return join(this.#job.folder, `made-${randomUUID()}.pdf`);
  }
}
