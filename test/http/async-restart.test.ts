// Tests asynchronous jobs whose service is killed while they run.
// Contract: docs/api.md#asynchronous-jobs
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { textPdf } from "../fixtures/pdfs.ts";
import { type MortalService, startMortalService } from "../support/restartable-service.ts";
import { targetOf } from "../support/service.ts";
import { objectsOf, openStoredFiles } from "../support/stored-files.ts";

type Answer = { readonly status: string; readonly outputId?: string | string[]; readonly inputId?: string | string[] };

/** RESTART_JOBS and RESTART_KILLS make the test longer: 500 jobs and 3 kills take minutes. */
const JOBS = Number(process.env.RESTART_JOBS ?? 36);
const KILLS = Number(process.env.RESTART_KILLS ?? 2);
const LONG_MS = 170_000 + JOBS * 4000;
const SUBMITTED_AT_ONCE = 6;
/** Number of jobs whose progress is observed. */
const WATCHED = 12;

test("every job is done once, and storage holds nothing else", { timeout: 2 * LONG_MS }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "async-restart-"));
  const file = new File([Buffer.from(await textPdf(3))], "a.pdf");
  // These jobs must still run when the service is killed.
  const long = new File([Buffer.from(await textPdf(6))], "a.pdf");
  const kinds: readonly (readonly [path: string, fields: Readonly<Record<string, string | Blob>>])[] = [
    ["/png", { file: long, resolution: "1000" }],
    ["/split-pdf", { file }],
    ["/zip", { file }],
    ["/html", { content: "<p>text</p>" }],
    ["/compressed-pdf", { file, compression_level: "low", profile: new File(["{}"], "profile.json") }],
    ["/merged-pdf", { file, "type[]": "file", "pages[]": "2-3" }],
  ];
  const logFile = join(folder, "service.log");
  let log = "";
  let service: MortalService | undefined;
  try {
    service = await startMortalService(folder);
    const { url } = service;
    const begun = Date.now();
    const ids = await submitAll(url, (number) => kinds[number % kinds.length]!);
    for (let kill = 0; kill < KILLS; kill++) {
      await untilDone(service.url, ids, kill / (KILLS + 1));
      await untilOneRuns(
        service.url,
        ids.filter((_, number) => number % kinds.length === 0),
      );
      await service.kill();
      log += takenLog(logFile);
      service = await startMortalService(folder);
    }
    const answers = await allAnswers(service.url, ids);
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => "completed"));
    log += takenLog(logFile);
    expect(log).toMatch(/"message":"asynchronous job ended".*"attempt":[23]/);
    if (process.env.RESTART_JOBS) console.info(summaryOf(log, Date.now() - begun));
    const stored = answers.flatMap(({ outputId = [], inputId = [] }) => [outputId, inputId].flat());
    expect(new Set(stored).size).toBe(stored.length);
    for (const id of stored) {
      expect((await fetch(`${service.url}/resource/${id}?format=url`)).status, id).toBe(200);
    }
    const address = { target: targetOf(process.env), persistTo: join(folder, "storage") };
    await using storage = await openStoredFiles(address);
    await expect.poll(() => storage.count(), { timeout: 90_000 }).toBe(objectsOf(stored));
  } finally {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
});

async function statusOf(url: string, id: string): Promise<Answer & { phase?: string }> {
  const response = await fetch(`${url}/request-status/${id}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

async function submit(
  url: string,
  path: string,
  fields: Readonly<Record<string, string | Blob>>,
  output: string,
): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...fields, output })) form.append(name, value);
  const response = await fetch(url + path, { method: "POST", body: form, headers: { Prefer: "respond-async" } });
  expect(response.status).toBe(202);
  return ((await response.json()) as { requestId: string }).requestId;
}

/** Returns the log so far, and deletes it. */
function takenLog(file: string): string {
  const log = readFileSync(file, "utf8");
  rmSync(file);
  return log;
}

/** Submits all jobs, a few at a time. @returns their IDs in the order of their numbers */
async function submitAll(
  url: string,
  kindOf: (number: number) => readonly [path: string, fields: Readonly<Record<string, string | Blob>>],
): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const submitSome = async () => {
    for (let number = next++; number < JOBS; number = next++) {
      ids[number] = await submit(url, ...kindOf(number), `made${number}`);
    }
  };
  await Promise.all(Array.from({ length: SUBMITTED_AT_ONCE }, submitSome));
  return ids;
}

/** Waits until a part of the jobs has completed. */
async function untilDone(url: string, ids: readonly string[], part: number): Promise<void> {
  const watched = ids.filter((_, number) => number % Math.ceil(JOBS / WATCHED) === 0);
  const until = Date.now() + LONG_MS;
  while (Date.now() < until) {
    const statuses = await Promise.all(watched.map((id) => statusOf(url, id)));
    if (statuses.filter(({ status }) => status !== "pending").length >= part * watched.length) return;
    await wait(500);
  }
  throw new Error("the jobs are not done");
}

/**
 * Waits until one of the jobs is running, or all have completed: on a fast machine, a job can end between two status
 * requests.
 */
async function untilOneRuns(url: string, ids: readonly string[]): Promise<void> {
  const until = Date.now() + LONG_MS;
  while (Date.now() < until) {
    let isPending = false;
    for (const id of ids) {
      const { status, phase } = await statusOf(url, id);
      if (phase === "running") return;
      isPending ||= status === "pending";
    }
    if (!isPending) return;
  }
  throw new Error("no job runs");
}

/** Returns a summary of the attempts in the log. */
function summaryOf(log: string, durationMs: number): string {
  const attempts = [...log.matchAll(/"message":"asynchronous job ended".*"attempt":(\d+)/g)].map(
    ([, number]) => number,
  );
  const counts = [...Map.groupBy(attempts, (number) => number)].map(([number, all]) => `${all.length} of ${number}`);
  return `${JOBS} jobs, ${KILLS} kills, ${Math.round(durationMs / 1000)} s; ended attempts: ${counts.join(", ")}`;
}

async function allAnswers(url: string, ids: readonly string[]): Promise<Answer[]> {
  const until = Date.now() + LONG_MS;
  const answers: Answer[] = [];
  for (const id of ids) {
    let answer = await statusOf(url, id);
    for (; answer.status === "pending" && Date.now() < until; answer = await statusOf(url, id)) await wait(200);
    answers.push(answer);
  }
  return answers;
}
