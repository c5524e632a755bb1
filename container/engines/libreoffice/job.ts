// Describes the jobs of LibreOffice, and its settings.

import type { FontSubstitutions } from "../../fonts/substitutions.ts";
import type { Scratch } from "../../scratch/scratch.ts";
import type { ZygoteJob } from "../zygote/zygote.ts";
import type { Import } from "./import.ts";
import type { Place } from "./preparation/place.ts";

/** Options for converting one document. */
export interface OfficeToPdfOptions {
  /** Includes the structure (ISO 32000-1, 14.8), language and title in the PDF. */
  readonly tagged: boolean;
  /** Stores images losslessly; otherwise as JPEG of quality 90. */
  readonly lossless: boolean;
  /** The client's file name, which fields of the document can print. @default a neutral name */
  readonly name?: string;
  /** Wall-clock limit, including all waiting. @default 240 s */
  readonly timeoutMs?: number;
  /** CPU time limit. @default 180 s, or the wall-clock limit if that is shorter */
  readonly cpuSeconds?: number;
  /** Memory limit, on top of LibreOffice's own use. @default 2 GiB */
  readonly memoryBytes?: number;
  /** Maximum size of a file that is written. @default 1 GiB */
  readonly fileBytes?: number;
}

/** A complete job with its own folder. `input` and `output` are paths in the folder. */
export interface OfficeJob extends ZygoteJob, Required<Omit<OfficeToPdfOptions, "name">>, Import, Place {
  readonly output: string;
  /** Names of files in the folder to insert at the bookmarks of the same names, separated by spaces. */
  readonly chunks: string;
}

/** Result of a conversion. Plain soffice inserts no chunks, and does not report fonts. */
export interface OfficeResult {
  readonly chunks: "all" | "none";
  readonly fonts: FontSubstitutions;
}

export interface LibreOfficeSettings {
  readonly scratch: Scratch;
  /** Maximum number of concurrent conversions; further ones wait. @default 2 */
  readonly children?: number;
  /** Folder with the built zygote and its samples. @default container/dist */
  readonly dist?: string;
  log(message: string, details?: Record<string, unknown>): void;
}
