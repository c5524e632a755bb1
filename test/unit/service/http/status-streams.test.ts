// Tests the event streams of jobs: they share status queries, and their number is limited.
// Contract: docs/api.md#asynchronous-jobs
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { serveStatus } from "../../../../src/service/http/async/job-status.ts";
import { StatusStreams } from "../../../../src/service/http/async/status-streams.ts";
import { ServiceError } from "../../../../src/service/http/contract/errors.ts";
import type { JobQueue, JobStatus } from "../../../../src/service/ports/jobs.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A queue with jobs that wait until the test ends them. */
class Jobs {
  asked = 0;
  readonly ended = new Set<string>();
  readonly ask = async <T>(question: (queue: JobQueue) => Promise<T>) =>
    question({ status: (id: string) => this.status(id) } as JobQueue);

  async status(id: string): Promise<JobStatus> {
    this.asked++;
    return this.ended.has(id)
      ? { status: "failed", error: "damaged", errorStatus: 422 }
      : { status: "pending", phase: "waiting", position: 1 };
  }
}

function open(jobs: Jobs, streams: StatusStreams, id: string, client: string) {
  const leaving = new AbortController();
  const request = new Request("http://service/", {
    headers: { Accept: "text/event-stream" },
    signal: leaving.signal,
  });
  const answer = serveStatus(request, id, { jobs: jobs.ask, streams, client, removals: async () => () => true });
  // Returns the request too, because Node does not abort the signal of a request that was garbage-collected.
  return { answer, request, leave: () => leaving.abort() };
}

const isFull = async (answer: Promise<Response>) => {
  const error = await answer.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ServiceError && error.status === 429;
};

test("all streams of a job ask as often as one, and each ends with the job", async () => {
  const [jobs, streams] = [new Jobs(), new StatusStreams()];
  const count = 50;
  const answers = await Promise.all(
    Array.from({ length: count }, (_, at) => open(jobs, streams, "a", `client${at}`).answer),
  );
  const texts = Promise.all(answers.map((answer) => answer.text()));
  jobs.asked = 0;
  await vi.advanceTimersByTimeAsync(20 * LIMITS.statusPollMs);
  expect(jobs.asked).toBeGreaterThan(5);
  expect(jobs.asked).toBeLessThanOrEqual(20);
  jobs.ended.add("a");
  await vi.advanceTimersByTimeAsync(3 * LIMITS.statusPollMs);
  for (const text of await texts) {
    expect(text.match(/"status":"\w+"/g)).toEqual(['"status":"pending"', '"status":"failed"']);
  }
});

test("a job has a limited number of streams, and those of clients who left make room", async () => {
  const [jobs, streams] = [new Jobs(), new StatusStreams()];
  const opened = Array.from({ length: LIMITS.statusStreamsOfJob }, (_, at) => open(jobs, streams, "a", `client${at}`));
  const texts = (await Promise.all(opened.map(({ answer }) => answer))).map((answer) => answer.text());
  expect(await isFull(open(jobs, streams, "a", "another").answer)).toBe(true);
  expect(await isFull(open(jobs, streams, "b", "another").answer)).toBe(false);
  await vi.advanceTimersByTimeAsync(LIMITS.statusPollMs);
  opened[0]!.leave();
  await texts[0];
  expect(await isFull(open(jobs, streams, "a", "another").answer)).toBe(false);
});

test("a client has a limited number of streams, and one that nobody reads counts for a limited time", async () => {
  const [jobs, streams] = [new Jobs(), new StatusStreams()];
  for (let at = 0; at < LIMITS.statusStreamsOfClient; at++) await open(jobs, streams, `job${at}`, "one").answer;
  expect(await isFull(open(jobs, streams, "other", "one").answer)).toBe(true);
  expect(await isFull(open(jobs, streams, "other", "two").answer)).toBe(false);
  await vi.advanceTimersByTimeAsync(LIMITS.statusStreamMs);
  expect(await isFull(open(jobs, streams, "other", "one").answer)).toBe(false);
});
