// Runs the chosen operation, and manages the results. If the operation accepts only one input, there is one job per
// input.
import { countText, stemOf } from "../model/format.ts";
import type { Operation } from "../model/operations.ts";
import { type Problem, problemTarget } from "../model/problems.ts";
import type { Input, Job, Outcome, Result } from "../model/state.ts";
import type { Store } from "../model/store.ts";
import type { Inputs } from "./inputs.ts";
import { type Task, tasksOf } from "./request.ts";
import { RequestError, removeAll, runJob, saveFile } from "./service.ts";
import { carryOut, titleOf } from "./work.ts";

/**
 * Maximum number of concurrent jobs: one more than the service usually runs for a client, so that a job is always
 * queued.
 */
const JOBS_AT_ONCE = 3;
const ARCHIVE_SECONDS = 3600;

export class Jobs {
  readonly #store: Store;
  readonly #inputs: Inputs;
  #running: AbortController | undefined;
  #packing: Promise<void> = Promise.resolve();

  constructor(store: Store, inputs: Inputs) {
    this.#store = store;
    this.#inputs = inputs;
  }

  async run(operation: Operation): Promise<void> {
    if (this.#running) return;
    const abort = new AbortController();
    this.#running = abort;
    this.#store.clear("problem", "shown");
    const tasks = tasksOf(operation, this.#store.state);
    const batch = tasks.length > 1 ? { done: 0, total: tasks.length } : {};
    this.#store.set({ job: { step: "uploading", ...batch }, announcement: "The job has started." });
    const started = performance.now();
    try {
      const results = await this.#runAll(operation, tasks, abort.signal);
      this.#conclude(operation, results, { count: tasks.length, seconds: (performance.now() - started) / 1000 });
    } finally {
      this.#running = undefined;
      this.#store.clear("job");
    }
  }

  /** Cancels all running jobs, and deletes the files that they have stored. Earlier results remain. */
  cancel(): void {
    this.#running?.abort(new DOMException("The job was canceled.", "AbortError"));
    this.#inputs.abortUploads();
  }

  /** Deletes outputs from the service, and the archives that contain them. */
  async deleteOutputs(ids: readonly string[]): Promise<void> {
    // Waits for an archive that is being created, because it would still contain the outputs.
    await this.#packing;
    const archived = ({ results }: Outcome) =>
      results.some(({ outputs }) => outputs.some(({ id }) => ids.includes(id)));
    const archives = this.#store.state.outcomes.flatMap((one) => (archived(one) ? one.archives : []));
    try {
      await removeAll([...ids, ...archives.map(({ id }) => id)], this.#store.state.apiKey);
    } catch (error) {
      return this.#fail(problemOf(error), undefined);
    }
    const { outcomes, inputs, further } = this.#store.state;
    const isLeft = ({ id }: Input) => id === undefined || !ids.includes(id);
    this.#store.set({
      inputs: inputs.filter(isLeft),
      further: further.filter(isLeft),
      outcomes: outcomes.map((one) => (archived(one) ? { ...withoutFiles(one, ids), archives: [] } : one)),
      announcement: ids.length === 1 ? "The file was deleted." : `${ids.length} files were deleted.`,
    });
  }

  /**
   * Downloads an archive of outputs. Creates the archive first if it does not exist. @param number number of the
   * archive, from 0
   */
  downloadArchive({ key, archives }: Outcome, ids: readonly string[], number: number): void {
    if (this.#store.state.packing !== undefined) return;
    const known = archives.find((archive) => archive.number === number);
    if (known && Date.now() < Date.parse(known.info?.expires ?? "")) {
      saveFile(known.id);
      return;
    }
    this.#store.set({ packing: number, announcement: "The archive is being made." });
    if (this.#store.state.problem?.place === "result") this.#store.clear("problem");
    this.#packing = this.#makeArchive(key, ids, number);
  }

  async #makeArchive(key: number, ids: readonly string[], number: number): Promise<void> {
    try {
      const archive = { ...(await this.#pack(key, ids, number)), number };
      const { outcomes } = this.#store.state;
      const before = outcomes.find((one) => one.key === key)?.archives ?? [];
      this.#store.setOutcome(key, { archives: [...before.filter((one) => one.number !== number), archive] });
      this.#store.set({ announcement: "The archive is ready." });
      saveFile(archive.id);
    } catch (error) {
      this.#fail(problemOf(error), undefined, "result");
    } finally {
      this.#store.clear("packing");
    }
  }

  /** Creates an archive. It expires when the first of its files expires, and at the latest after an hour. */
  async #pack(key: number, ids: readonly string[], number: number) {
    const { apiKey, outcomes } = this.#store.state;
    const outcome = outcomes.find((one) => one.key === key)!;
    const response = await runJob({
      path: "/zip",
      body: { "id[]": ids, output: `${archiveName(outcome)}${number === 0 ? "" : `_${number + 1}`}` },
      key: apiKey,
      signal: new AbortController().signal,
      lifetimeSeconds: lifetimeWithin(outcome),
    });
    const [info] = response.outputFiles ?? [];
    return { id: String(response.outputId), ...(info ? { info } : {}) };
  }

  /** Runs jobs with limited concurrency. @returns the results in the order of the tasks, without canceled jobs */
  async #runAll(operation: Operation, tasks: readonly Task[], signal: AbortSignal): Promise<readonly Result[]> {
    const total = tasks.length;
    const results: (Result | undefined)[] = tasks.map(() => undefined);
    let done = 0;
    let refusal: Problem | undefined;
    const report = (job: Job) => this.#store.set({ job: total === 1 ? job : { step: "running", done, total } });
    const waiting = tasks.entries();
    const work = async () => {
      for (const [index, task] of waiting) {
        if (signal.aborted) return;
        try {
          if (refusal) throw new RequestError(refusal);
          const services = { store: this.#store, inputs: this.#inputs, signal, report };
          results[index] = await carryOut(operation, task, services);
        } catch (error) {
          if (signal.aborted) return;
          const problem = problemOf(error);
          // If the service rejects the key, stops, because all further jobs would fail, too.
          if (problemTarget(problem, operation) === "key") refusal = problem;
          results[index] = failed(operation, task, problem);
        }
        done++;
        if (total > 1) report({ step: "running" });
      }
    };
    await Promise.all(Array.from({ length: Math.min(JOBS_AT_ONCE, total) }, work));
    return results.filter((result) => result !== undefined);
  }

  /** Shows the results. If all jobs failed for the same reason, which is not about the files, shows only one error. */
  #conclude(operation: Operation, results: readonly Result[], { count, seconds }: { count: number; seconds: number }) {
    const problems = results.flatMap(({ problem }) => problem ?? []);
    const [first] = problems;
    const isOne = problems.every(({ sentence }) => sentence === first?.sentence);
    const place = first && problemTarget(first, operation);
    if (first && problems.length === count && (count === 1 || (isOne && place !== "files"))) {
      return this.#fail(first, operation);
    }
    if (results.length === 0) return this.#store.set({ announcement: "The job was canceled." });
    const { outcomes } = this.#store.state;
    const key = nextKey(outcomes);
    this.#store.set({
      outcomes: [{ key, path: operation.path, results, seconds, archives: [] }, ...outcomes],
      shown: key,
      announcement: summaryOf(results, count),
    });
  }

  #fail(problem: Problem, operation: Operation | undefined, elsewhere?: "result"): void {
    const place = problemTarget(problem, operation);
    // The announcement reaches screen readers independent of the place where the message is displayed.
    this.#store.set({
      problem: { ...problem, place: place === "key" ? place : (elsewhere ?? place) },
      announcement: problem.sentence,
    });
  }
}

export const nextKey = (outcomes: readonly Outcome[]): number => Math.max(0, ...outcomes.map(({ key }) => key)) + 1;

const failed = ({ path }: Operation, task: Task, problem: Problem): Result => ({
  ...{ path, title: titleOf(task), values: {}, problem },
  ...{ outputs: [], converted: [], notices: [], fonts: [] },
});

function withoutFiles(outcome: Outcome, ids: readonly string[]): Outcome {
  const results = outcome.results.map((result) => ({
    ...result,
    outputs: result.outputs.map((one) => (ids.includes(one.id) ? { ...one, isDeleted: true } : one)),
  }));
  return { ...outcome, results };
}

function summaryOf(results: readonly Result[], count: number): string {
  const outputs = results.flatMap(({ outputs }) => outputs);
  const made = results.some(({ data }) => data)
    ? "The answer is ready."
    : outputs.length === 1
      ? `${outputs[0]!.info?.name ?? "The file"} is ready.`
      : `${outputs.length} files are ready.`;
  if (count === 1) return made;
  const failures = results.filter(({ problem }) => problem).length;
  const canceled = count - results.length;
  const rest = [
    ...(failures > 0 ? [`${failures} failed`] : []),
    ...(canceled > 0 ? [`${canceled} were canceled`] : []),
  ];
  return [`${results.length - failures} of ${countText(count, "file")} are done`, ...rest]
    .join(", ")
    .concat(`. ${made}`);
}

/** Returns the name of an archive, without extension. */
function archiveName({ path, results }: Outcome): string {
  const [first, ...others] = results;
  if (others.length > 0) return `${path.slice(1)}_files`;
  return String(first?.values.output ?? stemOf(first?.outputs[0]?.info?.name ?? "files"));
}

function lifetimeWithin({ results }: Outcome): number {
  const ends = results.flatMap(({ outputs }) => outputs.flatMap(({ info }) => Date.parse(info?.expires ?? "") || []));
  const left = Math.floor((Math.min(...ends, Number.MAX_SAFE_INTEGER) - Date.now()) / 1000);
  return Math.max(60, Math.min(ARCHIVE_SECONDS, left - 1));
}

const problemOf = (error: unknown): Problem =>
  error instanceof RequestError ? error.problem : { status: 0, sentence: `The page has failed: ${error}` };
