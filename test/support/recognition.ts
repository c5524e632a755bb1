// Opens the engines for text recognition for the tests of one file, and recognizes the text of documents.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { Tesseract } from "../../container/engines/tesseract/tesseract.ts";
import type { Engines } from "../../container/operations/native.ts";
import { nativeRecognizeText } from "../../container/operations/recognize-text.ts";
import { fileInput } from "../../container/scratch/file-input.ts";
import { Scratch } from "../../container/scratch/scratch.ts";
import { Threads } from "../../container/threads/threads.ts";
import type { Notice } from "../../src/document/contract/notice.ts";
import type { RecognizeTextParams } from "../../src/operations/recognize-text.ts";
import { decodeResponse } from "../../src/service/placement/remote.ts";
import { bytesOf } from "./operations.ts";

const PROCESSES = 2;
let engines: Engines;

/** Registers the hooks. Must be called once, at the top of a test file. */
export function openRecognition(): void {
  let scratch: Scratch;
  let threads: Threads;
  beforeAll(async () => {
    scratch = await Scratch.open();
    threads = new Threads({ size: PROCESSES, heapMiB: 512, log: () => {} });
    const tesseract = new Tesseract({ scratch, processes: PROCESSES });
    engines = { threads, tesseract, heapLimitBytes: 2 ** 30 } as unknown as Engines;
  });
  afterAll(async () => {
    await threads?.[Symbol.asyncDispose]();
    await scratch?.[Symbol.asyncDispose]();
  });
}

export interface Recognized {
  readonly bytes: Uint8Array;
  readonly notices: readonly Notice[];
  /** Lines of the log: messages with their details. */
  readonly logged: readonly (readonly [string, unknown])[];
}

/** @throws EngineFailure, OutOfRange the error of the operation */
export async function recognized(pdf: Uint8Array, params: Partial<RecognizeTextParams> = {}): Promise<Recognized> {
  const folder = await mkdtemp(join(tmpdir(), "recognition-"));
  try {
    const path = join(folder, "input.pdf");
    await writeFile(path, pdf);
    const { signal } = new AbortController();
    const logged: [string, unknown][] = [];
    const job = {
      ...{ inputs: [fileInput("input.pdf", pdf.length, path)], folder, signal },
      log: (message: string, details: unknown) => void logged.push([message, details]),
      withoutPermit: <T>(work: () => Promise<T>) => work(),
    };
    const frames = nativeRecognizeText.run(job, { languages: ["English"], ...params }, engines);
    for await (const output of decodeResponse(frames, { signal })) {
      return { bytes: await bytesOf(output), notices: output.notices?.() ?? [], logged };
    }
    throw new Error("no output");
  } finally {
    await rm(folder, { recursive: true });
  }
}
