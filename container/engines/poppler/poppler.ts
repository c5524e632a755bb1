// Converts PDFs to PostScript with Poppler, whose fonts and shapes stay what they are. Starts a process for each
// document, which takes 10 ms.

import { chmod, chown, constants, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import type { PdfToPostscriptParams } from "../../../src/operations/pdf-to-postscript.ts";
import { MADE_FONTS } from "../../fonts/system-fonts.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { cpuSecondsWithin, run } from "../../processes/process.ts";
import { retryCrashOnce } from "../../processes/retry.ts";
import { USERS, UserPool } from "../../processes/users.ts";
import type { Scratch } from "../../scratch/scratch.ts";
import { takeOutput } from "../pdf-output.ts";

const PROGRAM = "/usr/bin/pdftops";
const READABLE = ["/usr", "/lib64", "/etc", "/var/cache/fontconfig", "/dev/null", MADE_FONTS];

export class Poppler {
  readonly #scratch: Scratch;
  readonly #users = new UserPool(USERS.poppler);

  constructor(scratch: Scratch) {
    this.#scratch = scratch;
  }

  /**
   * Converts a PDF whose pages have no annotations.
   * @param outputPath path of the PostScript file, which appears there only when it is complete
   * @throws EngineFailure `damaged`, `timed-out`, `too-complex`, `too-large`, `busy`
   * @throws the signal's reason when aborted
   */
  async convertToPostscript(
    inputPath: string,
    outputPath: string,
    { level, binaryOutput }: Pick<PdfToPostscriptParams, "level" | "binaryOutput">,
    signal: AbortSignal,
  ): Promise<void> {
    const { popplerMs, popplerCpuMs, popplerMemoryBytes: memoryBytes, popplerFileBytes: fileBytes } = CONTAINER_LIMITS;
    const options = [`-level${level}`, ...(binaryOutput ? ["-binary"] : []), "-paper", "match"];
    await retryCrashOnce({ timeoutMs: popplerMs, signal }, async (until, timeoutMs) => {
      await using folder = await this.#scratch.folder("postscript");
      using user = this.#users.take();
      // The user of the process cannot access the original path.
      await copyFile(inputPath, join(folder.path, "input.pdf"), constants.COPYFILE_FICLONE);
      await chmod(join(folder.path, "input.pdf"), 0o644);
      if (process.getuid?.() === 0) await chown(folder.path, user.id, user.id);
      const { code, stderr } = await run(PROGRAM, [...options, "input.pdf", "output.ps"], {
        ...{ cwd: folder.path, user: user.id, signal: until },
        limits: { timeoutMs, cpuSeconds: cpuSecondsWithin(timeoutMs, popplerCpuMs), memoryBytes, fileBytes },
        files: { readable: READABLE, writable: [folder.path] },
      });
      if (code !== 0) throw new EngineFailure("damaged", `exit code ${code}: ${stderr.slice(-300)}`);
      await takeOutput(join(folder.path, "output.ps"), outputPath, "%!PS");
    });
  }
}
