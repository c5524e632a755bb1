// Defines the progress and the options of a call.

export type Progress =
  /** An input is being uploaded. `totalBytes` is undefined for a stream of unknown size. */
  | { readonly phase: "uploading"; readonly name: string; readonly sentBytes: number; readonly totalBytes?: number }
  /** The job is queued. The job at position 1 runs next. */
  | { readonly phase: "waiting"; readonly position?: number }
  /** The job is running. A request of several steps counts them. */
  | {
      readonly phase: "running";
      readonly pagesDone?: number;
      readonly pagesTotal?: number;
      readonly stepsDone?: number;
      readonly stepsTotal?: number;
    }
  /** An output is being downloaded. */
  | {
      readonly phase: "downloading";
      readonly name: string;
      readonly receivedBytes: number;
      readonly totalBytes?: number;
    };

export interface CallOptions {
  /** Cancels the call, and the job at the service. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * True: the service responds immediately with an ID, and the client follows the job. False: the service responds when
   * the job has ended.
   * @default true for inputs of more than 1 MB or of unknown size, or if `onProgress` is set
   */
  readonly async?: boolean | undefined;
}
