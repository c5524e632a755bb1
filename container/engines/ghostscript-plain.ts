// Ghostscript started anew for every program: slow, and works wherever Ghostscript does. It gives the same pages as the zygote.

import { chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { EngineFailure } from "../../src/operations/operation.ts";
import { run } from "../process.ts";
import type { PostscriptJob, PostscriptRunner } from "./ghostscript.ts";
import { type FontSubstitutions, substitutionsPrinted } from "./ghostscript-fonts.ts";
import { names } from "./ghostscript-program.ts";
import { firstGhostscriptUser } from "./ghostscript-zygote.ts";

/** Address space of an idle Ghostscript, which the limit counts too. */
const ownMemoryBytes = 256 * 2 ** 20;

/** What handlers of errors print, Ghostscript's own and those that printer drivers bring. */
const report = /%%\[ Error|Error: \//;

export class PlainGhostscript implements PostscriptRunner {
  private readonly takenUsers = new Set<number>();

  async convert(job: PostscriptJob, signal: AbortSignal): Promise<FontSubstitutions> {
    const user = this.takeUser();
    try {
      const temporary = join(job.folder, "temporary");
      await mkdir(temporary, { mode: 0o700 });
      const paths = [job.folder, temporary];
      if (process.getuid?.() === 0) for (const path of paths) await chown(path, user, user);
      const { code, stdout, stderr } = await run("gs", commandLine(job), {
        cwd: job.folder,
        limits: { ...job, memoryBytes: job.memoryBytes + ownMemoryBytes },
        env: { TMPDIR: temporary },
        user,
        signal,
      });
      const said = `${stdout.toString("utf8")}\n${stderr}`;
      if (code === 0 && !report.test(said)) return substitutionsPrinted(said);
      // The limit of address space makes memory run out with an error that a program can meet in no other way.
      const reason = said.includes("/VMerror") ? "too-large" : "damaged";
      throw new EngineFailure(reason, `exit code ${code}: ${whatWasReported(said)}`);
    } finally {
      this.takenUsers.delete(user);
    }
  }

  private takeUser(): number {
    let user = firstGhostscriptUser;
    while (this.takenUsers.has(user)) user++;
    this.takenUsers.add(user);
    return user;
  }
}

/** Of a long account of stacks, what went wrong. */
function whatWasReported(said: string): string {
  const at = said.search(report);
  return (at < 0 ? said.slice(-300) : said.slice(at, at + 300)).trim();
}

function commandLine({ input, output }: PostscriptJob): string[] {
  const readable = [names.setup, input, names.program].map((name) => `--permit-file-read=${name}`);
  return [
    ...["-dSAFER", "-dNOPAUSE", "-dNOPROMPT", "-dBATCH", "-dNOEPS", "-sPAPERSIZE=letter", "-sDEVICE=nullpage"],
    ...readable,
    `--permit-file-write=${output}`,
    names.setup,
    input,
  ];
}
