// Defines what the page knows. Every change replaces the state.

import type { ServiceDescription } from "./operations.ts";
import type { Problem, ProblemTarget } from "./problems.ts";
import type { JobProgress, JobResponse, StoredInfo } from "./responses.ts";

/** A document that was dropped, picked, named by an address, or made before. */
export interface Input {
  readonly key: number;
  readonly name: string;
  /** Address of a file or a web page, which the service fetches. */
  readonly url?: string;
  /** Bytes that are not stored yet. */
  readonly file?: File;
  /** Part of the file that was sent, from 0 to 1, while it is sent. */
  readonly sent?: number;
  /** Id of the stored file. */
  readonly id?: string;
  readonly info?: StoredInfo;
  /** What it became for an operation that takes PDFs only. */
  readonly pdf?: Conversion;
  /** True if it is the result of a job. */
  readonly isResult: boolean;
  /** Page selection in a merge. */
  readonly pages: string;
  /** True if the service has refused to store the file, for a reason that may pass. */
  readonly isRefused?: boolean;
  /** Why the service cannot store the file, or read what is at the address. */
  readonly problem?: Problem;
  /** True if what is at the address is fetched by the job, because it may be a web page. */
  readonly isFetchedLater?: boolean;
}

/** A file that the service has. */
export interface Stored {
  readonly id: string;
  readonly info?: StoredInfo;
}

/** What a document lost on the way. */
export interface Losses {
  readonly notices: readonly string[];
  readonly fonts: NonNullable<JobResponse["substitutedFonts"]>;
}

export interface Conversion extends Stored, Losses {}

export interface Output extends Stored {
  readonly isDeleted: boolean;
}

/** What became of one job. */
export interface Result extends Losses {
  readonly path: string;
  /** Names of its inputs. */
  readonly title: string;
  readonly outputs: readonly Output[];
  /** The answer of an operation that makes no file. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The only input of the job, for the comparison. */
  readonly input?: Output;
  /** Values that were sent, for the names of the outputs and the pages that they come from. */
  readonly values: Values;
  /** Names of inputs that became PDFs first. */
  readonly converted: readonly string[];
  /** Why nothing was made. */
  readonly problem?: Problem;
}

/** What became of the files of the list, or files that a link names: one result for each job. */
export interface Outcome {
  readonly key: number;
  readonly path: string;
  readonly results: readonly Result[];
  /** Absent if it was not made here. */
  readonly seconds?: number;
  /** Archives of all outputs that were made so far, by their number. */
  readonly archives: readonly Archive[];
}

export interface Archive extends Stored {
  readonly number: number;
}

export type Value = string | readonly string[];
export type Values = Readonly<Record<string, Value>>;

export interface Job {
  readonly step: "uploading" | "converting" | "starting" | "waiting" | "running";
  readonly progress?: JobProgress;
  /** Files that are done, of several that have a job each. */
  readonly done?: number;
  readonly total?: number;
}

export interface State {
  readonly service?: ServiceDescription;
  /** Set if the service does not describe itself. */
  readonly isLost: boolean;
  readonly inputs: readonly Input[];
  /** Key of the input that is previewed. */
  readonly chosen?: number;
  readonly path: string;
  /** True if the path was chosen by hand. Before, it suits the files that are there. */
  readonly isPathChosen: boolean;
  /** Values of each operation, by its path. */
  readonly values: Readonly<Record<string, Values>>;
  /** Path of the operation that was to run with faults in its form. Required fields that are empty are faults since. */
  readonly tried?: string;
  /** Kept here alone, and gone with the page. */
  readonly apiKey: string;
  readonly job?: Job;
  /** The newest first. */
  readonly outcomes: readonly Outcome[];
  /** Key of the outcome that is on the stage. */
  readonly shown?: number;
  /** Number of the archive that is being made. */
  readonly packing?: number;
  readonly problem?: Problem & { readonly place: ProblemTarget };
  readonly language: string;
  /** The last event, for screen readers. */
  readonly announcement: string;
}

export const FIRST_STATE: State = {
  isLost: false,
  inputs: [],
  outcomes: [],
  path: "/pdf",
  isPathChosen: false,
  values: {},
  apiKey: "",
  language: "curl",
  announcement: "",
};
