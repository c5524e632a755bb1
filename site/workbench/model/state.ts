// The state of the page, which is immutable: every change replaces it.

import type { ServiceDescription } from "./operations.ts";
import type { Problem, ProblemTarget } from "./problems.ts";
import type { JobProgress, JobResponse, StoredInfo } from "./responses.ts";

/** An input: a dropped or picked file, a URL, or an earlier result. */
export interface Input {
  readonly key: number;
  readonly name: string;
  /** URL of a file or a web page, which the service fetches. */
  readonly url?: string;
  /** The local file, until it is stored. */
  readonly file?: File;
  /** Upload progress from 0 to 1, during the upload. */
  readonly sent?: number;
  /** ID of the stored file. */
  readonly id?: string;
  readonly info?: StoredInfo;
  /** The PDF made from it, for operations that accept only PDFs. */
  readonly pdf?: Conversion;
  /** True if it is the result of a job. */
  readonly isResult: boolean;
  /** Page selection in a merge. */
  readonly pages: string;
  /** True if the service rejected the file for a temporary reason. */
  readonly isRefused?: boolean;
  /** Error message if the service cannot store the file or fetch the URL. */
  readonly problem?: Problem;
  /** True if the job itself fetches the URL, because it may lead to a web page. */
  readonly isFetchedLater?: boolean;
  /** Field of a further file. @default the file is a main input */
  readonly field?: string;
}

/** A file stored at the service. */
export interface Stored {
  readonly id: string;
  readonly info?: StoredInfo;
}

/** Content that a document lost in the job. */
export interface Losses {
  readonly notices: readonly string[];
  readonly fonts: NonNullable<JobResponse["substitutedFonts"]>;
}

export interface Conversion extends Stored, Losses {}

export interface Output extends Stored {
  readonly isDeleted: boolean;
}

/** The result of one job. */
export interface Result extends Losses {
  readonly path: string;
  /** Names of its inputs. */
  readonly title: string;
  readonly outputs: readonly Output[];
  /** The answer of an operation that makes no file. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The only input of the job, for the comparison. */
  readonly input?: Output;
  /** The values that were sent: they determine the names of the outputs and their input pages. */
  readonly values: Values;
  /** Names of inputs that were converted to PDF first. */
  readonly converted: readonly string[];
  /** The error of a failed job. */
  readonly problem?: Problem;
}

/** The results of one run, one per job; or the files of a link. */
export interface Outcome {
  readonly key: number;
  readonly path: string;
  readonly results: readonly Result[];
  /** The operation; absent for the files of a link. */
  readonly seconds?: number;
  /** IDs of the archives of all outputs made so far, by archive number. */
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
  /** Number of finished jobs, if there are several. */
  readonly done?: number;
  readonly total?: number;
}

export interface State {
  readonly service?: ServiceDescription;
  /** Set if the service's description could not be loaded. */
  readonly isLost: boolean;
  readonly inputs: readonly Input[];
  /** Further files of operations, such as an image to add. */
  readonly further: readonly Input[];
  /** Key of the input that is previewed. */
  readonly chosen?: number;
  readonly path: string;
  /** True if the user chose the operation. Until then, it follows from the files. */
  readonly isPathChosen: boolean;
  /** Values of each operation, by its path. */
  readonly values: Readonly<Record<string, Values>>;
  /**
   * Path of the operation that the user tried to run with an invalid form. From then on, empty required fields are
   * shown as errors.
   */
  readonly tried?: string;
  /** The API key, which is kept only in memory. */
  readonly apiKey: string;
  readonly job?: Job;
  /** Results, newest first. */
  readonly outcomes: readonly Outcome[];
  /** Key of the displayed result. */
  readonly shown?: number;
  /** Number of the archive that is being made. */
  readonly packing?: number;
  readonly problem?: Problem & { readonly place: ProblemTarget };
  readonly language: string;
  /** Text of the last event, for screen readers. */
  readonly announcement: string;
}

export const FIRST_STATE: State = {
  isLost: false,
  inputs: [],
  further: [],
  outcomes: [],
  path: "/pdf",
  isPathChosen: false,
  values: {},
  apiKey: "",
  language: "curl",
  announcement: "",
};
