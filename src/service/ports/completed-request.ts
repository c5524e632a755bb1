// Defines the metrics of a completed request.

/** A completed request, as logged. */
export interface CompletedRequest {
  readonly method: string;
  /** Pattern of the route, such as `/resource/:id`. Ends with `*` if the path has no route. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Status for the log and metrics only: the client disconnected before the response. */
export const CLIENT_CLOSED_REQUEST = 499;
