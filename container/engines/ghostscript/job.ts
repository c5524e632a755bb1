// Types of Ghostscript's jobs.

import type { ZygoteJob } from "../zygote/zygote.ts";
import type { PdfSettings } from "./program.ts";

/** Options for running one program. */
export interface PostscriptToPdfOptions extends PdfSettings {
  /** Wall-clock limit, including time in queues. @default 240 s */
  readonly timeoutMs?: number;
  /** CPU time limit. @default 115 s, or the wall-clock limit if that is shorter */
  readonly cpuSeconds?: number;
  /** Memory that the program can use, in addition to Ghostscript's own use. @default 1 GiB */
  readonly memoryBytes?: number;
  /** Maximum size of one written file. All files together can have twice this size. @default 1 GiB */
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
