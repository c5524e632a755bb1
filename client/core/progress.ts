// Progress and options of a call.

export type Progress =
  /** Uploaded bytes of one input; `totalBytes` is undefined for a stream of unknown size. */
  | { readonly phase: "uploading"; readonly name: string; readonly sentBytes: number; readonly totalBytes?: number }
  /** The job is queued; position 1 is next. */
  | { readonly phase: "waiting"; readonly position?: number }
  /** The job runs. */
  | { readonly phase: "running"; readonly pagesDone?: number; readonly pagesTotal?: number }
  /** Downloaded bytes of a result. */
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
   * True: the service responds immediately with an ID, and the client follows the job. False: it responds when the job
   * is done.
   * @default true for inputs of more than 1 MB or of unknown size, and if there is `onProgress`
   */
  readonly async?: boolean | undefined;
}
