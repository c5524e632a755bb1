// Converts PostScript to PDF: starts Ghostscript in the best way this machine allows, keeps it running, and reports why
// a program failed. Knows no HTTP, and nothing about how many jobs the service admits.

import { createReadStream, createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { EngineFailure } from "../../../src/core/failure.ts";
import { twice } from "../../processes/attempts.ts";
import { NotReady } from "../../processes/resident.ts";
import { limitFolder } from "../../scratch/folder-limit.ts";
import type { Scratch } from "../../scratch/scratch.ts";
import { takePdf } from "../pdf-output.ts";
import { Zygote, type ZygoteJob } from "../zygote/zygote.ts";
import { type FontSubstitutions, substitutionsReported } from "./fonts.ts";
import { findProgram, type PostscriptProgram } from "./input.ts";
import { PlainGhostscript } from "./plain.ts";
import { names, type PdfSettings, runProgram, setupProgram } from "./program.ts";
import { prepareGhostscript } from "./zygote.ts";

/** Options for running one program. */
export interface PostscriptToPdfOptions extends PdfSettings {
  /** Wall-clock limit, including all waiting. @default 120 s */
  readonly timeoutMs?: number;
  /** Processor time limit. @default the wall-clock limit */
  readonly cpuSeconds?: number;
  /** Memory limit, on top of Ghostscript's own use. @default 1 GiB */
  readonly memoryBytes?: number;
  /** Maximum size of a file that is written, and half the maximum of all files together. @default 1 GiB */
  readonly fileBytes?: number;
}

/** A complete job with its own folder. `input` and `output` are names in the folder. */
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
  convert(job: PostscriptJob, signal: AbortSignal): Promise<FontSubstitutions>;
}

export interface GhostscriptSettings {
  readonly scratch: Scratch;
  /** Maximum number of programs that run at a time; more wait. @default 2 */
  readonly children?: number;
  /** Folder with the built zygote. @default container/dist */
  readonly dist?: string;
  log(message: string, details?: Record<string, unknown>): void;
}

const defaults = { timeoutMs: 120_000, memoryBytes: 2 ** 30, fileBytes: 2 ** 30 };
const defaultDist = join(import.meta.dirname, "../../dist");

/** A running Ghostscript, made by {@link startGhostscript}. */
export class Ghostscript implements AsyncDisposable {
  private readonly zygote: Zygote | undefined;
  private readonly plain: PostscriptRunner = new PlainGhostscript();
  private readonly settings: GhostscriptSettings;
  constructor(settings: GhostscriptSettings, zygote?: Zygote) {
    this.settings = settings;
    this.zygote = zygote;
  }

  /** `zygote`: a warm process is forked for each program. `plain`: a Ghostscript is started for each. */
  get mode(): "zygote" | "plain" {
    return this.zygote && !this.zygote.isFailing ? "zygote" : "plain";
  }

  /** Process ID of the zygote, if it runs. */
  get pid(): number | undefined {
    return this.zygote?.pid;
  }

  /**
   * Runs a program, and retries it when the first attempt's process was lost or crashed. A program that ends with an
   * error, early or without a page produces no PDF at all.
   *
   * @param input the name's extension matters only for an EPS, whose bounding box comment then becomes its page
   * @param outputPath written at once, when the PDF is complete
   * @returns the fonts that the program asked for and Ghostscript replaced
   * @throws EngineFailure `damaged`, `unsupported` (no PostScript in it), `timed-out`, `too-complex`, `too-large` or
   *   `busy`
   * @throws the signal's reason when aborted; the process has ended by then
   */
  async convertToPdf(
    input: { readonly name: string; readonly path: string },
    outputPath: string,
    options: PostscriptToPdfOptions,
    signal?: AbortSignal,
  ): Promise<FontSubstitutions> {
    const program = await findProgram(input.path, input.name);
    if (program === undefined) throw new EngineFailure("unsupported", "no PostScript in it");
    const { timeoutMs = defaults.timeoutMs } = options;
    return twice({ timeoutMs, signal, log: this.settings.log }, (until, leftMs) => {
      const limited = { cpuSeconds: Math.ceil(timeoutMs / 1000), ...options, timeoutMs: leftMs };
      return this.attempt(input.path, program, outputPath, limited, until);
    });
  }

  private async attempt(
    inputPath: string,
    program: PostscriptProgram,
    outputPath: string,
    { lossless, maxImageDpi, ...limits }: PostscriptToPdfOptions & Pick<PostscriptJob, "timeoutMs" | "cpuSeconds">,
    signal: AbortSignal,
  ): Promise<FontSubstitutions> {
    await using folder = await this.settings.scratch.folder("postscript");
    const settings = { lossless, ...(maxImageDpi === undefined ? {} : { maxImageDpi }) };
    const job: PostscriptJob = {
      ...defaults,
      ...limits,
      input: names.input,
      output: names.output,
      folder: folder.path,
    };
    // Others can read the file but cannot reach it: another user may run the job.
    const write = (name: string, text: string) => writeFile(join(job.folder, name), text, { mode: 0o644 });
    await write(names.setup, setupProgram(program, settings));
    await write(names.input, runProgram(program));
    await copySection(inputPath, program, join(job.folder, names.program));
    using full = limitFolder(job.folder, 2 * job.fileBytes);
    const substitutions = await this.convert(job, AbortSignal.any([signal, full.signal]));
    signal.throwIfAborted();
    await takePdf(join(job.folder, job.output), outputPath);
    return substitutions;
  }

  private async convert(job: PostscriptJob, signal: AbortSignal): Promise<FontSubstitutions> {
    if (this.zygote) {
      try {
        return substitutionsReported(await this.zygote.convert(job, signal));
      } catch (failure) {
        // The zygote is not ready for a while.
        if (!(failure instanceof NotReady)) throw failure;
      }
    }
    return this.plain.convert(job, signal);
  }

  async close(): Promise<void> {
    await this.zygote?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Starts the zygote, and falls back to plain Ghostscript if it fails its self-test. The log says which one runs. */
export async function startGhostscript(settings: GhostscriptSettings): Promise<Ghostscript> {
  const { scratch, children = 2, dist = defaultDist, log } = settings;
  try {
    const prepare = () => prepareGhostscript(scratch, children, dist);
    const zygote = await Zygote.start({ engine: "Ghostscript", children, prepare, log });
    log("Ghostscript: warm, one fork for each program", { mode: "zygote", ...zygote.about });
    return new Ghostscript(settings, zygote);
  } catch (error) {
    if (!(error instanceof NotReady)) throw error;
    log("Ghostscript: one process for each program, because the zygote is not ready", {
      mode: "plain",
      reason: error.message,
    });
    return new Ghostscript(settings);
  }
}

/** Copies the program without the wrappers around it, so that positions in the file are its own. */
async function copySection(from: string, { offset, length }: PostscriptProgram, to: string): Promise<void> {
  await pipeline(
    createReadStream(from, { start: offset, end: offset + length - 1 }),
    createWriteStream(to, { mode: 0o644 }),
  );
}
