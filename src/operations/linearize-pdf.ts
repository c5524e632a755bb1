// Linearizes a PDF for web browsers (ISO 32000-1, Annex F). Yields one output. Nothing else in the document changes.
import { contains } from "../document/contract/contains.ts";
import { EngineFailure } from "../document/contract/failure.ts";
import type { Notice } from "../document/contract/notice.ts";
import { type Chunks, type Context, defineOperation, type Input, type Run } from "../document/contract/operation.ts";
import { acquireMupdf, prepareSpare } from "../document/engines/mupdf/instance/spare.ts";
import { QPDF_PATHS, type QpdfRun, runQpdf } from "../document/engines/qpdf/qpdf.ts";
import { Budget } from "../document/objects/budget.ts";
import { MupdfSource } from "../document/objects/engine/mupdf-source.ts";
import { memoryLimitsOf } from "../document/objects/memory-limits.ts";
import { PdfFile } from "../document/objects/pdf-file.ts";
import { writeFile } from "../document/objects/writer.ts";
import { isClassic } from "../document/pages/claims.ts";
import { mayBeSigned, unprotect } from "../document/pages/unprotect.ts";
import { memoryInput } from "./memory-input.ts";
import { mergePdfs } from "./merge-pdfs.ts";

/** Exit status of qpdf (qpdf's manual, "Exit Status"). */
const STATUS = { done: 0, failed: 2, doneWithWarnings: 3 };
/** Name of the crypt filter that qpdf applies. */
const QPDF_FILTER = "StdCF";
/** PDF/A requires the end of a line before `endstream` (ISO 19005-1, 6.1.7; -2, 6.1.7.1). */
const NEWLINE = "--newline-before-endstream";
const EVERY_PAGE = { text: "1-last", items: [{ first: 1, last: "last" }] } as const;

/**
 * Linearizes a PDF. An owner password alone does not prevent this, and still protects the output.
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
    // MuPDF finds the cause of a failure, as in all other operations. qpdf does not report it.
    if (failure) throw failure;
    // Repair creates a new document, which would lose the restrictions.
    if (!isEncrypted) {
      const repaired = await repair(bytes, input, context, notices);
      context.log("document repaired", { flaws });
      run = inOrder(repaired, { ...context, heapLimitBytes: context.heapLimitBytes - repaired.length });
    } else if (run.status === STATUS.failed) throw new EngineFailure("damaged", flaws);
  }
  succeeded(run);
  const messages = run.messages ? { messages: run.messages } : {};
  context.log("document linearized", { heapBytes: run.heapBytes, fuel: run.fuelUsed, ...messages });
  return { extension: "pdf", type: "application/pdf", body: released(run.output), notices: () => notices };
}

interface Prepared {
  /** The document itself, or a copy with a sound page tree and without signatures, which is not encrypted. */
  readonly bytes: Uint8Array;
  readonly notices: Notice[];
  readonly isEncrypted: boolean;
  /** The reason why MuPDF cannot read the document. qpdf may. */
  readonly failure?: EngineFailure;
}

async function prepared(bytes: Uint8Array, context: Context): Promise<Prepared> {
  const { engineBytes, objectBytes } = memoryLimitsOf(context.heapLimitBytes);
  const limits = { heapLimitBytes: engineBytes };
  const budget = new Budget(objectBytes);
  let source: MupdfSource | undefined;
  try {
    source = await MupdfSource.open(bytes, engineBytes, budget, await acquireMupdf(limits));
    const { isEncrypted } = source;
    const file = PdfFile.of(source, budget);
    const notices = unprotect(file, source, bytes);
    // Remains of an earlier revision do not count. The copy of an encrypted document would lose the restrictions.
    const losesParts = notices.some(({ code }) => code !== "protection-removed");
    const mustCopy = losesParts || hasOtherKeys(source) || (source.hasNewPageTree && !isEncrypted);
    if (!mustCopy) return { bytes, notices: [], isEncrypted };
    const copy = await joined(writeFile(file, undefined, { classic: isClassic(file) }));
    return { bytes: copy, notices, isEncrypted: false };
  } catch (error) {
    if (!(error instanceof EngineFailure) || mayBeSigned(bytes)) throw error;
    return { bytes, notices: [], isEncrypted: false, failure: error };
  } finally {
    source?.close();
    context.defer(() => prepareSpare(limits));
  }
}

/** Reports whether qpdf would encrypt a stream again: it applies one filter to everything but metadata. */
const hasOtherKeys = (source: MupdfSource) => [...source.otherCryptFilters()].some((name) => name !== QPDF_FILTER);

function inOrder(input: Uint8Array, { heapLimitBytes }: Context): QpdfRun {
  // This version of qpdf writes an encrypted file in the clear when streams are to be preserved; otherwise it
  // compresses uncompressed streams, which costs much time.
  const streams = contains(input, "Encrypt") ? "--decode-level=none" : "--stream-data=preserve";
  const { input: from, output: to } = QPDF_PATHS;
  return runQpdf(["--no-warn", "--linearize", NEWLINE, streams, from, to], { input, heapLimitBytes });
}

/**
 * Returns what qpdf reports about its own output. After a warning about the source, the fault may still be there.
 * @returns the messages, empty if there are none
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
 * Repairs a document for qpdf, whose WebAssembly build cannot: its library was built without the exceptions that
 * repairing needs.
 */
async function repair(bytes: Uint8Array, { name }: Input, context: Context, notices: Notice[]): Promise<Uint8Array> {
  let repaired = bytes;
  for await (const { body, notices: lost } of mergePdfs.run(
    [memoryInput(bytes, name)],
    { pages: [EVERY_PAGE] },
    context,
  )) {
    repaired = await joined(body instanceof Uint8Array ? [body] : body);
    notices.push(...(lost?.() ?? []));
  }
  return repaired;
}

async function joined(parts: Chunks): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of parts) {
    chunks.push(chunk.slice());
    size += chunk.length;
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of released(chunks)) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Releases each chunk once it has been read, so that memory is freed while the output is stored. */
function* released(chunks: Uint8Array[]): Generator<Uint8Array> {
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk;
}
