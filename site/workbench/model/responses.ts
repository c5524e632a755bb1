// Describes what the service answers about files and jobs.

export interface StoredInfo {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** Number of pages, if the service tells it. */
  readonly pages?: number;
  /** When the file ends, in ISO 8601; absent if it stays for ever. */
  readonly expires?: string;
  /** Why no operation that reads documents takes the file. */
  readonly problem?: string;
}

/** Returns what the page keeps of facts: all but the sizes of pages, which may be a thousand. */
export function factsIn(told: StoredInfo & { readonly pageSizes?: unknown }): StoredInfo {
  const { pageSizes: _, ...facts } = told;
  return facts;
}

/** Facts about a file that an answer names. */
interface NamedInfo extends StoredInfo {
  readonly id: string;
}

export interface JobResponse {
  /** Absent if the answer is data, whose members it then has. */
  readonly outputId?: string | readonly string[];
  readonly inputId?: string | readonly string[];
  readonly inputFiles?: readonly NamedInfo[];
  readonly outputFiles?: readonly NamedInfo[];
  readonly notices?: readonly string[];
  readonly substitutedFonts?: readonly { readonly name: string; readonly replacedBy?: string }[];
}

/** The state of a job that has not ended. */
export interface JobProgress {
  readonly phase: "waiting" | "running";
  /** Place in the queue, from 1. */
  readonly position?: number;
  readonly pagesDone?: number;
  readonly pagesTotal?: number;
}
