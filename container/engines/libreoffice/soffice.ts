// Starts a new LibreOffice for every document: slow, but works wherever LibreOffice does. Its pages are the same as the
// zygote's.

import { chown, open, rename } from "node:fs/promises";
import { extname, join } from "node:path";
import { EngineFailure } from "../../../src/core/failure.ts";
import { run } from "../../processes/process.ts";
import type { Scratch } from "../../scratch/scratch.ts";
import type { OfficeJob, OfficeRunner } from "./libreoffice.ts";
import { firstUser, makeProfile, programFolder } from "./profile.ts";

/** Address space of an idle LibreOffice, which the limit includes. */
const ownMemoryBytes = 2 ** 30;

/**
 * Readable paths. /usr/bin is missing: LibreOffice would have Ghostscript draw a document's EPS pictures, which are
 * programs.
 */
const readable = ["/usr/lib", "/lib64", "/usr/share", "/usr/local/share/fonts", "/etc", "/var/cache/fontconfig"].concat(
  ["/var/lib/libreoffice", "/var/spool/libreoffice", "/proc", "/sys/devices/system/cpu", "/dev"],
);
/** Exit code of a LibreOffice that has made its profile and must be started again. */
const startAgain = 81;

/**
 * A way to convert a document: the import filter, if LibreOffice's choice is not the right one, and the export filter.
 */
interface Way {
  readonly importFilter?: string;
  readonly exportFilter: string;
  /** Includes hidden slides. @default false */
  readonly hiddenSlides?: boolean;
}

const asText: Way = { exportFilter: "writer_pdf_Export" };
const asSheet: Way = { exportFilter: "calc_pdf_Export" };
const asSlides: Way = { exportFilter: "impress_pdf_Export" };
/** LibreOffice writes no PDF without a page, so if all slides are hidden, all of them are exported. */
const asHiddenSlides: Way = { ...asSlides, hiddenSlides: true };
/** HTML imported as a web page loses its first paragraph in the export. */
const asHtml: Way = { importFilter: "HTML (StarWriter)", exportFilter: "writer_pdf_Export" };

const waysByExtension: readonly (readonly [RegExp, Way])[] = [
  [/^\.(xlsx?|ods|fods|csv)$/, asSheet],
  [/^\.(pptx?|odp|fodp)$/, asSlides],
];

export class Soffice implements OfficeRunner {
  private readonly scratch: Scratch;
  private readonly takenUsers = new Set<number>();
  constructor(settings: { readonly scratch: Scratch }) {
    this.scratch = settings.scratch;
  }

  async convert(job: OfficeJob, signal: AbortSignal): Promise<void> {
    const first = await likelyWay(job);
    const deadline = Date.now() + job.timeoutMs;
    for (const way of [
      first,
      ...[asSlides, asHiddenSlides, asText, asSheet, asHtml].filter((other) => other !== first),
    ]) {
      if (await this.attempt(job, way, deadline - Date.now(), signal)) return;
    }
    throw new EngineFailure("unsupported", "loaded, but not as a text, a spreadsheet or a presentation");
  }

  /**
   * Converts a document in one way. @returns false if the document was loaded, but is not of the kind that the filter
   * exports
   */
  private async attempt(job: OfficeJob, way: Way, timeoutMs: number, signal: AbortSignal) {
    await using profile = await this.scratch.folder("profile");
    const user = this.takeUser();
    try {
      await makeProfile(profile.path);
      const folders = [profile.path, join(profile.path, "user"), job.folder, join(job.folder, job.input)];
      if (process.getuid?.() === 0) for (const path of folders) await chown(path, user, user);
      const start = () =>
        run(join(programFolder, "soffice.bin"), commandLine(job, way, profile.path), {
          cwd: job.folder,
          files: { readable, writable: [job.folder, profile.path], meeting: ["/tmp"] },
          limits: { ...job, timeoutMs: Math.max(1, timeoutMs), memoryBytes: job.memoryBytes + ownMemoryBytes },
          user,
          signal,
        });
      const first = await start();
      const { stderr } = first.code === startAgain ? await start() : first;
      // The exit code is always 0, and the output is named after the input.
      if (await renamed(join(job.folder, "input.pdf"), join(job.folder, job.output))) return true;
      if (stderr.includes("impl_store")) return false;
      throw new EngineFailure("damaged", `not loaded: ${stderr.slice(-300)}`);
    } finally {
      this.takenUsers.delete(user);
    }
  }

  private takeUser(): number {
    let user = firstUser;
    while (this.takenUsers.has(user)) user++;
    this.takenUsers.add(user);
    return user;
  }
}

/** Returns the way to try first. A document that turns out to be of another kind is tried in the others. */
async function likelyWay(job: OfficeJob): Promise<Way> {
  const known = waysByExtension.find(([pattern]) => pattern.test(extname(job.input)));
  if (known !== undefined) return known[1];
  await using file = await open(join(job.folder, job.input));
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
  return /<(!doctype\s+html|html)\b/i.test(buffer.toString("latin1", 0, bytesRead)) ? asHtml : asText;
}

/** Renames a file. @returns false if there is no such file */
async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function commandLine(job: OfficeJob, way: Way, profile: string): string[] {
  const flag = (value: boolean) => ({ type: "boolean", value: String(value) });
  const filterData = {
    UseLosslessCompression: flag(job.lossless),
    Quality: { type: "long", value: "90" },
    ReduceImageResolution: flag(false),
    UseTaggedPDF: flag(job.tagged),
    ExportBookmarks: flag(true),
    ExportNotes: flag(false),
    ExportNotesInMargin: flag(false),
    ExportHiddenSlides: flag(way.hiddenSlides === true),
  };
  const infilter = [job.importFilter || (way.importFilter ?? ""), job.importOptions]
    .filter((part) => part !== "")
    .join(":");
  return [
    `-env:UserInstallation=file://${profile}`,
    "--headless",
    "--norestore",
    "--nologo",
    ...(infilter === "" ? [] : [`--infilter=${infilter}`]),
    "--convert-to",
    `pdf:${way.exportFilter}:${JSON.stringify(filterData)}`,
    "--outdir",
    job.folder,
    join(job.folder, job.input),
  ];
}
