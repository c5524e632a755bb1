// Starts a new Ghostscript for every PostScript program: slow, but works wherever Ghostscript does. Its output has the
// same pages as the zygote's.

import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { type FontSubstitutions, substitutionsPrinted } from "../../fonts/substitutions.ts";
import { MADE_FONTS } from "../../fonts/system-fonts.ts";
import { USERS, UserPool } from "../../processes/users.ts";
import type { FallbackRunner } from "../with-fallback.ts";
import { runConfined } from "./confined.ts";
import type { PostscriptJob } from "./job.ts";
import { NAMES } from "./program.ts";

/** Address space of an idle Ghostscript, added to each job's memory limit. */
const OWN_MEMORY_BYTES = 256 * 2 ** 20;

/** Matches the output of error handlers, both Ghostscript's own and those that printer drivers add to programs. */
const REPORT = /%%\[ Error|Error: \//;

export class FallbackGhostscript implements FallbackRunner<PostscriptJob, FontSubstitutions> {
  readonly #users = new UserPool(USERS.plainGhostscript);

  async convert(job: PostscriptJob, signal: AbortSignal): Promise<FontSubstitutions> {
    using user = this.#users.take();
    const { code, stdout, stderr } = await runConfined(commandLine(job), {
      folder: job.folder,
      limits: { ...job, memoryBytes: job.memoryBytes + OWN_MEMORY_BYTES },
      user: user.id,
      signal,
    });
    const output = `${stdout.toString("utf8")}\n${stderr}`;
    if (code === 0 && !REPORT.test(output)) return substitutionsPrinted(output);
    // /VMerror means that the address space limit was reached.
    const reason = output.includes("/VMerror") ? "too-large" : "damaged";
    throw new EngineFailure(reason, `exit code ${code}: ${reportedError(output)}`);
  }
}

/** Extracts the error from the long stack dump that follows it. */
function reportedError(output: string): string {
  const at = output.search(REPORT);
  return (at < 0 ? output.slice(-300) : output.slice(at, at + 300)).trim();
}

function commandLine({ input, output, fonts }: PostscriptJob): string[] {
  const readable = [NAMES.setup, input, NAMES.program, ...fonts.split(" ")].map((name) => `--permit-file-read=${name}`);
  return [
    ...["-dSAFER", "-dNOPAUSE", "-dNOPROMPT", "-dBATCH", "-dNOEPS", "-sPAPERSIZE=letter"],
    // Version 10.04 and later permit no other device.
    ...["-sDEVICE=pdfwrite", `-sOutputFile=${output}`],
    `-I${MADE_FONTS}`,
    ...readable,
    `--permit-file-write=${output}`,
    NAMES.setup,
    input,
  ];
}
