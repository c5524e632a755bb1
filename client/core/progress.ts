// Defines what a call tells while it runs.

export type Progress =
  /** Bytes of one input on their way to the service; `totalBytes` is undefined for a stream without a size. */
  | { readonly phase: "uploading"; readonly name: string; readonly sentBytes: number; readonly totalBytes?: number }
  /** The job waits for its turn; 1 is next. */
  | { readonly phase: "waiting"; readonly position?: number }
  /** The job runs. */
  | { readonly phase: "running"; readonly pagesDone?: number; readonly pagesTotal?: number }
  /** Bytes of a result on their way back. */
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
   * True: the service answers at once and works on, and the client follows the job. False: it answers when it is done.
   * @default true for inputs of more than 1 MB or of unknown size, and if there is `onProgress`
   */
  readonly async?: boolean | undefined;
}
