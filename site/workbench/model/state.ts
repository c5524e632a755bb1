// The state of the page. It is immutable: every change replaces the state object.

import type { Operation, ServiceDescription } from "./operations.ts";
import type { Problem, ProblemTarget } from "./problems.ts";
import type { JobProgress, JobResponse, StoredInfo } from "./responses.ts";

/** An input: a file that the user dropped or selected, a URL, or an earlier result. */
export interface Input {
  readonly key: number;
  readonly name: string;
  /** URL of a file or a web page, which the service fetches. */
  readonly url?: string;
  /** The local file. It remains after the upload, so that it can be stored again. */
  readonly file?: File;
  /** Uploaded fraction of the file, from 0 to 1. */
  readonly sent?: number;
  /** ID of the stored file. */
  readonly id?: string;
  readonly info?: StoredInfo;
  /** The PDF to which the input was converted, for operations that accept only PDFs. */
  readonly pdf?: Conversion;
  /** True if the input is the output of a job, or another file that must not be deleted with its row. */
  readonly isResult: boolean;
  /** Page selection, if the operation has one for each input. */
  readonly pages: string;
  /** True if the service has rejected the file for a temporary reason. */
  readonly isRefused?: boolean;
  /** Error message if the service cannot store the file or fetch the URL. */
  readonly problem?: Problem;
  /** True if the job itself fetches the URL, because the URL might refer to a web page. */
  readonly isFetchedLater?: boolean;
  /** The field (see {@link placeOf}) of a further file. @default the input is a main input */
  readonly field?: string;
}

/** A file stored at the service. */
export interface Stored {
  readonly id: string;
  readonly info?: StoredInfo;
}

/** Information about content that a document lost in a job. */
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
  /** Names of the inputs. */
  readonly title: string;
  readonly outputs: readonly Output[];
  /** The output of an operation that returns data instead of files. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The input of the job, if there is only one. Its pages are compared with the output. */
  readonly input?: Output;
  /** The field values that were sent. The names of the outputs and the compared pages depend on them. */
  readonly values: Values;
  /** Names of inputs that were converted to PDF first. */
  readonly converted: readonly string[];
  /** The properties of the input that several steps have kept. @default those that the operation keeps */
  readonly keeps?: Operation["output"]["keeps"];
  /** The error, if the job failed. */
  readonly problem?: Problem;
}

/** The results of one run, with one result per job; or the files of an opened link. */
export interface Outcome {
  readonly key: number;
  readonly path: string;
  readonly results: readonly Result[];
  /** Duration of the run. Missing for the files of a link. */
  readonly seconds?: number;
  /** The archives of all outputs that have been created so far. */
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
  /** Number of completed and failed jobs, if there are several jobs. */
  readonly done?: number;
  readonly total?: number;
}

export interface State {
  readonly service?: ServiceDescription;
  /** True if the service's description could not be loaded. */
  readonly isLost: boolean;
  readonly inputs: readonly Input[];
  /** Further files of operations, such as an image to add. */
  readonly further: readonly Input[];
  /** Key of the previewed input. */
  readonly chosen?: number;
  readonly path: string;
  /** True if the user has chosen the operation. Until then, the page chooses it according to the files. */
  readonly isPathChosen: boolean;
  /** Forms of the steps in the list, in order, such as `2/png`. */
  readonly steps: readonly string[];
  /** Field values by form. */
  readonly values: Readonly<Record<string, Values>>;
  /**
   * Path of the operation that the user has tried to run with an invalid form. Empty required fields are shown as
   * errors only after such an attempt.
   */
  readonly tried?: string;
  /** The API key. It is stored only in memory. */
  readonly apiKey: string;
  readonly job?: Job;
  /** Results, newest first. */
  readonly outcomes: readonly Outcome[];
  /** Key of the displayed outcome. */
  readonly shown?: number;
  /** Number of the archive that is being created. */
  readonly packing?: number;
  readonly problem?: Problem & { readonly place: ProblemTarget };
  readonly language: string;
  /** Text that screen readers announce: a description of the last event. */
  readonly announcement: string;
}

export const FIRST_STATE: State = {
  isLost: false,
  inputs: [],
  further: [],
  outcomes: [],
  path: "/pdf",
  isPathChosen: false,
  steps: [],
  values: {},
  apiKey: "",
  language: "curl",
  announcement: "",
};
