// Types of Ghostscript's jobs.

import type { AddedFont } from "../../fonts/added-fonts.ts";
import type { ZygoteJob } from "../zygote/zygote.ts";
import type { PdfSettings } from "./program.ts";

/** Options for running one program. */
export interface PostscriptToPdfOptions extends Omit<PdfSettings, "fonts"> {
  /** Fonts for this program. They have precedence over installed fonts. @default none */
  readonly fonts?: readonly AddedFont[];
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
  /** Paths of fonts in the folder, separated by spaces. */
  readonly fonts: string;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly fileBytes: number;
}
