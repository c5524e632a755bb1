// Running operations, which can be awaited and chained. A chain becomes one request.

import type { OperationName } from "../generated/operations.ts";
import type { CallOptions } from "./progress.ts";
import type { PendingResult, Result } from "./result.ts";

/** Parameters of an operation, in the client's spelling. */
export type Params = Readonly<Record<string, unknown>>;

/** One call of an operation. */
export interface Call {
  readonly name: OperationName;
  readonly inputs: unknown;
  readonly params: Params;
  readonly options: CallOptions;
}

/** Runs calls for {@link Pending}. */
export interface Runner {
  /** Runs consecutive calls as one request, each on the outputs of the previous one. */
  execute(calls: readonly [Call, ...Call[]]): Promise<Result>;
  /** Reports whether a call can be part of a request with several steps. */
  isStep(name: OperationName): boolean;
}

/**
 * A running operation. It starts after the current turn of the event loop, or when its result is requested. If by then
 * exactly one call was chained to it, and nothing else uses it, both run in one request.
 */
export class Pending implements PendingResult {
  readonly #runner: Runner;
  readonly #call: Call;
  readonly #previous: Pending | undefined;
  /** True if the call can be part of a request with several steps. */
  readonly #isStep: boolean;
  #followers = 0;
  #result: Promise<Result> | undefined;

  constructor(runner: Runner, call: Call, previous?: Pending) {
    this.#runner = runner;
    this.#call = call;
    this.#previous = previous;
    this.#isStep = Object.keys(call.options).length === 0 && runner.isStep(call.name);
    setTimeout(() => {
      if (!this.#isPart) void this.#started();
    });
  }

  // biome-ignore lint/suspicious/noThenProperty: a call can be awaited
  readonly then: PendingResult["then"] = (done, failed) => this.#started().then(done, failed);
  readonly catch: PendingResult["catch"] = (failed) => this.#started().catch(failed);
  readonly finally: PendingResult["finally"] = (settled) => this.#started().finally(settled);
  readonly blob: PendingResult["blob"] = async (options) => (await this.#started()).blob(options);
  readonly bytes: PendingResult["bytes"] = async (options) => (await this.#started()).bytes(options);
  readonly delete: PendingResult["delete"] = async (options) => (await this.#started()).delete(options);
  readonly save: PendingResult["save"] = async (path, options) => (await this.#started()).save(path, options);
  readonly stream: PendingResult["stream"] = async (options) => (await this.#started()).stream(options);
  readonly text: PendingResult["text"] = async (options) => (await this.#started()).text(options);

  /** Returns a call on the result of this one. */
  chain(call: Call): Pending {
    if (this.#runner.isStep(call.name)) this.#followers++;
    else this.#followers = Number.POSITIVE_INFINITY;
    return new Pending(this.#runner, call, this);
  }

  /** True if the call runs in the request of the one call that follows it. */
  get #isPart(): boolean {
    return this.#isStep && this.#followers === 1 && this.#result === undefined;
  }

  #started(): Promise<Result> {
    this.#result ??= this.#runner.execute(this.#callsOfRequest());
    return this.#result;
  }

  #callsOfRequest(): readonly [Call, ...Call[]] {
    const previous = this.#previous;
    if (previous === undefined || !previous.#isPart) return [this.#call];
    const [first, ...others] = previous.#callsOfRequest();
    return [first, ...others, this.#call];
  }
}
