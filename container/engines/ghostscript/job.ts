// Types of Ghostscript's jobs.

import type { ZygoteJob } from "../zygote/zygote.ts";
import type { PdfSettings } from "./program.ts";

/** Options for running one program. */
export interface PostscriptToPdfOptions extends PdfSettings {
  /** Wall-clock limit, including all waiting. @default 240 s */
  readonly timeoutMs?: number;
  /** CPU time limit. @default 115 s, or the wall-clock limit if that is shorter */
  readonly cpuSeconds?: number;
  /** Memory limit, on top of Ghostscript's own use. @default 1 GiB */
  readonly memoryBytes?: number;
  /** Maximum size of a file that is written, and half the maximum of all files together. @default 1 GiB */
  readonly fileBytes?: number;
}

/** A complete job with its own folder. `input` and `output` are names in the folder. */
export interface PostscriptJob extends ZygoteJob {
  readonly input: string;
  readonly output: string;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly fileBytes: number;
}
