// A job with its right response: the request, for every carrier, and the check of the response.

import { PDFDocument } from "pdf-lib";

export type Engine = "html" | "office" | "postscript" | "pdfa" | "rewrite" | "threads" | "edge";

export interface SampleFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Form field of the file over HTTP. @default "file" */
  readonly field?: string;
}

export interface Sample {
  readonly name: string;
  readonly engine: Engine;
  readonly files: readonly SampleFile[];
  /** Endpoint path and form fields over HTTP. */
  readonly path: string;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  /** Operation and parameters in the container; absent if the job runs only in the Worker. */
  readonly operation?: string;
  readonly params?: unknown;
  /** Correct statuses. Outputs are checked if the status is 200. @default only 200 */
  readonly statuses?: readonly number[];
  /** @returns the defect of the outputs, or undefined */
  check(outputs: readonly Uint8Array[]): Promise<string | undefined>;
}

export interface Answer {
  /** 0 if there was no response: the connection broke, or nothing arrived in time. */
  readonly status: number;
  /** The reported error, or the reason why there was no response. */
  readonly detail: string;
  readonly outputs: readonly Uint8Array[];
  /** IDs of the files that are now stored. */
  readonly ids: readonly string[];
  /** True if the response has Retry-After. */
  readonly retryAfter: boolean;
}

/** Sends jobs to a service. */
export interface Carrier {
  /** Sends one job and never rejects. @param timeoutMs time after which the job is abandoned */
  send(sample: Sample, timeoutMs: number): Promise<Answer>;
}

/** The container's time limit for a job of each engine. */
export const LIMIT_MS: Readonly<Record<Engine, number>> = {
  html: 120_000,
  office: 120_000,
  postscript: 120_000,
  pdfa: 280_000,
  rewrite: 280_000,
  threads: 280_000,
  edge: 280_000,
};

/** @returns the defect of a response, or undefined */
export async function complaintOf(sample: Sample, answer: Answer): Promise<string | undefined> {
  const { statuses = [200] } = sample;
  if (!statuses.includes(answer.status)) return `${sample.engine} ${describe(answer)}`;
  if (answer.status !== 200)
    return answer.detail === "" ? `${sample.engine} ${answer.status} without a reason` : undefined;
  const wrong = await sample.check(answer.outputs).catch((error: unknown) => `unreadable output: ${error}`);
  return wrong === undefined ? undefined : `${sample.name}: ${wrong}`;
}

/**
 * Reports whether a failure is attributed to the service and not to the document. A job that was hit twice can fail
 * this way.
 */
export const isCleanFailure = ({ status }: Answer): boolean => status === 500 || status === 503;

export const isBusy = ({ status, retryAfter }: Answer): boolean => status === 503 && retryAfter;

function describe({ status, detail, retryAfter }: Answer): string {
  if (status === 0) return detail;
  return `${status}${status === 503 && !retryAfter ? " without Retry-After" : ""} ${detail}`.trim();
}

/** Expects one PDF with the given number of pages. */
export function pdfWith(pageCount: number): Sample["check"] {
  return async (outputs) => {
    const [count] = await pageCounts(outputs);
    return outputs.length === 1 && count === pageCount ? undefined : `${count} pages in place of ${pageCount}`;
  };
}

/** Expects the given number of PDFs with one page each. */
export function singlePages(fileCount: number): Sample["check"] {
  return async (outputs) => {
    const counts = await pageCounts(outputs);
    const isRight = counts.length === fileCount && counts.every((count) => count === 1);
    return isRight ? undefined : `files of ${counts} pages in place of ${fileCount} of one`;
  };
}

/**
 * Expects as many pages as the first response had. For real documents: the first response comes from a healthy service.
 */
export function samePagesAsFirst(): Sample["check"] {
  let first: number | undefined;
  return async (outputs) => {
    const [count] = await pageCounts(outputs);
    first ??= count;
    return outputs.length === 1 && count === first ? undefined : `${count} pages in place of ${first}`;
  };
}

async function pageCounts(outputs: readonly Uint8Array[]): Promise<number[]> {
  const counts: number[] = [];
  for (const bytes of outputs) {
    const document = await PDFDocument.load(bytes, { updateMetadata: false });
    counts.push(document.getPageCount());
  }
  return counts;
}

/** Expects images of one size, read from their first bytes. */
export function pictures(fileCount: number, width: number, height: number): Sample["check"] {
  return async (outputs) => {
    const sizes = outputs.map((bytes) => sizeOf(Buffer.from(bytes)).join("x"));
    const isRight = sizes.length === fileCount && sizes.every((size) => size === `${width}x${height}`);
    return isRight ? undefined : `pictures of ${sizes} in place of ${fileCount} of ${width}x${height}`;
  };
}

/** Reads the size of a PNG, GIF, BMP, JPEG (first frame) or TIFF (tags ImageWidth and ImageLength). */
function sizeOf(file: Buffer): readonly [number, number] {
  if (file.toString("latin1", 1, 4) === "PNG") return [file.readUInt32BE(16), file.readUInt32BE(20)];
  if (file.toString("latin1", 0, 3) === "GIF") return [file.readUInt16LE(6), file.readUInt16LE(8)];
  if (file.toString("latin1", 0, 2) === "BM") return [file.readInt32LE(18), Math.abs(file.readInt32LE(22))];
  if (file.toString("latin1", 0, 2) === "II") return [tiffTag(file, 256), tiffTag(file, 257)];
  for (let at = 2; at + 9 < file.length && file[at] === 0xff; at += 2 + file.readUInt16BE(at + 2)) {
    // SOF0 to SOF2 (ITU-T T.81, B.2.2).
    if (file[at + 1]! >= 0xc0 && file[at + 1]! <= 0xc2) return [file.readUInt16BE(at + 7), file.readUInt16BE(at + 5)];
  }
  return [0, 0];
}

function tiffTag(file: Buffer, tag: number): number {
  const directory = file.readUInt32LE(4);
  for (let entry = 0; entry < file.readUInt16LE(directory); entry++) {
    const at = directory + 2 + 12 * entry;
    // The type SHORT has the number 3 (TIFF 6.0, section 2).
    if (file.readUInt16LE(at) === tag)
      return file.readUInt16LE(at + 2) === 3 ? file.readUInt16LE(at + 8) : file.readUInt32LE(at + 8);
  }
  return 0;
}

/**
 * Expects an archive with the given number of files, read from the end of its central directory (APPNOTE.TXT 4.3.16).
 */
export function archiveOf(fileCount: number): Sample["check"] {
  return async ([bytes, ...others]) => {
    const archive = Buffer.from(bytes ?? []);
    const end = archive.lastIndexOf("PK\x05\x06", undefined, "latin1");
    const count = end < 0 ? -1 : archive.readUInt16LE(end + 10);
    return others.length === 0 && count === fileCount
      ? undefined
      : `an archive of ${count} files in place of ${fileCount}`;
  };
}

/** Expects one file with exactly this text. */
export function textOf(expected: string): Sample["check"] {
  return async ([bytes]) => (Buffer.from(bytes ?? []).toString() === expected ? undefined : "another text");
}
