// A PDF in the order in which a web browser wants it (ISO 32000-1, Annex F), one output. Nothing else about it changes.
import { contains } from "../engines/contains.ts";
import { MupdfDocument } from "../engines/mupdf-document.ts";
import { takeMupdf } from "../engines/mupdf-spare.ts";
import { QPDF_PATHS, type QpdfRun, runQpdf } from "../engines/qpdf.ts";
import { mergePdfs } from "./merge-pdfs.ts";
import { type Context, EngineFailure, type Input, type Operation } from "./operation.ts";
import { SignatureFinder } from "./signature-finder.ts";

/** qpdf's manual, "Exit Status". */
const STATUS = { done: 0, failed: 2, doneWithWarnings: 3 };
const EVERY_PAGE = { text: "1-last", items: [{ first: 1, last: "last" }] } as const;

/**
 * An owner password alone does not hinder, and still protects the output.
 * @throws EngineFailure `password-protected`, `signed`, `damaged`, or what {@link runQpdf} throws
 */
export const linearizePdf: Operation<Record<string, never>> = async function* (inputs, _params, context) {
  for (const input of inputs) yield await linearize(input, context);
};

async function linearize(input: Input, context: Context) {
  const bytes = await input.bytes();
  // The bytes that a signature covers are told by their places in the file, so its dictionary lies in no compressed object
  // (ISO 32000-1, 12.8.1): without this name a file has none. With it, it may be one of an earlier revision.
  const mayBeSigned = contains(bytes, "ByteRange");
  if (mayBeSigned && (await isSigned(bytes, context))) {
    throw new EngineFailure("signed", "linearizing would break a signature");
  }
  let run = inOrder(bytes, context);
  const flaws = run.status === STATUS.failed ? run.messages : flawsOf(run, context);
  if (flaws !== "") {
    const { encrypted } = await explain(bytes, context);
    // What is repaired is a new document: neither its signature nor its restrictions would be there any more.
    if (!mayBeSigned && !encrypted) {
      const repaired = await repair(input, context);
      context.log("repaired", { said: flaws });
      run = inOrder(repaired, { ...context, heapLimitBytes: context.heapLimitBytes - repaired.length });
    } else if (run.status === STATUS.failed) throw new EngineFailure("damaged", flaws);
  }
  succeeded(run);
  const said = run.messages ? { said: run.messages } : {};
  context.log("linearized", { heapBytes: run.heapBytes, fuel: run.fuelUsed, ...said });
  return { extension: "pdf", type: "application/pdf", body: released(run.output) };
}

function inOrder(input: Uint8Array, { heapLimitBytes }: Context): QpdfRun {
  // This version of qpdf writes an encrypted file in the clear when streams are to be preserved; otherwise it compresses those
  // that are not compressed, which costs much.
  const streams = contains(input, "Encrypt") ? "--decode-level=none" : "--stream-data=preserve";
  const { input: from, output: to } = QPDF_PATHS;
  return runQpdf(["--no-warn", "--linearize", streams, from, to], { input, heapLimitBytes });
}

/**
 * Where qpdf had to warn of the source, the fault may still be there.
 * @returns what it says of what it has made, empty for nothing
 */
function flawsOf({ status, output }: QpdfRun, { heapLimitBytes }: Context): string {
  if (status !== STATUS.doneWithWarnings) return "";
  const input = Buffer.concat(output);
  const options = ["--check-linearization", QPDF_PATHS.input];
  const check = runQpdf(options, { input, heapLimitBytes: heapLimitBytes - input.length });
  return check.status === STATUS.done ? "" : check.messages || "it has errors";
}

async function isSigned(input: Uint8Array, context: Context): Promise<boolean> {
  const finder = new SignatureFinder();
  const print = (chunk: Uint8Array) => finder.add(chunk);
  const options = ["--no-warn", "--json=2", "--json-key=qpdf", "--json-stream-data=none", QPDF_PATHS.input];
  const run = runQpdf(options, { input, heapLimitBytes: context.heapLimitBytes, print });
  if (run.status === STATUS.failed) await explain(input, context);
  succeeded(run);
  return finder.found;
}

function succeeded({ status, messages }: QpdfRun): void {
  if (status === STATUS.done || status === STATUS.doneWithWarnings) return;
  throw new EngineFailure(status === STATUS.failed ? "damaged" : "crashed", messages);
}

/**
 * qpdf does not tell in what it failed; MuPDF does, as in all other operations.
 * @throws EngineFailure unless MuPDF can open it
 */
async function explain(bytes: Uint8Array, { heapLimitBytes }: Context): Promise<{ encrypted: boolean }> {
  const engine = await takeMupdf({ heapLimitBytes });
  const document = MupdfDocument.open(engine, bytes, { heapLimitBytes });
  const encrypted = document.isEncrypted;
  document.close();
  return { encrypted };
}

/** qpdf as WebAssembly repairs nothing: its library was built without the exceptions that repairing needs. */
async function repair(input: Input, context: Context): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const { body } of mergePdfs([input], { pages: [EVERY_PAGE] }, context)) {
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      chunks.push(chunk.slice());
      size += chunk.length;
    }
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of released(chunks)) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Forgets each chunk once it has been read, so that memory goes down while the output is stored. */
function* released(chunks: Uint8Array[]): Generator<Uint8Array> {
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk;
}
