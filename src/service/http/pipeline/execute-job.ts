// Runs the job of a request whose body has been read.

import { EngineFailure } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import {
  type Backend,
  type Backends,
  type JobPlan,
  needsMoreMemory,
  selectBackends,
} from "../../placement/placement.ts";
import { retryIfLost } from "../../placement/retry-lost.ts";
import type { Progress } from "../../ports/jobs.ts";
import type { Batch } from "../../storage/batch.ts";
import type { RequestMemory } from "../../storage/memory-quota.ts";
import { namingOf } from "../contract/declaration/output-declaration.ts";
import { type Endpoint, type ParsedRequest, type RequestServices, uploadLimit } from "../contract/endpoint.ts";
import type { Form } from "../contract/form.ts";
import { abortAfter } from "../contract/time-limit.ts";
import { type InputFile, toInput } from "../requests/inputs.ts";
import { type FetchOptions, fetchInput } from "../requests/url-inputs.ts";
import { checkDelivery, delivering } from "../responses/delivery.ts";
import type { Negotiation } from "../responses/negotiation.ts";
import { collectOutputs, type OutputResult } from "../responses/outputs.ts";
import { resolveRequest } from "./resolve-request.ts";

/** A request whose body has been read. */
export interface RequestState extends Pick<RequestMemory, "uploadReservation" | "responseReservation"> {
  readonly endpoint: Endpoint;
  readonly service: RequestServices;
  readonly wishes: Negotiation;
  readonly form: Form;
  readonly outputs: Batch;
  /** True if the uploaded files are not needed after the request. */
  readonly isTransient: boolean;
  /** Aborted when the client disconnects, or by {@link deadline}. */
  readonly signal: AbortSignal;
  readonly deadline: AbortController;
  /** Called after each output, if the job has several outputs. */
  progress?(progress: Progress): void;
}

/** The result of a job, and where it goes. */
interface Worked {
  readonly sources: readonly InputFile[];
  readonly delivery: OutputResult;
  readonly deliverTo: string | undefined;
  readonly deliverAs: ParsedRequest["deliverAs"];
}

/** Validates the fields, fetches the inputs, and runs the job. */
export async function executeJob(exchange: RequestState, resources: DisposableStack): Promise<Worked> {
  const { endpoint, service, form, outputs, signal, deadline } = exchange;
  const { store, timing, config } = service;
  const { progress } = exchange;
  const model = service.model?.((tokens) => service.caller?.countTokens(tokens));
  const context = {
    ...{ signal, log: service.log, defer: service.defer },
    ...(model ? { model } : {}),
    ...(progress ? { onStep: progress } : {}),
  };
  const places = measuredBackends(service);
  const fetching: FetchOptions = {
    ...{
      ...context,
      places,
      container: service.container,
      uploads: form.uploads,
      uploadReservation: exchange.uploadReservation,
    },
    isTransient: exchange.isTransient,
    maxBytes: uploadLimit(endpoint, config),
    visit: () => endpoint.visitIn?.(form) ?? {},
  };
  const { sources, parse } = await abortingAfter(LIMITS.fetchesMs, deadline, () =>
    resolveRequest(endpoint, form, {
      ...{ store, config, caller: service.caller },
      receive: (addressed) => fetchInput(addressed, fetching),
    }),
  );
  const { output: name, isData, deliverTo, deliverAs, nameOf, prepare } = parse(sources[0]);
  if (deliverTo !== undefined) await checkDelivery(deliverTo, signal, service);
  const wishes = deliverTo === undefined ? exchange.wishes : delivering(exchange.wishes);
  const inputs = sources.map((source) => toInput(source, store));
  const isNumbered = namingOf(endpoint.output) !== "name";
  const { keepsNames = false, isPlainIfOne = false } = endpoint.output.kind === "files" ? endpoint.output : {};
  resources.use(abortAfter(LIMITS.requestJobMs, deadline));
  const job = await prepare(inputs, config);
  const attempted = (attempt: Backend) =>
    retryIfLost(
      // Each attempt collects its own outputs and notices.
      () =>
        collectOutputs(attempt.run(context), {
          ...(nameOf ? { nameOf } : {}),
          ...{ ...exchange, wishes, name, isNumbered, isPlainIfOne, keepsNames, isData, store, timing },
          ...{ caller: service.caller, maxBytes: config.maxOutputBytes },
        }),
      { container: service.container, signal, log: service.log, rollback: () => outputs.discard() },
    );
  const onBackend = (plan: JobPlan): ReturnType<typeof attempted> => {
    const [first, ...others] = selectBackends(plan, inputs, places);
    return attempted(first).catch(async (error: unknown) => {
      if (others.length === 0 || outputs.count > 0 || !needsMoreMemory(error)) throw error;
      service.log("job moved to container", { error: String(error) });
      return attempted(others[0]!);
    });
  };
  const run = ({ first, ...plan }: JobPlan): ReturnType<typeof attempted> => {
    if (!first) return onBackend(plan);
    return run(first.job).catch((error: unknown) => {
      const next = error instanceof EngineFailure && outputs.count === 0 ? first.otherwise(error) : undefined;
      if (!next) throw error;
      service.log("job replaced", { error: String(error) });
      return run(next);
    });
  };
  const delivery = await timing.measure("store", () => run(job));
  return { sources, delivery, deliverTo, deliverAs };
}

/** Measures the time that the request waits for permits. */
const measuredBackends = ({ timing, budgets, container, typefaceCache, ...semaphores }: RequestServices): Backends => ({
  ...{ budgets, container, typefaceCache },
  engineSemaphore: timing.measureWaits(semaphores.engineSemaphore),
  receiveSemaphore: timing.measureWaits(semaphores.receiveSemaphore),
  containerSemaphore: timing.measureWaits(semaphores.containerSemaphore),
});

async function abortingAfter<T>(timeoutMs: number, controller: AbortController, work: () => Promise<T>): Promise<T> {
  using _limit = abortAfter(timeoutMs, controller);
  return await work();
}
