// Recognizes the text of pictures with Tesseract. Starts a process for each picture: its start takes a fraction of the
// time of a page, and a hostile picture cannot affect the next one.

import { chmod } from "node:fs/promises";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import type { RecognitionLanguage } from "../../../src/operations/recognize-text.ts";
import { PermitQueue } from "../../../src/runtime/permit-queue.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { cpuSecondsWithin, type ExitResult, run } from "../../processes/process.ts";
import { retryCrashOnce } from "../../processes/retry.ts";
import { USERS, UserPool } from "../../processes/users.ts";
import type { Scratch } from "../../scratch/scratch.ts";

/** Tesseract's names of the languages. */
const MODELS: Readonly<Record<RecognitionLanguage, string>> = {
  ChineseSimplified: "chi_sim",
  ChineseTraditional: "chi_tra",
  Dutch: "nld",
  English: "eng",
  French: "fra",
  German: "deu",
  Italian: "ita",
  Japanese: "jpn",
  Korean: "kor",
  Portuguese: "por",
  Spanish: "spa",
};
/** Languages that are also written from top to bottom, with models of their own. */
const VERTICAL: ReadonlySet<RecognitionLanguage> = new Set([
  "ChineseSimplified",
  "ChineseTraditional",
  "Japanese",
  "Korean",
]);
/** Tesseract's modes of page segmentation. */
const MODES = { lines: "3", columns: "5", orientation: "0" };

/** Tesseract's exit code if it finds too few characters to know their orientation. */
const TOO_LITTLE_TEXT = 1;
/** An adaptive threshold, by Sauvola, because the light of scans can be uneven. */
const THRESHOLD = ["-c", "thresholding_method=2"];
const PROGRAM = "/usr/bin/tesseract";
const READABLE = ["/usr/bin", "/usr/lib", "/usr/share/tesseract-ocr", "/lib64", "/etc/ld.so.cache", "/dev/null"];
const OUTPUT_BYTES = 32 * 2 ** 20;

/** A picture in Netpbm's format. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly dpi: number;
}

export interface TesseractSettings {
  readonly scratch: Scratch;
  /** Maximum number of processes. */
  readonly processes: number;
}

export class Tesseract {
  /** Maximum number of processes. */
  readonly processes: number;
  readonly #scratch: Scratch;
  readonly #users = new UserPool(USERS.tesseract);
  readonly #permits: PermitQueue;

  constructor({ scratch, processes }: TesseractSettings) {
    this.processes = processes;
    this.#scratch = scratch;
    this.#permits = new PermitQueue({ concurrency: processes });
  }

  /**
   * Recognizes the text of an upright picture.
   * @param isVertical true to read vertical text, if one of the languages has it
   * @returns the text in hOCR, and again as plain text
   * @throws EngineFailure `timed-out`, `too-large` (memory), `too-complex`, or `busy`
   * @throws the signal's reason when aborted
   */
  async recognize(
    picture: Picture,
    languages: readonly RecognitionLanguage[],
    { signal, isVertical = false }: { readonly signal: AbortSignal; readonly isVertical?: boolean },
  ): Promise<string> {
    const read = isVertical ? languages.filter((one) => VERTICAL.has(one)) : languages;
    const models = read.map((one) => `${MODELS[one]}${isVertical ? "_vert" : ""}`).join("+");
    const mode = isVertical ? MODES.columns : MODES.lines;
    const { code, stdout, stderr } = await this.#run(
      picture,
      ["-l", models, "--psm", mode, ...THRESHOLD, "hocr", "txt"],
      signal,
    );
    if (code !== 0) throw failed(code, stderr);
    return stdout.toString("utf8");
  }

  /**
   * Returns the clockwise turn that makes a picture upright, in degrees; 0 if it has too little text.
   * @throws the same as {@link recognize}
   */
  async uprightTurn(picture: Picture, signal: AbortSignal): Promise<number> {
    const { code, stdout, stderr } = await this.#run(picture, ["-l", "osd", "--psm", MODES.orientation], signal);
    if (code === TOO_LITTLE_TEXT) return 0;
    const turn = /^Rotate: (\d+)$/m.exec(stdout.toString("utf8"))?.[1];
    if (code !== 0 || turn === undefined) throw failed(code, stderr);
    return Number(turn);
  }

  async #run({ bytes, dpi }: Picture, args: readonly string[], signal: AbortSignal): Promise<ExitResult> {
    using _ = await this.#permits.acquire({}, signal);
    const { recognizedPageMs, tesseractCpuMs, tesseractMemoryBytes: memoryBytes } = CONTAINER_LIMITS;
    return await retryCrashOnce({ timeoutMs: recognizedPageMs, signal }, async (signal, timeoutMs) => {
      await using folder = await this.#scratch.folder("recognition");
      await chmod(folder.path, 0o755);
      using user = this.#users.take();
      return await run(PROGRAM, ["stdin", "stdout", "--dpi", String(Math.round(dpi)), ...args], {
        ...{ cwd: folder.path, stdin: bytes, user: user.id, outputBytes: OUTPUT_BYTES, signal },
        limits: { timeoutMs, cpuSeconds: cpuSecondsWithin(timeoutMs, tesseractCpuMs), memoryBytes, fileBytes: 0 },
        files: { readable: [...READABLE, folder.path], writable: [] },
        // A process for each processor is faster than threads.
        env: { OMP_THREAD_LIMIT: "1" },
      });
    });
  }
}

const failed = (code: number, stderr: string): EngineFailure =>
  new EngineFailure("too-complex", `exit code ${code}: ${stderr.slice(-300)}`);

/** Reports whether text in one of the languages can run from top to bottom. */
export const mayBeVertical = (languages: readonly RecognitionLanguage[]): boolean =>
  languages.some((one) => VERTICAL.has(one));
