// Describes the jobs of LibreOffice, and its settings.

import type { OfficeOptions } from "../../../src/operations/to-pdf/office-options.ts";
import type { AddedFont } from "../../fonts/added-fonts.ts";
import type { FontSubstitutions } from "../../fonts/substitutions.ts";
import type { Scratch } from "../../scratch/scratch.ts";
import type { ZygoteJob } from "../zygote/zygote.ts";
import type { Import } from "./import.ts";
import type { Place } from "./preparation/place.ts";

/** Options for converting one document. */
export interface OfficeToPdfOptions {
  /** Includes the structure (ISO 32000-1, 14.8), language and title in the PDF. */
  readonly tagged: boolean;
  /** Stores images losslessly. If false, stores them as JPEG of quality 90. */
  readonly lossless: boolean;
  /** The client's name for the file, which the document's fields can print. @default a neutral name */
  readonly name?: string;
  /** Fonts for this document. They have precedence over installed fonts. @default none */
  readonly fonts?: readonly AddedFont[];
  /** What the client asked for, by the names of the API. @default as the document says */
  readonly options?: OfficeOptions;
  /** Wall-clock limit, including time in queues. @default 240 s */
  readonly timeoutMs?: number;
  /** CPU time limit. @default 180 s, or the wall-clock limit if that is shorter */
  readonly cpuSeconds?: number;
  /** Memory that the document can use, in addition to LibreOffice's own use. @default 2 GiB */
  readonly memoryBytes?: number;
  /** Maximum size of a file that LibreOffice writes. @default 1 GiB */
  readonly fileBytes?: number;
}

/** A complete job with its own folder. `input` and `output` are paths in the folder. */
export interface OfficeJob
  extends ZygoteJob,
    Required<Omit<OfficeToPdfOptions, "name" | "fonts" | "options">>,
    Import,
    Place,
    Omit<OfficeOptions, "sheets"> {
  readonly output: string;
  /** Names and numbers of the sheets to print, separated by line feeds, which no name contains. */
  readonly sheets?: string;
  /** Names of files in the folder, separated by spaces. Each file is inserted at the bookmark that has its name. */
  readonly chunks: string;
}

/** `chunks` is `none` and `fonts` is empty with plain soffice, which can neither insert chunks nor report fonts. */
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
