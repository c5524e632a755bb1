// Linearizes PDFs for web browsers (ISO 32000-1, Annex F). Yields one output per input.
import { contains } from "../document/contract/contains.ts";
import { EngineFailure } from "../document/contract/failure.ts";
import type { Notice } from "../document/contract/notice.ts";
import {
  type Context,
  defineOperation,
  type Input,
  memoryInput,
  type Run,
  stepOf,
} from "../document/contract/operation.ts";
import { QPDF_PATHS, type QpdfRun, runQpdf } from "../document/engines/qpdf/qpdf.ts";
import type { MupdfSource } from "../document/objects/engine/mupdf-source.ts";
import { writeFile } from "../document/objects/writer.ts";
import { isClassic } from "../document/pages/claims.ts";
import { type OpenPdf, openPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import { mayBeSigned } from "../document/pages/unprotect.ts";
import { readWhole, released } from "./in-memory.ts";
import { mergePdfs } from "./merge-pdfs.ts";
import { runInMemory } from "./steps.ts";

/** Exit status of qpdf (qpdf's manual, "Exit Status"). */
const STATUS = { done: 0, failed: 2, doneWithWarnings: 3 };
/** Name of the crypt filter that qpdf applies. */
const QPDF_FILTER = "StdCF";
/** PDF/A requires an end of line before `endstream` (ISO 19005-1, 6.1.7; -2, 6.1.7.1). */
const NEWLINE = "--newline-before-endstream";
const EVERY_PAGE = { text: "1-last", items: [{ first: 1, last: "last" }] } as const;

/**
 * Linearizes a PDF. An owner password does not prevent this, and still protects the output.
 * @throws EngineFailure `password-protected`, `damaged`, or the failures of {@link runQpdf}
 */
const run: Run<Record<string, never>> = async function* (inputs, _params, context) {
  for (const input of inputs) yield await linearize(input, context);
};

export const linearizePdf = defineOperation({ name: "linearize-pdf", parameters: {}, run });

async function linearize(input: Input, context: Context) {
  const original = await input.bytes();
  const { bytes, notices, isEncrypted, failure } = await prepared(original, context);
  let run = inOrder(bytes, context);
  const flaws = run.status === STATUS.failed ? run.messages : flawsOf(run, context);
  if (flaws !== "") {
    // qpdf does not report the cause of a failure, so MuPDF determines it, as in other operations.
    if (failure) throw failure;
    // Repair creates a new document, which would lose the restrictions.
    if (!isEncrypted) {
      const repaired = await repair(bytes, input, context, notices);
      context.log("document repaired");
      run = inOrder(repaired, { ...context, heapLimitBytes: context.heapLimitBytes - repaired.length });
    } else if (run.status === STATUS.failed) throw new EngineFailure("damaged", flaws);
  }
  succeeded(run);
  context.log("document linearized", { heapBytes: run.heapBytes, fuel: run.fuelUsed });
  return pdfOutput(released(run.output), notices);
}

interface Prepared {
  /** The document itself, or an unencrypted copy with a valid page tree and without signatures. */
  readonly bytes: Uint8Array;
  readonly notices: Notice[];
  readonly isEncrypted: boolean;
  /** The reason why MuPDF cannot read the document. qpdf might still read it. */
  readonly failure?: EngineFailure;
}

async function prepared(bytes: Uint8Array, context: Context): Promise<Prepared> {
  let pdf: OpenPdf | undefined;
  try {
    pdf = await openPdf(bytes, context);
    const { file, source, notices } = pdf;
    const { isEncrypted } = source;
    // Signatures and locked attachments require a copy; mere remains of them in earlier revisions do not. A new page
    // tree does not justify a copy of an encrypted document, because the copy would lose the restrictions.
    const losesParts = notices.some(({ code }) => code !== "protection-removed");
    const mustCopy = losesParts || hasOtherKeys(source) || (source.hasNewPageTree && !isEncrypted);
    if (!mustCopy) return { bytes, notices: [], isEncrypted };
    const copy = await readWhole(writeFile(file, undefined, { classic: isClassic(file) }));
    return { bytes: copy, notices, isEncrypted: false };
  } catch (error) {
    if (!(error instanceof EngineFailure) || mayBeSigned(bytes)) throw error;
    return { bytes, notices: [], isEncrypted: false, failure: error };
  } finally {
    pdf?.[Symbol.dispose]();
  }
}

/**
 * Reports whether qpdf would encrypt a stream differently: qpdf applies one crypt filter to everything except metadata.
 */
const hasOtherKeys = (source: MupdfSource) => [...source.otherCryptFilters()].some((name) => name !== QPDF_FILTER);

function inOrder(input: Uint8Array, { heapLimitBytes }: Context): QpdfRun {
  // With `--stream-data=preserve`, this version of qpdf writes an encrypted file unencrypted. Without it, qpdf
  // compresses uncompressed streams, which is slow.
  const streams = contains(input, "Encrypt") ? "--decode-level=none" : "--stream-data=preserve";
  const { input: from, output: to } = QPDF_PATHS;
  return runQpdf(["--no-warn", "--linearize", NEWLINE, streams, from, to], { input, heapLimitBytes });
}

/**
 * Checks the output if qpdf warned about the input, because the output can still have the same defect.
 * @returns qpdf's messages about the output; an empty string if there are none
 */
function flawsOf({ status, output }: QpdfRun, { heapLimitBytes }: Context): string {
  if (status !== STATUS.doneWithWarnings) return "";
  const input = Buffer.concat(output);
  const options = ["--check-linearization", QPDF_PATHS.input];
  const check = runQpdf(options, { input, heapLimitBytes: heapLimitBytes - input.length });
  return check.status === STATUS.done ? "" : check.messages || "it has errors";
}

function succeeded({ status, messages }: QpdfRun): void {
  if (status === STATUS.done || status === STATUS.doneWithWarnings) return;
  throw new EngineFailure(status === STATUS.failed ? "damaged" : "crashed", messages);
}

/**
 * Repairs a document for qpdf, whose WebAssembly library was built without the exceptions that its own repair needs.
 */
async function repair(bytes: Uint8Array, { name }: Input, context: Context, notices: Notice[]): Promise<Uint8Array> {
  const merge = stepOf(mergePdfs, { pages: [EVERY_PAGE] });
  const [repaired] = await runInMemory(merge, [memoryInput(bytes, name)], context, notices);
  return repaired!.bytes();
}
