// Rewrites a PDF with Ghostscript, which regenerates the page content and embeds fonts. Starts a new process for each
// document, because few documents need a rewrite.

import { chmod, constants, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { retryCrashOnce } from "../../processes/retry.ts";
import { USERS, UserPool } from "../../processes/users.ts";
import { limitFolder } from "../../scratch/folder-limit.ts";
import type { Scratch } from "../../scratch/scratch.ts";
import { takePdf } from "../pdf-output.ts";
import { runConfined } from "./confined.ts";

export interface RewriteSettings {
  /** Version of the output PDF. */
  readonly version: "1.4" | "1.7";
}

export class PdfRewriter {
  readonly #scratch: Scratch;
  readonly #users = new UserPool(USERS.pdfRewriter);

  constructor(scratch: Scratch) {
    this.#scratch = scratch;
  }

  /**
   * Rewrites a PDF.
   * @param outputPath path of the PDF, which appears there only when it is complete
   * @throws EngineFailure `damaged`, `timed-out`, `too-complex`, `too-large`, `busy`
   * @throws the signal's reason when aborted
   */
  async rewrite(inputPath: string, outputPath: string, settings: RewriteSettings, signal: AbortSignal): Promise<void> {
    await retryCrashOnce({ timeoutMs: LIMITS.timeoutMs, signal }, (until, leftMs) =>
      this.#attempt(inputPath, outputPath, settings, until, leftMs),
    );
  }

  async #attempt(
    inputPath: string,
    outputPath: string,
    { version }: RewriteSettings,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<void> {
    await using folder = await this.#scratch.folder("rewrite");
    using user = this.#users.take();
    const input = join(folder.path, "input.pdf");
    await copyFile(inputPath, input, constants.COPYFILE_FICLONE);
    await chmod(input, 0o644);
    using full = limitFolder(folder.path, 2 * LIMITS.fileBytes);
    const { code, stderr } = await runConfined([...OPTIONS, `-dCompatibilityLevel=${version}`, ...FILES], {
      folder: folder.path,
      limits: { ...LIMITS, timeoutMs, cpuSeconds: CONTAINER_LIMITS.rewriterCpuMs / 1000 },
      user: user.id,
      signal: AbortSignal.any([signal, full.signal]),
    });
    // Ghostscript can exit with 0 after an error. The PDF or some of its pages are then missing, which the caller
    // detects.
    if (code !== 0) throw new EngineFailure("damaged", `exit code ${code}: ${stderr.slice(-300)}`);
    signal.throwIfAborted();
    await takePdf(join(folder.path, "output.pdf"), outputPath);
  }
}

const LIMITS = {
  timeoutMs: CONTAINER_LIMITS.rewriterMs,
  memoryBytes: CONTAINER_LIMITS.rewriterMemoryBytes,
  fileBytes: CONTAINER_LIMITS.rewriterFileBytes,
};
/** Also embeds the standard fonts, which Ghostscript by default does not embed. */
const EMBED_ALL = ["-c", "<< /NeverEmbed [ ] >> setdistillerparams", "-f"];
const FILES = ["-sOutputFile=output.pdf", ...EMBED_ALL, "input.pdf"];
/** Options that keep colors, and copy image data unchanged where possible. */
const OPTIONS = [
  ...["-q", "-dSAFER", "-dNOPAUSE", "-dNOPROMPT", "-dBATCH", "-sDEVICE=pdfwrite", "-dAutoRotatePages=/None"],
  ...["-dEmbedAllFonts=true", "-dSubsetFonts=true", "-sColorConversionStrategy=LeaveColorUnchanged"],
  ...["-dDownsampleColorImages=false", "-dDownsampleGrayImages=false", "-dDownsampleMonoImages=false"],
  ...["-dAutoFilterColorImages=false", "-dAutoFilterGrayImages=false"],
  ...["-dColorImageFilter=/FlateEncode", "-dGrayImageFilter=/FlateEncode"],
  // Omits annotations, because the caller keeps those of the original file.
  ...["-dShowAnnots=false", "-dPreserveAnnots=false"],
];
