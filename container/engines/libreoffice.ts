// Office documents to PDF: starts LibreOffice in the best way this machine allows, keeps it running, and says of every failed
// document why it failed. It knows no HTTP, and nothing of how many jobs the service lets in.

import { constants } from "node:fs";
import { chmod, copyFile, lstat, open, rename } from "node:fs/promises";
import { extname, join } from "node:path";
import { EngineFailure } from "../../src/operations/operation.ts";
import type { Scratch } from "../process.ts";
import { isPasswordProtected } from "./libreoffice-passwords.ts";
import { Soffice } from "./libreoffice-soffice.ts";
import { NotReady, Zygote } from "./libreoffice-zygote.ts";

/** How one document is to be converted. */
export interface OfficeToPdfOptions {
  /** Whether the PDF carries its structure (ISO 32000-1, 14.8), language and title. */
  readonly tagged: boolean;
  /** Pictures without loss, else as JPEG of quality 90. */
  readonly lossless: boolean;
  /** The most dots per inch that a picture has on the page. @default as many as it has */
  readonly maxImageDpi?: number;
  /** LibreOffice's name of an import filter, where its own detection would not find it. @default found by content */
  readonly importFilter?: string;
  /** For example `44,34,76` for a CSV file: comma, double quote, UTF-8. */
  readonly importOptions?: string;
  /** Wall clock. @default 120 s */
  readonly timeoutMs?: number;
  /** Processor time. @default the wall clock's */
  readonly cpuSeconds?: number;
  /** Memory on top of what LibreOffice takes itself. @default 2 GiB */
  readonly memoryBytes?: number;
  /** The longest file that may be written. @default 1 GiB */
  readonly fileBytes?: number;
}

/** A job, complete, with its own folder; `input` and `output` are names in it. */
export interface OfficeJob extends Required<Omit<OfficeToPdfOptions, "importFilter" | "importOptions">> {
  readonly folder: string;
  readonly input: string;
  readonly output: string;
  readonly importFilter: string;
  readonly importOptions: string;
}

/** One way to run LibreOffice. */
export interface OfficeRunner {
  /** @throws EngineFailure */
  convert(job: OfficeJob, signal: AbortSignal | undefined): Promise<void>;
  close(): Promise<void>;
}

export interface LibreOfficeSettings {
  readonly scratch: Scratch;
  /** Documents converted at a time; more wait. @default 2 */
  readonly children?: number;
  /** The folder with the built zygote and its samples. @default container/dist */
  readonly dist?: string;
  log(message: string, details?: Record<string, unknown>): void;
}

const defaults = { timeoutMs: 120_000, memoryBytes: 2 * 2 ** 30, fileBytes: 2 ** 30 };
const defaultDist = join(import.meta.dirname, "../dist");

/** LibreOffice, running. Get one from {@link startLibreOffice}. */
export class LibreOffice implements AsyncDisposable {
  private runner: OfficeRunner;
  private readonly settings: LibreOfficeSettings;
  constructor(runner: OfficeRunner, settings: LibreOfficeSettings) {
    this.runner = runner;
    this.settings = settings;
  }

  /** `zygote`: warm, a process forked for each document. `soffice`: a LibreOffice started for each. */
  get mode(): "zygote" | "soffice" {
    return this.runner instanceof Zygote ? "zygote" : "soffice";
  }

  /** The zygote's process, while there is one. */
  get pid(): number | undefined {
    return this.runner instanceof Zygote ? this.runner.pid : undefined;
  }

  /**
   * Converts a document. The path's extension decides nothing where the content tells its type; where it does not (text,
   * HTML, CSV), it does.
   *
   * @param outputPath written at once, when the PDF is complete
   * @throws EngineFailure password-protected, damaged, unsupported, timed-out, crashed, too-large or busy
   * @throws the signal's reason when aborted; the process has ended by then
   */
  async convertToPdf(
    inputPath: string,
    outputPath: string,
    options: OfficeToPdfOptions,
    signal?: AbortSignal,
  ): Promise<void> {
    await using folder = await this.settings.scratch.folder("office");
    // The name that the client gave reaches no program.
    const input = `input${/^\.[a-z]{1,5}$/.exec(extname(inputPath).toLowerCase()) ?? ""}`;
    const job: OfficeJob = {
      ...defaults,
      cpuSeconds: Math.ceil((options.timeoutMs ?? defaults.timeoutMs) / 1000),
      importFilter: "",
      importOptions: "",
      maxImageDpi: 0,
      ...options,
      folder: folder.path,
      input,
      output: "output.pdf",
    };
    await copyFile(inputPath, join(job.folder, input), constants.COPYFILE_FICLONE);
    // Whatever the original's permissions: the job may be done by another user.
    await chmod(join(job.folder, input), 0o600);
    if ((await lstat(join(job.folder, input))).size === 0) throw new EngineFailure("damaged", "an empty file");
    try {
      await this.convert(job, signal);
    } catch (failure) {
      throw await withReason(failure, inputPath);
    }
    await checkPdf(join(job.folder, job.output));
    await moveFile(join(job.folder, job.output), outputPath);
  }

  private async convert(job: OfficeJob, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.runner.convert(job, signal);
    } catch (failure) {
      if (!(failure instanceof NotReady)) throw failure;
      await this.fallBack(failure);
      await this.runner.convert(job, signal);
    }
  }

  private async fallBack(cause: NotReady): Promise<void> {
    if (this.mode === "soffice") return;
    const zygote = this.runner;
    this.runner = new Soffice(this.settings);
    this.settings.log("LibreOffice: one process for each document, because the zygote cannot be started again", {
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

/** Starts the zygote and, where it does not pass its self-test, falls back to plain soffice. The log says which it is. */
export async function startLibreOffice(settings: LibreOfficeSettings): Promise<LibreOffice> {
  const dist = settings.dist ?? defaultDist;
  try {
    const zygote = await Zygote.start({ ...settings, children: settings.children ?? 2, dist });
    settings.log("LibreOffice: warm, one fork for each document", { mode: "zygote", ...zygote.about });
    return new LibreOffice(zygote, settings);
  } catch (error) {
    if (!(error instanceof NotReady)) throw error;
    settings.log("LibreOffice: one process for each document, because the zygote is not ready", {
      mode: "soffice",
      reason: error.message,
    });
    return new LibreOffice(new Soffice(settings), settings);
  }
}

/** LibreOffice takes some documents that are locked for damaged ones. */
async function withReason(failure: unknown, inputPath: string): Promise<unknown> {
  if (!(failure instanceof EngineFailure) || failure.reason !== "damaged") return failure;
  if (!(await isPasswordProtected(inputPath))) return failure;
  return new EngineFailure("password-protected", failure.detail, { cause: failure });
}

/**
 * What lies in the folder was put there by a process that read a stranger's document: a link would have this process, which
 * may do more, open another file.
 */
async function checkPdf(path: string): Promise<void> {
  const about = await lstat(path).catch(() => undefined);
  if (about === undefined) throw new EngineFailure("crashed", "LibreOffice wrote no PDF");
  if (!about.isFile() || about.nlink !== 1) throw new EngineFailure("crashed", "the output is not a plain file");
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { buffer } = await file.read(Buffer.alloc(5), 0, 5, 0);
  if (buffer.toString("latin1") !== "%PDF-") throw new EngineFailure("crashed", "the output is not a PDF");
}

async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copyFile(from, to);
  }
}
