// Opens a PDF within the memory limits of a job, and removes what a modified copy cannot keep, such as signatures.
// Operations that read or change the objects of a PDF start here.

import { EngineFailure } from "../contract/failure.ts";
import type { Notice } from "../contract/notice.ts";
import type { Context, Output, Run } from "../contract/operation.ts";
import type { Passwords } from "../engines/mupdf/document.ts";
import type { Mupdf } from "../engines/mupdf/instance/mupdf.ts";
import { acquireMupdf, prepareSpare } from "../engines/mupdf/instance/spare.ts";
import { Budget } from "../objects/budget.ts";
import { MupdfSource } from "../objects/engine/mupdf-source.ts";
import { type MemoryLimits, memoryLimitsOf } from "../objects/memory-limits.ts";
import { hasKnownAlgorithms } from "../objects/parsing/crypt-filters.ts";
import { PdfFile } from "../objects/pdf-file.ts";
import { writeFile } from "../objects/writer.ts";
import { isClassic } from "./claims.ts";
import { unprotect } from "./unprotect.ts";

export interface OpenOptions {
  /** A budget shared with another file. @default a separate budget */
  readonly budget?: Budget;
  /** Fraction of the memory for objects, if the document has a separate budget. @default 1 */
  readonly objectShare?: number;
  /** Fraction of the memory for engines. @default 1 */
  readonly engineShare?: number;
  /** An engine with this memory limit, to be reused. @default a new engine */
  readonly engine?: Mupdf | undefined;
  /** @default the empty password */
  readonly passwords?: Passwords | undefined;
  /**
   * True to open a document whose password is unknown, too. Its strings and streams stay encrypted. @default false
   */
  readonly withoutKey?: boolean;
  /** True to read all objects several times. Objects that are cheap to read are then not cached. @default false */
  readonly inPasses?: boolean;
  /**
   * True to leave signatures, and attachments that cannot be decrypted, in the document until
   * {@link OpenPdf.unprotect} is called. @default false
   */
  readonly asIs?: boolean;
}

/** An open PDF. Disposing of it closes its engine. */
export class OpenPdf implements Disposable {
  readonly bytes: Uint8Array;
  /** Memory of the whole job. */
  readonly memory: MemoryLimits;
  readonly budget: Budget;
  readonly source: MupdfSource;
  readonly file: PdfFile;
  /** Notices of what a copy of the document loses. Operations add further notices. */
  readonly notices: Notice[] = [];

  constructor(bytes: Uint8Array, memory: MemoryLimits, source: MupdfSource, budget: Budget, inPasses: boolean) {
    this.bytes = bytes;
    this.memory = memory;
    this.budget = budget;
    this.source = source;
    this.file = inPasses ? PdfFile.inPasses(source, budget) : PdfFile.of(source, budget);
  }

  /** Removes what a modified copy cannot keep. Must be called before any object is read. */
  unprotect(): void {
    this.notices.push(...unprotect(this.file, this.source, this.bytes));
  }

  /** Memory, and the damage that the engine reported, for the log. */
  get usage() {
    const { reported, heapBytes } = this.source;
    return { heapBytes, objectBytes: this.budget.usedBytes, ...(reported > 0 ? { reported } : {}) };
  }

  [Symbol.dispose](): void {
    this.source.close();
  }
}

/** @throws EngineFailure `password-protected`, or the failure that the document or the engine caused */
export async function openPdf(
  bytes: Uint8Array,
  { heapLimitBytes, defer }: Pick<Context, "heapLimitBytes"> & Partial<Pick<Context, "defer">>,
  options: OpenOptions = {},
): Promise<OpenPdf> {
  const memory = memoryLimitsOf(heapLimitBytes);
  const { objectShare = 1, engineShare = 1, budget = new Budget(memory.objectBytes * objectShare) } = options;
  const limits = { heapLimitBytes: Math.floor(memory.engineBytes * engineShare) };
  if (!options.engine) defer?.(() => prepareSpare(limits));
  const engine = options.engine ?? (await acquireMupdf(limits));
  const source = await MupdfSource.open(bytes, limits.heapLimitBytes, budget, { ...options, engine });
  try {
    const pdf = new OpenPdf(bytes, memory, source, budget, options.inPasses ?? false);
    const encryption = source.encryption();
    if (encryption && !hasKnownAlgorithms(encryption, pdf.file)) {
      throw new EngineFailure("damaged", "its encryption dictionary is wrong");
    }
    if (!options.asIs) pdf.unprotect();
    return pdf;
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Returns a PDF as the output of an operation. */
export const pdfOutput = (body: Output["body"], notices: readonly Notice[] = []): Output => ({
  ...{ extension: "pdf", type: "application/pdf", body },
  notices: () => notices,
});

/**
 * Returns the `run` function of an operation that changes one PDF.
 *
 * @example
 * const run = pdfToPdf<RotateParams>(async ({ file, notices }, { degrees }, context) => {
 *   for (const page of readPages(file).pages) rotate(file, page, degrees);
 * });
 */
export const pdfToPdf = <P>(
  change: (pdf: OpenPdf, params: P, context: ChangeContext) => Promise<void>,
  options?: OpenOptions,
): Run<P> =>
  async function* ([input, ...others], params, context) {
    using pdf = await openPdf(await input!.bytes(), context, options);
    await change(pdf, params, { ...context, others });
    yield pdfOutput(writeFile(pdf.file, undefined, { classic: isClassic(pdf.file) }), pdf.notices);
  };

interface ChangeContext extends Context {
  /** The inputs after the PDF. */
  readonly others: Parameters<Run<unknown>>[0];
}
