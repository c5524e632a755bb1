// Types of the service's JSON responses about files and jobs.

export interface StoredInfo {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** Number of pages, if the service reports it. */
  readonly pages?: number;
  /** Expiry of the file in ISO 8601. Missing if the file never expires. */
  readonly expires?: string;
  /** Error message if no operation can read the file. */
  readonly problem?: string;
}

/** Returns the properties of a file without the page sizes, because there can be thousands. */
export function factsIn(info: StoredInfo & { readonly pageSizes?: unknown }): StoredInfo {
  const { pageSizes: _, ...facts } = info;
  return facts;
}

/** The properties of a file, with its ID. */
interface NamedInfo extends StoredInfo {
  readonly id: string;
}

interface SubstitutedFont {
  readonly name: string;
  readonly replacedBy?: string;
  readonly sameWidths?: boolean;
}

export interface JobResponse {
  /** Missing if the operation returns data. The response then contains the members of the data. */
  readonly outputId?: string | readonly string[];
  readonly inputId?: string | readonly string[];
  readonly inputFiles?: readonly NamedInfo[];
  readonly outputFiles?: readonly NamedInfo[];
  readonly notices?: readonly string[];
  readonly substitutedFonts?: readonly SubstitutedFont[];
}

/** The state of a queued or running job. */
export interface JobProgress {
  readonly phase: "waiting" | "running";
  /** Position in the queue, from 1. */
  readonly position?: number;
  readonly pagesDone?: number;
  readonly pagesTotal?: number;
  /** Set from the end of the first step, if the request has several. */
  readonly stepsDone?: number;
  readonly stepsTotal?: number;
}
