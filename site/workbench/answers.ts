// Describes what the service answers about files and jobs.

export interface StoredInfo {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** Number of pages, if the service tells it. */
  readonly pages?: number;
  /** Why no operation that reads documents takes the file. */
  readonly problem?: string;
}

export interface Answer {
  readonly outputId: string | readonly string[];
  readonly inputId?: string | readonly string[];
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
