// Converts PostScript to PDF. Starts Ghostscript as a zygote or as the plain program, keeps it running, and reports why
// a conversion failed.

import { createReadStream, createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { EngineFailure, OutOfRange } from "../../../src/document/contract/failure.ts";
import { divided, writeFonts } from "../../fonts/added-fonts.ts";
import { namedFonts } from "../../fonts/deployed-fonts.ts";
import { type FontSubstitutions, substitutionsReported } from "../../fonts/substitutions.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { cpuSecondsWithin } from "../../processes/process.ts";
import { retryCrashOnce } from "../../processes/retry.ts";
import { limitFolder } from "../../scratch/folder-limit.ts";
import type { Scratch } from "../../scratch/scratch.ts";
import type { EngineState } from "../../supervision/engine-state.ts";
import { takePdf } from "../pdf-output.ts";
import { EngineWithFallback, PROBE_CONCURRENCY } from "../with-fallback.ts";
import { FallbackGhostscript } from "./fallback.ts";
import { findProgram, type PostscriptProgram } from "./input.ts";
import type { PostscriptJob, PostscriptToPdfOptions } from "./job.ts";
import { largestPage, MAX_POINTS } from "./page-size.ts";
import { NAMES, runProgram, setupProgram } from "./program.ts";
import { prepareGhostscript } from "./zygote.ts";

type PostscriptRunner = EngineWithFallback<PostscriptJob, FontSubstitutions, "plain">;
type Conversion = (job: PostscriptJob, signal: AbortSignal) => Promise<FontSubstitutions>;

export interface GhostscriptSettings {
  readonly scratch: Scratch;
  /** Maximum number of concurrent programs; further ones wait. @default 2 */
  readonly children?: number;
  /** Folder with the built zygote. @default container/dist */
  readonly dist?: string;
  log(message: string, details?: Record<string, unknown>): void;
}

const DEFAULTS = {
  timeoutMs: CONTAINER_LIMITS.ghostscriptMs,
  memoryBytes: CONTAINER_LIMITS.ghostscriptMemoryBytes,
  fileBytes: CONTAINER_LIMITS.ghostscriptFileBytes,
};
const SAMPLE = "%!PS\n72 72 moveto 99 99 lineto stroke showpage\n";
const DEFAULT_DIST = join(import.meta.dirname, "../../dist");

/** A running Ghostscript, made by {@link startGhostscript}. */
export class Ghostscript implements AsyncDisposable {
  readonly #settings: GhostscriptSettings;
  readonly #runner: PostscriptRunner;

  constructor(settings: GhostscriptSettings, runner: PostscriptRunner) {
    this.#settings = settings;
    this.#runner = runner;
  }

  /** `zygote`: each program gets a fork of a warm process. `plain`: each program starts a new Ghostscript. */
  get mode(): "zygote" | "plain" {
    return this.#runner.mode;
  }

  get state(): EngineState {
    return this.#runner.state;
  }

  /** Process ID of the zygote, if it runs. */
  get pid(): number | undefined {
    return this.#runner.pid;
  }

  /**
   * Runs a PostScript program. Retries once if the engine process was lost or crashed. A program that fails, quits
   * early or has no page produces no PDF.
   *
   * @param input a file; its extension matters only for EPS, whose bounding box becomes the page
   * @param outputPath path of the PDF, which appears there only when it is complete
   * @returns the fonts that Ghostscript replaced
   * @throws EngineFailure `damaged`, `unsupported` (the file contains no PostScript), `timed-out`, `too-complex`, `too-large` or
   *   `busy`
   * @throws OutOfRange if a page is larger than PDF permits
   * @throws the signal's reason when aborted; the process has ended by then
   */
  async convertToPdf(
    input: { readonly name: string; readonly path: string },
    outputPath: string,
    options: PostscriptToPdfOptions,
    signal?: AbortSignal,
  ): Promise<FontSubstitutions> {
    const program = await findProgram(input.path, input.name);
    if (program === undefined) throw new EngineFailure("unsupported", "the file contains no PostScript");
    const [llx, lly, urx, ury] = program.box ?? [0, 0, 0, 0];
    checkSize(Math.max(urx - llx, ury - lly));
    const { timeoutMs = DEFAULTS.timeoutMs } = options;
    return retryCrashOnce({ timeoutMs, signal, log: this.#settings.log }, (until, leftMs) => {
      const limited = {
        cpuSeconds: cpuSecondsWithin(timeoutMs, CONTAINER_LIMITS.ghostscriptCpuMs),
        ...options,
        timeoutMs: leftMs,
      };
      return this.#attempt(input.path, program, outputPath, limited, until);
    });
  }

  /** Runs a sample in the zygote. @throws EngineFailure, or the signal's reason when aborted */
  async prove(signal: AbortSignal): Promise<void> {
    await using folder = await this.#settings.scratch.folder("postscript");
    const path = join(folder.path, "sample.ps");
    await writeFile(path, SAMPLE);
    const program = await findProgram(path, path);
    const limits = { lossless: false, timeoutMs: CONTAINER_LIMITS.engineProofMs, cpuSeconds: 2 };
    const prove: Conversion = async (job, until) => {
      await this.#runner.probe(job, until);
      return { count: 0, fonts: [] };
    };
    await this.#attempt(path, program!, join(folder.path, "sample.pdf"), limits, signal, prove);
  }

  /** Restarts a zygote that fails its probes. */
  replace(reason: string): void {
    this.#runner.restart(reason);
  }

  async #attempt(
    inputPath: string,
    program: PostscriptProgram,
    outputPath: string,
    {
      lossless,
      maxImageDpi,
      jobOptions,
      fonts = [],
      ...limits
    }: PostscriptToPdfOptions & Pick<PostscriptJob, "timeoutMs" | "cpuSeconds">,
    signal: AbortSignal,
    convert: Conversion = (job, until) => this.#runner.convert(job, until),
  ): Promise<FontSubstitutions> {
    await using folder = await this.#settings.scratch.folder("postscript");
    const single = divided(fonts);
    const paths = await writeFonts(single, folder.path);
    const named = single.map(({ face }, index) => ({ path: paths[index]!, names: face.fullNames }));
    const settings = {
      lossless,
      ...(maxImageDpi === undefined ? {} : { maxImageDpi }),
      ...(jobOptions ? { jobOptions } : {}),
      fonts: [...namedFonts(), ...named],
    };
    const job: PostscriptJob = {
      ...DEFAULTS,
      ...limits,
      input: NAMES.input,
      output: NAMES.output,
      fonts: paths.join(" "),
      folder: folder.path,
    };
    // All users can read the files, because the job runs as another user. Only that user can enter the folder.
    const write = (name: string, text: string) => writeFile(join(job.folder, name), text, { mode: 0o644 });
    await write(NAMES.setup, setupProgram(program, settings));
    await write(NAMES.input, runProgram(program));
    await copySection(inputPath, program, join(job.folder, NAMES.program));
    using full = limitFolder(job.folder, 2 * job.fileBytes);
    const substitutions = await convert(job, AbortSignal.any([signal, full.signal]));
    signal.throwIfAborted();
    checkSize(await largestPage(join(job.folder, job.output)));
    await takePdf(join(job.folder, job.output), outputPath);
    return substitutions;
  }

  async close(): Promise<void> {
    await this.#runner.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Starts Ghostscript as a zygote, or as the plain program while no zygote passes its self-test. */
export async function startGhostscript(settings: GhostscriptSettings): Promise<Ghostscript> {
  const { scratch, children = 2, dist = DEFAULT_DIST, log } = settings;
  const runner = await EngineWithFallback.start({
    engine: "Ghostscript",
    children,
    prepare: () => prepareGhostscript(scratch, children + PROBE_CONCURRENCY, dist),
    resultOf: substitutionsReported,
    plain: new FallbackGhostscript(),
    plainMode: "plain",
    log,
  });
  return new Ghostscript(settings, runner);
}

function checkSize(points: number): void {
  if (points > MAX_POINTS) throw new OutOfRange("file", `A page with a side of ${Math.ceil(points)} points`);
}

/** Copies the program without its wrapper, so that file positions in the copy count from the program's start. */
async function copySection(from: string, { offset, length }: PostscriptProgram, to: string): Promise<void> {
  await pipeline(
    createReadStream(from, { start: offset, end: offset + length - 1 }),
    createWriteStream(to, { mode: 0o644 }),
  );
}
