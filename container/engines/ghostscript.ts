// PostScript to PDF: starts Ghostscript in the best way this machine allows, keeps it running, and says of every failed program
// why it failed. It knows no HTTP, and nothing of how many jobs the service lets in.

import { createReadStream, createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { EngineFailure } from "../../src/operations/operation.ts";
import { limitFolder } from "../folder-limit.ts";
import type { Scratch } from "../process.ts";
import { findProgram, type PostscriptProgram } from "./ghostscript-input.ts";
import { PlainGhostscript } from "./ghostscript-plain.ts";
import { names, type PdfSettings, runProgram, setupProgram } from "./ghostscript-program.ts";
import { prepareGhostscript } from "./ghostscript-zygote.ts";
import { takePdf } from "./pdf-output.ts";
import { NotReady, Zygote, type ZygoteJob } from "./zygote.ts";

/** How one program is to be run. */
export interface PostscriptToPdfOptions extends PdfSettings {
  /** Wall clock. @default 120 s */
  readonly timeoutMs?: number;
  /** Processor time. @default the wall clock's */
  readonly cpuSeconds?: number;
  /** Memory on top of what Ghostscript takes itself. @default 1 GiB */
  readonly memoryBytes?: number;
  /** The longest file that may be written, and half of what all may hold together. @default 1 GiB */
  readonly fileBytes?: number;
}

/** A job, complete, with its own folder; `input` and `output` are names in it. */
export interface PostscriptJob extends ZygoteJob {
  readonly input: string;
  readonly output: string;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly fileBytes: number;
}

/** One way to run Ghostscript. */
export interface PostscriptRunner {
  /** @throws EngineFailure */
  convert(job: PostscriptJob, signal: AbortSignal | undefined): Promise<void>;
  close(): Promise<void>;
}

export interface GhostscriptSettings {
  readonly scratch: Scratch;
  /** Programs run at a time; more wait. @default 2 */
  readonly children?: number;
  /** The folder with the built zygote. @default container/dist */
  readonly dist?: string;
  log(message: string, details?: Record<string, unknown>): void;
}

const defaults = { timeoutMs: 120_000, memoryBytes: 2 ** 30, fileBytes: 2 ** 30 };
const defaultDist = join(import.meta.dirname, "../dist");

/** Ghostscript, running. Get one from {@link startGhostscript}. */
export class Ghostscript implements AsyncDisposable {
  private runner: PostscriptRunner;
  private readonly settings: GhostscriptSettings;
  constructor(runner: PostscriptRunner, settings: GhostscriptSettings) {
    this.runner = runner;
    this.settings = settings;
  }

  /** `zygote`: warm, a process forked for each program. `plain`: a Ghostscript started for each. */
  get mode(): "zygote" | "plain" {
    return this.runner instanceof Zygote ? "zygote" : "plain";
  }

  /** The zygote's process, while there is one. */
  get pid(): number | undefined {
    return this.runner instanceof Zygote ? this.runner.pid : undefined;
  }

  /**
   * Runs a program. One that ends with an error, early or without a page gives no PDF at all.
   *
   * @param input its name decides nothing but, with the extension of an EPS, that a box in its comments is its page
   * @param outputPath written at once, when the PDF is complete
   * @throws EngineFailure damaged, unsupported (no PostScript in it), timed-out, crashed, too-large or busy
   * @throws the signal's reason when aborted; the process has ended by then
   */
  async convertToPdf(
    input: { readonly name: string; readonly path: string },
    outputPath: string,
    { lossless, maxImageDpi, ...limits }: PostscriptToPdfOptions,
    signal?: AbortSignal,
  ): Promise<void> {
    const program = await findProgram(input.path, input.name);
    if (program === undefined) throw new EngineFailure("unsupported", "no PostScript in it");
    await using folder = await this.settings.scratch.folder("postscript");
    const settings = { lossless, ...(maxImageDpi === undefined ? {} : { maxImageDpi }) };
    const job: PostscriptJob = {
      ...defaults,
      cpuSeconds: Math.ceil((limits.timeoutMs ?? defaults.timeoutMs) / 1000),
      ...limits,
      input: names.input,
      output: names.output,
      folder: folder.path,
    };
    // Others can read it, but cannot reach it: the job may be done by another user.
    const write = (name: string, text: string) => writeFile(join(job.folder, name), text, { mode: 0o644 });
    await write(names.setup, setupProgram(program, settings));
    await write(names.input, runProgram(program));
    await copySection(input.path, program, join(job.folder, names.program));
    using full = limitFolder(job.folder, 2 * job.fileBytes);
    await this.convert(job, signal ? AbortSignal.any([signal, full.signal]) : full.signal);
    await takePdf(join(job.folder, job.output), outputPath);
  }

  private async convert(job: PostscriptJob, signal: AbortSignal): Promise<void> {
    try {
      await this.runner.convert(job, signal);
    } catch (failure) {
      if (!(failure instanceof NotReady)) throw failure;
      await this.fallBack(failure);
      await this.runner.convert(job, signal);
    }
  }

  private async fallBack(cause: NotReady): Promise<void> {
    if (this.mode === "plain") return;
    const zygote = this.runner;
    this.runner = new PlainGhostscript();
    this.settings.log("Ghostscript: one process for each program, because the zygote cannot be started again", {
      mode: this.mode,
      reason: cause.message,
    });
    await zygote.close();
  }

  async close(): Promise<void> {
    await this.runner.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Starts the zygote and, where it does not pass its self-test, falls back to plain Ghostscript. The log says which it is. */
export async function startGhostscript(settings: GhostscriptSettings): Promise<Ghostscript> {
  const { scratch, children = 2, dist = defaultDist, log } = settings;
  try {
    const prepare = () => prepareGhostscript(scratch, children, dist);
    const zygote = await Zygote.start({ engine: "Ghostscript", children, prepare, log });
    log("Ghostscript: warm, one fork for each program", { mode: "zygote", ...zygote.about });
    return new Ghostscript(zygote, settings);
  } catch (error) {
    if (!(error instanceof NotReady)) throw error;
    log("Ghostscript: one process for each program, because the zygote is not ready", {
      mode: "plain",
      reason: error.message,
    });
    return new Ghostscript(new PlainGhostscript(), settings);
  }
}

/** Without the wrappers around the program, so that its positions in the file are its own. */
async function copySection(from: string, { offset, length }: PostscriptProgram, to: string): Promise<void> {
  await pipeline(
    createReadStream(from, { start: offset, end: offset + length - 1 }),
    createWriteStream(to, { mode: 0o644 }),
  );
}
