// Serves the status of asynchronous jobs, as JSON or as an event stream, and cancels jobs
// (docs/api.md#asynchronous-jobs).

import { parseAccept } from "hono/utils/accept";
import { LIMITS } from "../../../document/contract/limits.ts";
import { delay } from "../../../runtime/delay.ts";
import type { RpcCall } from "../../../runtime/rpc.ts";
import type { JobQueue, JobStatus } from "../../ports/jobs.ts";
import { RegionLost } from "../../regions/region-errors.ts";
import type { DeletePolicy } from "../../storage/file-policy.ts";
import { busy, noSuchRequest, notRequester } from "../contract/errors.ts";
import type { StatusStream, StatusStreams } from "./status-streams.ts";

interface StatusService {
  readonly jobs: RpcCall<JobQueue>;
  readonly streams: StatusStreams;
  /** Client ID. */
  readonly client: string;
  /**
   * Returns the policy that decides whether this request can cancel a job.
   * @throws ServiceError 401
   */
  removals(): Promise<DeletePolicy>;
}

/** Serves `/request-status/{id}`: GET and DELETE. @throws ServiceError 401, 403, 404, 429, 503 */
export async function serveStatus(
  request: Request,
  id: string,
  { jobs, streams, client, removals }: StatusService,
): Promise<Response> {
  const safeJobs: typeof jobs = (question) =>
    jobs(question).catch((error) => Promise.reject(error instanceof RegionLost ? error : busy()));
  if (request.method === "DELETE") {
    const mayCancel = await removals();
    const marks = await safeJobs((queue) => queue.marks(id));
    if (!marks) throw noSuchRequest();
    if (!mayCancel(marks)) throw notRequester();
    if (!(await safeJobs((queue) => queue.cancel(id)))) throw noSuchRequest();
    return new Response(null, { status: 204 });
  }
  const status = await safeJobs((queue) => queue.status(id));
  if (!status) throw noSuchRequest();
  const headers = { "Cache-Control": "no-store", Vary: "Accept" };
  if (request.method === "GET" && wantsEvents(request.headers.get("Accept"))) {
    const stream = streams.open({ id, client, first: status }, () => safeJobs((queue) => queue.status(id)));
    const body = eventStream(id, status, stream, request.signal);
    return new Response(body, { headers: { ...headers, "Content-Type": "text/event-stream" } });
  }
  const retry: Record<string, string> = status.status === "pending" ? { "Retry-After": "1" } : {};
  return new Response(statusJson(id, status), {
    headers: { ...headers, ...retry, "Content-Type": "application/json" },
  });
}

function wantsEvents(accept: string | null): boolean {
  const qualityOf = (type: string) => parseAccept(accept ?? "").find((one) => one.type.toLowerCase() === type)?.q ?? 0;
  const events = qualityOf("text/event-stream");
  return events > 0 && events >= qualityOf("application/json");
}

/**
 * Returns the status of a request as JSON. If the request has completed, its status includes all members of its
 * response.
 */
export function statusJson(requestId: string, status: JobStatus): string {
  if (status.status !== "completed") return JSON.stringify({ requestId, ...status });
  const response = status.answer.trim();
  return `{"requestId":${JSON.stringify(requestId)},${response.slice(1, -1)},"status":"completed"}`;
}

/** Sends a server-sent event at each change of the status, until the job has ended. */
function eventStream(id: string, first: JobStatus, stream: StatusStream, signal: AbortSignal): ReadableStream {
  const encoder = new TextEncoder();
  const events = eventsOf(id, first, stream, signal);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next().catch(() => ({ done: true as const, value: undefined }));
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await events.return(undefined);
    },
  });
}

async function* eventsOf(
  id: string,
  first: JobStatus,
  stream: StatusStream,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  using watching = stream;
  const until = Date.now() + LIMITS.statusStreamMs;
  let sent = "";
  let sentAt = 0;
  for (let status: JobStatus | undefined = first; status; status = await watching.status()) {
    const text = statusJson(id, status);
    if (text !== sent) {
      [sent, sentAt] = [text, Date.now()];
      yield `event: status\ndata: ${text}\n\n`;
    } else if (Date.now() - sentAt >= LIMITS.statusHeartbeatMs) {
      sentAt = Date.now();
      yield ": at work\n\n";
    }
    if (status.status !== "pending" || Date.now() >= until) return;
    await delay(LIMITS.statusPollMs, signal);
  }
}
