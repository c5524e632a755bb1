// Runs the chosen operation on the inputs, and keeps what it made until the next one.
import type { Answer } from "./answers.ts";
import type { Inputs } from "./inputs.ts";
import type { Operation } from "./operations.ts";
import { type Problem, placeOf } from "./problems.ts";
import { bodyOf, inputsOf, sentValues } from "./request.ts";
import { infoOf, Refusal, remove, runJob } from "./service.ts";
import type { Input, Output, Values } from "./state.ts";
import type { Store } from "./store.ts";

/** Outputs beyond this number are listed without their facts. */
const MAX_DESCRIBED = 200;

export class Jobs {
  readonly #store: Store;
  readonly #inputs: Inputs;
  #running: AbortController | undefined;

  constructor(store: Store, inputs: Inputs) {
    this.#store = store;
    this.#inputs = inputs;
  }

  async run(operation: Operation): Promise<void> {
    if (this.#running) return;
    const abort = new AbortController();
    this.#running = abort;
    this.#store.clear("problem", "result");
    this.#store.set({ job: { step: "uploading" }, announcement: "The job has started." });
    try {
      await this.#work(operation, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) this.#store.set({ announcement: "The job was canceled." });
      else this.#fail(problemOf(error), operation);
    } finally {
      this.#running = undefined;
      this.#store.clear("job");
    }
  }

  /** Ends the job that runs. What it stored is removed. */
  cancel(): void {
    this.#running?.abort(new DOMException("The job was canceled.", "AbortError"));
    this.#inputs.abortUploads();
  }

  async deleteOutput(id: string): Promise<void> {
    try {
      await remove(id, this.#store.state.apiKey);
    } catch (error) {
      return this.#fail(problemOf(error), undefined);
    }
    const { result, inputs } = this.#store.state;
    this.#store.set({
      inputs: inputs.filter((input) => input.id !== id),
      announcement: "The file was deleted.",
      ...(result
        ? {
            result: {
              ...result,
              outputs: result.outputs.map((one) => (one.id === id ? { ...one, isDeleted: true } : one)),
            },
          }
        : {}),
    });
  }

  async #work(operation: Operation, signal: AbortSignal): Promise<void> {
    const started = performance.now();
    await this.#inputs.storeAll();
    signal.throwIfAborted();
    const { apiKey, service } = this.#store.state;
    const inputs = inputsOf(operation, this.#store.state);
    const values = sentValues(operation, this.#store.state);
    this.#store.set({ job: { step: "starting" } });
    const answer = await runJob({
      path: operation.path,
      body: bodyOf(operation, inputs, values),
      key: apiKey,
      follows: service?.jobs ?? false,
      signal,
      onProgress: (progress) => this.#store.set({ job: { step: progress.phase, progress } }),
    });
    await this.#show(operation, { answer, inputs, values, requestSeconds: (performance.now() - started) / 1000 });
  }

  async #show(
    { path, source }: Operation,
    made: { answer: Answer; inputs: readonly Input[]; values: Values; requestSeconds: number },
  ): Promise<void> {
    const { answer, inputs, values, requestSeconds } = made;
    const ids = [answer.outputId].flat();
    const outputs = await Promise.all(ids.map((id, index) => outputOf(id, index < MAX_DESCRIBED)));
    const inputId = source === "one" ? [answer.inputId ?? inputs[0]?.id ?? []].flat()[0] : undefined;
    const input = inputId === undefined ? undefined : await outputOf(inputId, true);
    this.#store.set({
      result: {
        ...{ path, outputs, values, requestSeconds },
        ...(input ? { input } : {}),
        notices: answer.notices ?? [],
        fonts: answer.substitutedFonts ?? [],
      },
      announcement:
        outputs.length === 1
          ? `${outputs[0]!.info?.name ?? "The file"} is ready.`
          : `${outputs.length} files are ready.`,
    });
  }

  #fail(problem: Problem, operation: Operation | undefined): void {
    // The live region says it, wherever the sentence is shown.
    this.#store.set({ problem: { ...problem, place: placeOf(problem, operation) }, announcement: problem.sentence });
  }
}

async function outputOf(id: string, isDescribed: boolean): Promise<Output> {
  const info = isDescribed ? await infoOf(id) : undefined;
  return { id, isDeleted: false, ...(info ? { info } : {}) };
}

const problemOf = (error: unknown): Problem =>
  error instanceof Refusal ? error.problem : { status: 0, sentence: `The page has failed: ${error}` };
