// A job with its right answer: what is sent, by whichever way, and how the answer is judged.

import { PDFDocument } from "pdf-lib";

export type Engine = "html" | "office" | "postscript" | "pdfa" | "rewrite" | "threads" | "edge";

export interface SampleFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Over HTTP. @default "file" */
  readonly field?: string;
}

export interface Sample {
  readonly name: string;
  readonly engine: Engine;
  readonly files: readonly SampleFile[];
  /** How it is asked for over HTTP. */
  readonly path: string;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  /** How the container is asked for it; absent where only the Worker carries it out. */
  readonly operation?: string;
  readonly params?: unknown;
  /** Right answers; outputs are looked at where it is 200. @default 200 alone */
  readonly statuses?: readonly number[];
  /** @returns what is wrong with the outputs, or nothing */
  check(outputs: readonly Uint8Array[]): Promise<string | undefined>;
}

export interface Answer {
  /** 0 where there was none: the connection broke, or nothing came in time. */
  readonly status: number;
  /** The error that was told, or why there was no answer. */
  readonly detail: string;
  readonly outputs: readonly Uint8Array[];
  /** Of what is stored now. */
  readonly ids: readonly string[];
  /** Whether it says when to come again. */
  readonly retryAfter: boolean;
}

/** Sends jobs to a service, in whatever way. */
export interface Carrier {
  /** Never rejects. @param timeoutMs the job is left then */
  send(sample: Sample, timeoutMs: number): Promise<Answer>;
}

/** How long the container lets a job of each engine work. */
export const LIMIT_MS: Readonly<Record<Engine, number>> = {
  html: 120_000,
  office: 120_000,
  postscript: 120_000,
  pdfa: 280_000,
  rewrite: 280_000,
  threads: 280_000,
  edge: 280_000,
};

/** @returns what is wrong with an answer, or nothing */
export async function complaintOf(sample: Sample, answer: Answer): Promise<string | undefined> {
  const { statuses = [200] } = sample;
  if (!statuses.includes(answer.status)) return `${sample.engine} ${describe(answer)}`;
  if (answer.status !== 200)
    return answer.detail === "" ? `${sample.engine} ${answer.status} without a reason` : undefined;
  const wrong = await sample.check(answer.outputs).catch((error: unknown) => `unreadable output: ${error}`);
  return wrong === undefined ? undefined : `${sample.name}: ${wrong}`;
}

/** Whether a failure is told as one of the service, and not of the document: what a job that was hit twice may get. */
export const isCleanFailure = ({ status }: Answer): boolean => status === 500 || status === 503;

export const isBusy = ({ status, retryAfter }: Answer): boolean => status === 503 && retryAfter;

function describe({ status, detail, retryAfter }: Answer): string {
  if (status === 0) return detail;
  return `${status}${status === 503 && !retryAfter ? " without Retry-After" : ""} ${detail}`.trim();
}

/** One PDF with so many pages. */
export function pdfWith(pageCount: number): Sample["check"] {
  return async (outputs) => {
    const [count] = await pageCounts(outputs);
    return outputs.length === 1 && count === pageCount ? undefined : `${count} pages in place of ${pageCount}`;
  };
}

/** So many PDFs of one page each. */
export function singlePages(fileCount: number): Sample["check"] {
  return async (outputs) => {
    const counts = await pageCounts(outputs);
    const isRight = counts.length === fileCount && counts.every((count) => count === 1);
    return isRight ? undefined : `files of ${counts} pages in place of ${fileCount} of one`;
  };
}

/** As many pages as the first answer had. For real documents: the first comes from a service that is whole. */
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

/** Pictures of one size, which their first bytes tell. */
export function pictures(fileCount: number, width: number, height: number): Sample["check"] {
  return async (outputs) => {
    const sizes = outputs.map((bytes) => sizeOf(Buffer.from(bytes)).join("x"));
    const isRight = sizes.length === fileCount && sizes.every((size) => size === `${width}x${height}`);
    return isRight ? undefined : `pictures of ${sizes} in place of ${fileCount} of ${width}x${height}`;
  };
}

/** PNG, GIF, BMP, and JPEG by its first frame; TIFF by the tags ImageWidth and ImageLength. */
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
    // The type SHORT is 3 (TIFF 6.0, section 2).
    if (file.readUInt16LE(at) === tag)
      return file.readUInt16LE(at + 2) === 3 ? file.readUInt16LE(at + 8) : file.readUInt32LE(at + 8);
  }
  return 0;
}

/** An archive of so many files, by the end of its central directory (APPNOTE.TXT 4.3.16). */
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

/** One file with exactly this text. */
export function textOf(expected: string): Sample["check"] {
  return async ([bytes]) => (Buffer.from(bytes ?? []).toString() === expected ? undefined : "another text");
}
