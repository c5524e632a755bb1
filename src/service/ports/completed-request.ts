// Defines what is known of a request after its answer, for the metrics.

/** A request that was answered, as the log has it. */
export interface CompletedRequest {
  readonly method: string;
  /** Pattern of the route, such as `/resource/:id`. Ends with `*` if the path has no route. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Nobody receives it: the client has left. */
export const CLIENT_CLOSED_REQUEST = 499;
