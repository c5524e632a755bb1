// Finds the service's internal names in an output: paths of its scratch folders, names of files in these folders, and
// the origin under which the service serves HTML to the browser.
import { spawnSync } from "node:child_process";
import { inflateSync } from "node:zlib";
import { unzipSync } from "fflate";

/**
 * Matches a scratch folder (container/scratch/scratch.ts), a file in such a folder, or the origin of an uploaded page.
 */
const OURS =
  /\/dev\/shm\/|pagewright-\d+-\w+|\b(?:office|job|postscript|rewrite|profile|chromium)-\w{6}\/|(?<![\w-])(?:input\.(?:docx?|xlsx?|pptx?|rtf|html?|csv|xml)|(?:result|output)\.pdf)(?!\w)|document\.(?:invalid|localhost)/g;

/** Maximum number of pages whose text is searched. Fields that print a path are in headings or on the first pages. */
const READ_PAGES = 50;
/**
 * Time limit for poppler, many times what a valid document takes. A hostile document can exceed it: its text is not
 * searched then.
 */
const READ_MS = 20_000;

/** @throws Error that names the scratch paths in an output */
export function rejectScratchPaths(output: Uint8Array): void {
  const found = scratchPathsIn(output);
  if (found.length > 0) throw new Error(`The output contains what is the service's own: ${found.join(", ")}`);
}

/**
 * Returns the scratch paths in an output: in its bytes, in the streams of a PDF and the text of its pages, and in the
 * files of an archive.
 */
export function scratchPathsIn(output: Uint8Array): string[] {
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  const found = new Set(matchesIn(bytes));
  if (bytes.subarray(0, 1024).includes("%PDF-")) {
    for (const stream of inflatedStreams(bytes)) for (const match of matchesIn(stream)) found.add(match);
    for (const match of matchesIn(pageText(bytes))) found.add(match);
  }
  if (bytes.subarray(0, 4).toString("latin1") === "PK\x03\x04") {
    for (const file of filesOf(bytes)) for (const match of scratchPathsIn(file)) found.add(match);
  }
  return [...found];
}

function filesOf(archive: Uint8Array): Uint8Array[] {
  try {
    return Object.values(unzipSync(archive));
  } catch {
    return []; // The archive is incomplete: the output is part of a download.
  }
}

function matchesIn(bytes: Buffer): string[] {
  const text = bytes.toString("latin1");
  // Text in a PDF can be UTF-16.
  const narrow = text.includes("\0") ? text.replaceAll("\0", "") : text;
  return [...(text.match(OURS) ?? []), ...(narrow === text ? [] : (narrow.match(OURS) ?? []))];
}

function* inflatedStreams(pdf: Buffer): Generator<Buffer> {
  for (let at = pdf.indexOf("stream"); at >= 0; at = pdf.indexOf("stream", at + 6)) {
    const start = at + (pdf[at + 6] === 0x0d ? 8 : 7);
    // First byte of nearly every zlib stream (RFC 1950, 2.2): deflate with a window of 32 KiB.
    if (pdf[start] !== 0x78) continue;
    const end = pdf.indexOf("endstream", start);
    const inflated = inflate(pdf.subarray(start, end < 0 ? pdf.length : end));
    if (inflated !== undefined) yield inflated;
  }
}

function inflate(compressed: Buffer): Buffer | undefined {
  try {
    return inflateSync(compressed, { maxOutputLength: 2 ** 26 });
  } catch {
    return undefined; // The stream is damaged, encrypted, or larger than any text.
  }
}

function pageText(pdf: Buffer): Buffer {
  const options = { input: pdf, maxBuffer: 2 ** 28, timeout: READ_MS };
  return spawnSync("pdftotext", ["-l", String(READ_PAGES), "-", "-"], options).stdout ?? Buffer.alloc(0);
}
