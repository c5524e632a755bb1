// Opens the engines for PDF/A conversion for the tests of one file, and converts documents with given strategies.
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

/** A folder for documents. Set by {@link openLadder}, like the engines. */
export let documents: string;
let engines: ConversionEngines;

/** Registers the hooks. Must be called once, at the top of a test file. */
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
  readonly strategy: string;
  /** Codes of the notices about lost content. */
  readonly notices: readonly NoticeCode[];
  /** The strategies that failed or whose candidates were rejected, with the reasons. */
  readonly refused: readonly Record<string, unknown>[];
}

/** @throws EngineFailure for the reasons of {@link convertToLevel} */
export async function climbed(
  pdf: Uint8Array | string,
  level: LevelName,
  strategies: readonly Strategy[],
): Promise<Climbed> {
  const folder = await mkdtemp(join(documents, "job-"));
  const path = typeof pdf === "string" ? pdf : join(folder, "input.pdf");
  if (typeof pdf !== "string") await writeFile(path, pdf);
  const refused: Record<string, unknown>[] = [];
  const log = (message: string, details: Record<string, unknown> = {}) => {
    if (message === "candidate refused" || message === "strategy failed") refused.push(details);
  };
  const job = {
    folder,
    signal: new AbortController().signal,
    log,
    withoutPermit: <T>(work: () => Promise<T>) => work(),
  };
  const input = fileInput(basename(path), (await stat(path)).size, path);
  const { document, strategy } = await convertToLevel(
    input,
    strategies,
    new JobConversionContext(LEVELS[level], strategies, engines, job),
  );
  const bytes = await readFile(document.path);
  await rm(folder, { recursive: true });
  return { bytes, strategy, refused, notices: (document.notices ?? []).map(({ code }) => code) };
}
