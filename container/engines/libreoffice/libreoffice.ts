// Converts office documents to PDF. Starts LibreOffice as a zygote or as plain soffice, keeps it running, and reports
// why a conversion failed.

import { chmodSync, constants, copyFileSync, createReadStream, statSync } from "node:fs";
import { appendFile, copyFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { countedNotices, type Notice } from "../../../src/document/contract/notice.ts";
import { isPasswordProtected } from "../../../src/document/formats/ole/locked.ts";
import { writeFonts } from "../../fonts/added-fonts.ts";
import { NO_SUBSTITUTIONS, substitutionNotices, substitutionsReported } from "../../fonts/substitutions.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { cpuSecondsWithin } from "../../processes/process.ts";
import { retryCrashOnce } from "../../processes/retry.ts";
import { ScratchFull } from "../../scratch/memory-scratch.ts";
import type { JobFolder } from "../../scratch/scratch.ts";
import type { EngineState } from "../../supervision/engine-state.ts";
import { checkPdf } from "../pdf-output.ts";
import { EngineWithFallback, PROBE_CONCURRENCY } from "../with-fallback.ts";
import { type Import, importFor } from "./import.ts";
import type { LibreOfficeSettings, OfficeJob, OfficeResult, OfficeToPdfOptions } from "./job.ts";
import { chunkOf, makeRoom, nameOf, placeOf, restoreLinks } from "./preparation/place.ts";
import { type Prepared, prepare } from "./preparation/prepare.ts";
import { Soffice } from "./soffice.ts";
import { prepareLibreOffice } from "./zygote.ts";

/** A PDF in a folder that is deleted on disposal. */
export interface ConvertedPdf extends AsyncDisposable {
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  readonly notices: readonly Notice[];
}

type OfficeRunner = EngineWithFallback<OfficeJob, OfficeResult, "soffice">;
type Conversion = (job: OfficeJob, signal: AbortSignal) => Promise<OfficeResult>;

const DEFAULTS = {
  timeoutMs: CONTAINER_LIMITS.libreOfficeMs,
  memoryBytes: CONTAINER_LIMITS.libreOfficeMemoryBytes,
  fileBytes: CONTAINER_LIMITS.libreOfficeFileBytes,
};
const DEFAULT_DIST = join(import.meta.dirname, "../../dist");

/** A running LibreOffice, made by {@link startLibreOffice}. */
export class LibreOffice implements AsyncDisposable {
  readonly #settings: LibreOfficeSettings;
  readonly #runner: OfficeRunner;

  constructor(settings: LibreOfficeSettings, runner: OfficeRunner) {
    this.#settings = settings;
    this.#runner = runner;
  }

  /** `zygote`: each document gets a fork of a warm process. `soffice`: each document starts a new LibreOffice. */
  get mode(): "zygote" | "soffice" {
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
   * Converts a document. Retries once if the engine process was lost or crashed. The path's extension matters only for
   * content of ambiguous type (text, HTML, CSV).
   *
   * @throws EngineFailure `password-protected`, `damaged`, `unsupported`, `timed-out`, `too-complex`, `too-large` or
   *   `busy`
   * @throws the signal's reason when aborted; the process has ended by then
   */
  async convertToPdf(inputPath: string, options: OfficeToPdfOptions, signal?: AbortSignal): Promise<ConvertedPdf> {
    const { size } = statSync(inputPath);
    if (size === 0) throw new EngineFailure("damaged", "an empty file");
    const { scratch, log } = this.#settings;
    const { timeoutMs = DEFAULTS.timeoutMs, fonts = [] } = options;
    const folderBytes = fonts.reduce((sum, { bytes }) => sum + bytes.length, size);
    const started = performance.now();
    const fileName = nameOf(options.name ?? "", inputPath);
    await using document = await retryCrashOnce({ timeoutMs, signal, log }, (until) =>
      prepare({ path: inputPath, fileName, password: options.options?.password }, scratch, until),
    );
    const how = await importFor(document.path, document.hasPictures);
    const limits = { timeoutMs: Math.max(1, timeoutMs - (performance.now() - started)), signal, log };
    // Awaited before the return, which deletes the prepared document.
    return await retryCrashOnce(limits, async (until, leftMs) => {
      const limited = {
        cpuSeconds: cpuSecondsWithin(timeoutMs, CONTAINER_LIMITS.libreOfficeCpuMs),
        ...options,
        timeoutMs: leftMs,
      };
      const folder = await scratch.folder("office", folderBytes);
      try {
        return await this.#convertIn(folder, document, how, limited, until);
      } catch (failure) {
        if (folder.memory === undefined || !(failure instanceof ScratchFull)) throw failure;
      }
      return this.#convertIn(await scratch.folder("office"), document, how, limited, until);
    });
  }

  /** @param folder deleted if the conversion fails */
  async #convertIn(
    folder: JobFolder,
    { path: inputPath, chunks, notices }: Pick<Prepared, "path" | "chunks" | "notices">,
    { end, ...how }: Import,
    given: OfficeToPdfOptions & { readonly timeoutMs: number; readonly cpuSeconds: number },
    signal: AbortSignal,
    convert: Conversion = (job, until) => this.#runner.convert(job, until),
  ): Promise<ConvertedPdf> {
    const { name = "", fonts = [], options: { sheets, ...options } = {}, ...limits } = given;
    const job: OfficeJob = {
      ...DEFAULTS,
      ...options,
      ...(sheets ? { sheets: sheets.join("\n") } : {}),
      ...how,
      ...limits,
      ...placeOf(nameOf(name, inputPath)),
      ...(folder.memory ? { fileBytes: Math.min(given.fileBytes ?? Infinity, folder.memory.fileBytes) } : {}),
      folder: folder.path,
      output: "output.pdf",
      chunks: chunks.map((chunk) => basename(chunk)).join(" "),
    };
    try {
      makeRoom(folder.path);
      await copyInput(inputPath, join(folder.path, job.input), 0o600);
      if (end) await appendFile(join(folder.path, job.input), end);
      // All users can read the files, because the job runs as another user. Only that user can enter the folder.
      await writeFonts(fonts, folder.path);
      for (const file of chunks) await copyInput(file, join(folder.path, chunkOf(basename(file))), 0o644);
      const result = await convert(job, folder.memory ? AbortSignal.any([signal, folder.memory.full]) : signal);
      // After an abort, no caller receives the PDF, so its folder is deleted here.
      signal.throwIfAborted();
      const path = join(folder.path, job.output);
      const size = checkPdf(path);
      await restoreLinks(path, job);
      const left = countedNotices("chunks-left-out", result.chunks === "all" ? 0 : chunks.length);
      return {
        path,
        size,
        notices: [...notices, ...left, ...substitutionNotices(result.fonts)],
        [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
      };
    } catch (failure) {
      await folder[Symbol.asyncDispose]();
      throw await withReason(failure, inputPath);
    }
  }

  /** Converts a sample in the zygote. @throws EngineFailure, or the signal's reason when aborted */
  async prove(signal: AbortSignal): Promise<void> {
    const { scratch, dist = DEFAULT_DIST } = this.#settings;
    const sample = join(dist, "samples/text.docx");
    const folder = await scratch.folder("office");
    const limits = { tagged: false, lossless: false, timeoutMs: CONTAINER_LIMITS.engineProofMs, cpuSeconds: 2 };
    const prove: Conversion = async (job, until) => {
      await this.#runner.probe(job, until);
      return { chunks: "all", fonts: NO_SUBSTITUTIONS };
    };
    const document = { path: sample, chunks: [], notices: [] };
    await using _ = await this.#convertIn(folder, document, await importFor(sample), limits, signal, prove);
  }

  /** Restarts a zygote that fails its probes. */
  replace(reason: string): void {
    this.#runner.restart(reason);
  }

  async close(): Promise<void> {
    await this.#runner.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Starts LibreOffice as a zygote, or as plain soffice while no zygote passes its self-test. */
export async function startLibreOffice(settings: LibreOfficeSettings): Promise<LibreOffice> {
  const { scratch, children = 2, dist = DEFAULT_DIST, log } = settings;
  const runner = await EngineWithFallback.start({
    engine: "LibreOffice",
    children,
    prepare: () => prepareLibreOffice({ scratch, children: children + PROBE_CONCURRENCY, dist }),
    resultOf: (detail): OfficeResult => ({ chunks: "all", fonts: substitutionsReported(detail) }),
    plain: new Soffice(scratch),
    plainMode: "soffice",
    log,
  });
  return new LibreOffice(settings, runner);
}

/** Corrects the reason of a failure: LibreOffice reports some password-protected documents as damaged. */
async function withReason(failure: unknown, inputPath: string): Promise<unknown> {
  if (!(failure instanceof EngineFailure) || failure.reason !== "damaged") return failure;
  if (!(await isPasswordProtected(createReadStream(inputPath)))) return failure;
  return new EngineFailure("password-protected", failure.detail, { cause: failure });
}

/** Files up to this size are copied synchronously, because a round trip through the thread pool takes longer. */
const SMALL_BYTES = 2 ** 20;

async function copyInput(from: string, to: string, mode: number): Promise<void> {
  if (statSync(from).size <= SMALL_BYTES) copyFileSync(from, to);
  else await copyFile(from, to, constants.COPYFILE_FICLONE);
  // Replaces the original's permissions: another user can run the job.
  chmodSync(to, mode);
}
