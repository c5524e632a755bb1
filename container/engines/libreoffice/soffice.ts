// Starts a new LibreOffice for every document: slow, but works wherever LibreOffice does. Its output has the same pages
// as the zygote's.

import { chown, mkdir, open, readdir, rename } from "node:fs/promises";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { OPTION_NAMES } from "../../../src/operations/to-pdf/office-options.ts";
import { deployedFonts } from "../../fonts/deployed-fonts.ts";
import { NO_SUBSTITUTIONS } from "../../fonts/substitutions.ts";
import { MADE_FONTS } from "../../fonts/system-fonts.ts";
import { run } from "../../processes/process.ts";
import { USERS, UserPool } from "../../processes/users.ts";
import type { Scratch } from "../../scratch/scratch.ts";
import type { FallbackRunner } from "../with-fallback.ts";
import type { OfficeJob, OfficeResult } from "./job.ts";
import { INSTALLATION, makeProfile, PROGRAM_FOLDER } from "./profile.ts";

/** Address space of an idle LibreOffice, added to each job's memory limit. */
const OWN_MEMORY_BYTES = 2 ** 30;

/**
 * Readable paths. Excludes /usr/bin: LibreOffice would find Ghostscript there, and run the EPS images of a document,
 * which are programs.
 */
const READABLE = ["/usr/lib", "/lib64", "/usr/share", "/usr/local/share/fonts", "/etc", "/var/cache/fontconfig"].concat(
  [
    "/var/lib/libreoffice",
    "/var/spool/libreoffice",
    "/proc",
    "/sys/devices/system/cpu",
    "/dev",
    MADE_FONTS,
    INSTALLATION,
  ],
);
/** Folder for the output, in the job's folder. */
const MADE = "made";
/** Exit code of a LibreOffice that has created its profile and must be restarted. */
const START_AGAIN = 81;

/** Filters of one conversion attempt. `importFilter` is set only if LibreOffice would choose the wrong one. */
interface Way {
  readonly importFilter?: string;
  readonly exportFilter: string;
  /** Includes hidden slides. @default false */
  readonly hiddenSlides?: boolean;
}

const AS_TEXT: Way = { exportFilter: "writer_pdf_Export" };
const AS_SHEET: Way = { exportFilter: "calc_pdf_Export" };
const AS_SLIDES: Way = { exportFilter: "impress_pdf_Export" };
/** If all slides are hidden, exports all of them, because LibreOffice writes no PDF without a page. */
const AS_HIDDEN_SLIDES: Way = { ...AS_SLIDES, hiddenSlides: true };
/** HTML imported as a web page loses its first paragraph in the export. */
const AS_HTML: Way = { importFilter: "HTML (StarWriter)", exportFilter: "writer_pdf_Export" };

const WAYS_BY_EXTENSION: readonly (readonly [RegExp, Way])[] = [
  [/^\.(xlsx?|ods|fods|csv)$/, AS_SHEET],
  [/^\.(pptx?|odp|fodp)$/, AS_SLIDES],
];

export class Soffice implements FallbackRunner<OfficeJob, OfficeResult> {
  readonly #scratch: Scratch;
  readonly #users = new UserPool(USERS.soffice);

  constructor(scratch: Scratch) {
    this.#scratch = scratch;
  }

  /**
   * Inserts no chunks and reports no fonts, because the command line has no options for that.
   * @throws EngineFailure `busy` if the client asked for an option, which the command line lacks too
   */
  async convert(job: OfficeJob, signal: AbortSignal): Promise<OfficeResult> {
    const asked = OPTION_NAMES.find((name) => Object.hasOwn(job, name));
    if (asked !== undefined) throw new EngineFailure("busy", `soffice cannot apply ${asked}`);
    const first = await likelyWay(job);
    const deadline = Date.now() + job.timeoutMs;
    for (const way of [
      first,
      ...[AS_SLIDES, AS_HIDDEN_SLIDES, AS_TEXT, AS_SHEET, AS_HTML].filter((other) => other !== first),
    ]) {
      if (await this.#attempt(job, way, deadline - Date.now(), signal))
        return { chunks: "none", fonts: NO_SUBSTITUTIONS };
    }
    throw new EngineFailure("unsupported", "loaded, but not as a text, a spreadsheet or a presentation");
  }

  /**
   * Runs one attempt. @returns false if LibreOffice loaded the document, but the export filter is for another kind of
   * document
   */
  async #attempt(job: OfficeJob, way: Way, timeoutMs: number, signal: AbortSignal) {
    await using profile = await this.#scratch.folder("profile");
    using user = this.#users.take();
    await makeProfile(profile.path);
    const made = join(job.folder, MADE);
    await mkdir(made, { recursive: true });
    const folders = [profile.path, join(profile.path, "user"), job.folder, made, join(job.folder, job.input)];
    if (process.getuid?.() === 0) for (const path of folders) await chown(path, user.id, user.id);
    const start = () =>
      run(join(PROGRAM_FOLDER, "soffice.bin"), commandLine(job, way, profile.path), {
        cwd: job.folder,
        files: {
          readable: [...READABLE, ...deployedFonts()],
          writable: [job.folder, profile.path],
          socketPaths: ["/tmp"],
        },
        limits: { ...job, timeoutMs: Math.max(1, timeoutMs), memoryBytes: job.memoryBytes + OWN_MEMORY_BYTES },
        user: user.id,
        signal,
      });
    const first = await start();
    const { stderr } = first.code === START_AGAIN ? await start() : first;
    // The exit code is always 0, so only the output, named after the input, shows success.
    const output = (await readdir(made)).find((name) => name.endsWith(".pdf"));
    if (output !== undefined) {
      await rename(join(made, output), join(job.folder, job.output));
      return true;
    }
    if (stderr.includes("impl_store")) return false;
    throw new EngineFailure("damaged", `not loaded: ${stderr.slice(-300)}`);
  }
}

/**
 * Returns the attempt to try first. If it fails because the document is of another kind, the caller tries other
 * attempts.
 */
async function likelyWay(job: OfficeJob): Promise<Way> {
  const known = WAYS_BY_EXTENSION.find(([pattern]) => pattern.test(extname(job.input).toLowerCase()));
  if (known !== undefined) return known[1];
  await using file = await open(join(job.folder, job.input));
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
  return /<(!doctype\s+html|html)\b/i.test(buffer.toString("latin1", 0, bytesRead)) ? AS_HTML : AS_TEXT;
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
    join(job.folder, MADE),
    pathToFileURL(job.address).href,
  ];
}
