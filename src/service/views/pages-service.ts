// Defines the dependencies of page images: the services of a request, and the resources that all requests of a process
// share.

import { EngineFailure, type FailureReason } from "../../document/contract/failure.ts";
import { LIMITS } from "../../document/contract/limits.ts";
import type { Context, Input, Output } from "../../document/contract/operation.ts";
import type { DocumentProperties } from "../../document/pages/page-groups.ts";
import type { PageRecord } from "../../document/search/page-record.ts";
import type { IndexPart } from "../../document/search/stored-text.ts";
import { abortAfter } from "../http/contract/time-limit.ts";
import type { ConnectedContainer } from "../placement/connection.ts";
import {
  type Backends,
  engineMemoryBytes,
  type JobPlan,
  needsMoreMemory,
  selectBackends,
} from "../placement/placement.ts";
import { retryIfLost } from "../placement/retry-lost.ts";
import { createSemaphore, type ObservableSemaphore, type Semaphore } from "../placement/semaphore.ts";
import type { ProcessCapacity } from "../settings/capacity.ts";
import type { Config } from "../settings/config.ts";
import type { FoundFile } from "../storage/file.ts";
import type { MemoryQuota } from "../storage/memory-quota.ts";
import type { Store } from "../storage/store.ts";
import type { ExtractedPage } from "./extracted-page.ts";
import type { PageImageCache } from "./image-cache.ts";
import { OpenPages } from "./open-pages.ts";
import { SingleFlight } from "./single-flight.ts";
import { Kept } from "./text/kept.ts";

export interface PageServices extends Backends {
  readonly config: Config;
  readonly store: Store;
  readonly container: ConnectedContainer | undefined;
  readonly shared: PageResources;
  /** Client ID. */
  readonly client: string;
  readonly bufferQuota: MemoryQuota;
  /** Limits jobs that no longer wait for their slow clients, but write the output to storage. */
  readonly overflowSemaphore: Semaphore;
  readonly cache: PageImageCache | undefined;
  /** Base URL of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly log: Context["log"];
  readonly defer: Context["defer"];
  /** Keeps work running after the response, or after the client has disconnected. */
  waitUntil(work: Promise<unknown>): void;
}

/** Maximum number of cached failures. */
const REMEMBERED_FAILURES = 512;
/** Maximum number of words of the pages whose text is kept in memory. */
const KEPT_WORDS = 20_000;
/** Maximum size of the indexes that are kept in memory, in bytes as they are stored. */
const KEPT_INDEX_BYTES = 4 * 2 ** 20;
const KEPT_INDEX_SIZES = 1000;
/** Failures that the same document causes at every attempt. */
const LASTING: readonly FailureReason[] = ["password-protected", "not-a-pdf", "damaged", "unsupported", "too-complex"];

/** Resources that the page images of one process share. */
export class PageResources {
  readonly pageImageSemaphore: ObservableSemaphore;
  readonly largePageImageSemaphore: ObservableSemaphore;
  readonly extractionSemaphore: ObservableSemaphore;
  /** Limits extractions that no client waits for. */
  readonly prefetchSemaphore: Semaphore;
  readonly pictures = new SingleFlight<Uint8Array>();
  readonly pages = new SingleFlight<ExtractedPage>();
  readonly facts = new SingleFlight<DocumentProperties>();
  readonly textGroups = new SingleFlight<Uint8Array | undefined>();
  /** Indexes that are being made; the results are their numbers of parts. */
  readonly indexing = new SingleFlight<number>();
  /** Text of pages, by ID and page number. */
  readonly texts = new Kept<PageRecord>(KEPT_WORDS);
  /** Parts of indexes, by ID and number. */
  readonly indexes = new Kept<IndexPart>(KEPT_INDEX_BYTES);
  /** Numbers of parts, by ID. */
  readonly indexSizes = new Kept<number>(KEPT_INDEX_SIZES);
  readonly openPages: OpenPages;
  /** IDs of documents whose pages are being prefetched. */
  readonly extracting = new Set<string>();
  readonly #failures = new Map<string, EngineFailure>();

  constructor(budgets: ProcessCapacity) {
    const { pageImageJobs, pageImageJobsQueued } = budgets;
    this.openPages = new OpenPages(engineMemoryBytes(budgets));
    const turns = (maxQueued: number, leavesRoom = false) =>
      createSemaphore({ concurrency: pageImageJobs, maxQueued, maxWaitMs: LIMITS.permitWaitMs, leavesRoom });
    this.pageImageSemaphore = turns(pageImageJobsQueued);
    this.largePageImageSemaphore = turns(LIMITS.receivingJobsQueued, true);
    this.extractionSemaphore = turns(pageImageJobsQueued);
    this.prefetchSemaphore = turns(LIMITS.receivingJobsQueued);
  }

  /**
   * Runs work on a document. If the same work has failed before because of the document, throws the cached failure
   * instead.
   * @param key identifies the document and the work
   */
  async withFailureCache<T>(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.#failures.get(key);
    if (known) throw known;
    try {
      return await work();
    } catch (error) {
      if (error instanceof EngineFailure && LASTING.includes(error.reason)) this.#remember(key, error);
      throw error;
    }
  }

  #remember(key: string, failure: EngineFailure): void {
    this.#failures.set(key, failure);
    if (this.#failures.size <= REMEMBERED_FAILURES) return;
    const [oldest] = this.#failures.keys();
    this.#failures.delete(oldest!);
  }
}

/** A document in storage. */
export interface PagesDocument {
  readonly file: FoundFile;
  readonly input: Input;
}

/**
 * Runs a job at the edge or in the container. If the edge lacks memory, runs it in the container; if the container is
 * lost, retries once.
 * @param take receives each output. A retry starts again with the first output
 */
export async function runPageJob(
  job: JobPlan,
  inputs: readonly Input[],
  { service, signal }: { readonly service: PageServices; readonly signal: AbortSignal },
  take: (output: Output) => Promise<void>,
): Promise<void> {
  const deadline = new AbortController();
  using _limit = abortAfter(LIMITS.requestJobMs, deadline);
  const { log, defer, container } = service;
  const context = { signal: AbortSignal.any([signal, deadline.signal]), log, defer };
  const [first, ...others] = selectBackends(job, inputs, service);
  const carriedOut = (attempt: typeof first) =>
    retryIfLost(
      async () => {
        for await (const output of attempt.run(context)) await take(output);
      },
      { container, signal: context.signal, log },
    );
  try {
    await carriedOut(first);
  } catch (error) {
    if (others.length === 0 || !needsMoreMemory(error)) throw error;
    log("job moved to container", { error: String(error) });
    await carriedOut(others[0]!);
  }
}
