// The ladder to PDF/A with its engines, opened for the tests of one file.
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { PdfRewriter } from "../../container/engines/ghostscript/pdf.ts";
import { startVeraPdf, type VeraPdf } from "../../container/engines/verapdf/verapdf.ts";
import { type ConversionEngines, JobConversionContext } from "../../container/pdfa/conversion-context.ts";
import { convertToLevel } from "../../container/pdfa/convert.ts";
import type { Strategy } from "../../container/pdfa/strategy.ts";
import { fileInput } from "../../container/scratch/file-input.ts";
import { Scratch } from "../../container/scratch/scratch.ts";
import { Threads } from "../../container/threads/threads.ts";
import type { NoticeCode } from "../../src/document/contract/notice.ts";
import { LEVELS, type LevelName } from "./levels.ts";

/** A folder for documents. Like the engines it is there once {@link openLadder} has done its work. */
export let documents: string;
let engines: ConversionEngines;

/** To be called once at the top of a test file. */
export function openLadder(processes = 1): void {
  let scratch: Scratch;
  let threads: Threads;
  let validator: VeraPdf;
  const log = () => {};
  beforeAll(async () => {
    documents = await mkdtemp(join(tmpdir(), "ladder-"));
    scratch = await Scratch.open();
    threads = new Threads({ size: 2 * processes, heapMiB: 512, log });
    validator = await startVeraPdf({ scratch, processes, log });
    engines = { threads, validator, rewriter: new PdfRewriter(scratch), heapLimitBytes: 2 ** 30 };
  });
  afterAll(async () => {
    await validator?.close();
    await threads?.[Symbol.asyncDispose]();
    await scratch?.[Symbol.asyncDispose]();
    await rm(documents, { recursive: true });
  });
}

export interface Climbed {
  readonly bytes: Buffer;
  readonly rung: string;
  /** Codes of what was lost. */
  readonly notices: readonly NoticeCode[];
  /** The rungs whose candidates were refused, and why. */
  readonly refused: readonly Record<string, unknown>[];
}

/** @throws EngineFailure as the ladder does */
export async function climbed(
  pdf: Uint8Array | string,
  level: LevelName,
  rungs: readonly Strategy[],
): Promise<Climbed> {
  const folder = await mkdtemp(join(documents, "job-"));
  const path = typeof pdf === "string" ? pdf : join(folder, "input.pdf");
  if (typeof pdf !== "string") await writeFile(path, pdf);
  const refused: Record<string, unknown>[] = [];
  const log = (message: string, details: Record<string, unknown> = {}) => {
    if (message === "candidate refused" || message === "rung failed") refused.push(details);
  };
  const job = {
    folder,
    signal: new AbortController().signal,
    log,
    withoutPermit: <T>(work: () => Promise<T>) => work(),
  };
  const input = fileInput(basename(path), (await stat(path)).size, path);
  const { document, rung } = await convertToLevel(
    input,
    rungs,
    new JobConversionContext(LEVELS[level], rungs, engines, job),
  );
  const bytes = await readFile(document.path);
  await rm(folder, { recursive: true });
  return { bytes, rung, refused, notices: (document.notices ?? []).map(({ code }) => code) };
}
