// Implements the conversion context of a job with the container's threads and engines. Passes files by their paths in
// the job's folder.

import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import type { OperationDeclaration } from "../../src/document/contract/operation.ts";
import type { PdfaLevel } from "../../src/document/pdfa/level.ts";
import { flattenTransparency } from "../../src/operations/flatten-transparency.ts";
import { type Comparison, comparePdfs } from "../../src/operations/pdfa-steps/compare-pdfs.ts";
import { rasterizePages } from "../../src/operations/pdfa-steps/rasterize-pages.ts";
import { renderPdf } from "../../src/operations/pdfa-steps/render-pdf.ts";
import { replaceContents } from "../../src/operations/pdfa-steps/replace-contents.ts";
import type { PdfRewriter } from "../engines/ghostscript/pdf.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { type FileInput, fileInput } from "../scratch/file-input.ts";
import { convertToLevel } from "./convert.ts";
import { type ConversionJob, JobValidator, type ValidationEngines } from "./job-validator.ts";
import { readText, writeToFile } from "./outputs.ts";
import type { ConversionContext, GeneratedFile, RenderTask, Strategy } from "./strategy.ts";

/**
 * Time in which a thread can finish an assessment that is no longer needed. Within this time, waiting is cheaper than
 * replacing the thread.
 */
const LOOKING_ENDS_MS = 200;

/** Operations that change the content of pages. */
const REDRAWING = new Set([flattenTransparency.name, rasterizePages.name, replaceContents.name]);

/** The threads and engines for a conversion. */
export interface ConversionEngines extends ValidationEngines {
  readonly rewriter: PdfRewriter;
}

export class JobConversionContext extends JobValidator<PdfaLevel> implements ConversionContext {
  readonly #strategies: readonly Strategy[];
  readonly #engines: ConversionEngines;
  readonly #job: ConversionJob;
  readonly #depth: number;

  /** @param depth nesting depth of the document: 0, or more for an embedded file */
  constructor(
    level: PdfaLevel,
    strategies: readonly Strategy[],
    engines: ConversionEngines,
    job: ConversionJob,
    depth = 0,
  ) {
    super(level, engines, job);
    this.#strategies = strategies;
    this.#engines = engines;
    this.#job = job;
    this.#depth = depth;
  }

  async runOperation<P>(
    operation: OperationDeclaration<P>,
    inputs: readonly GeneratedFile[],
    params: NoInfer<P>,
  ): Promise<GeneratedFile> {
    let made: GeneratedFile | undefined;
    const before = inputs[0]?.notices ?? [];
    const isRedrawn = inputs[0]?.isRedrawn === true || REDRAWING.has(operation.name);
    for await (const { type, body, notices } of this.start(operation, inputs, params)) {
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
    for await (const { body } of this.start(operation, inputs, params, until)) {
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
    for await (const { body } of this.start(comparePdfs, inputs, params)) text = await readText(body);
    return JSON.parse(text);
  }

  /** @returns undefined if rendering fails: the comparison then fails in the same way, and reports the failure */
  #lookAt(input: FileInput, until: AbortSignal): Promise<FileInput | undefined> {
    return this.extract(renderPdf, [input], { timeMs: CONTAINER_LIMITS.lookMs }, until)
      .then(([made]) => made)
      .catch(() => undefined);
  }

  #newPath(): string {
    return join(this.#job.folder, `made-${randomUUID()}.pdf`);
  }
}
