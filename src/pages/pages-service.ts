// Defines what pictures by URL work with: what a request brings, and what all requests of a process share.

import type { Budgets } from "../core/budgets.ts";
import type { Config } from "../core/config.ts";
import { EngineFailure, type FailureReason } from "../core/failure.ts";
import { LIMITS } from "../core/limits.ts";
import type { Context, Input, Output } from "../core/operation.ts";
import { onceMoreIfLost } from "../http/once-more.ts";
import { abortAfter } from "../http/time-limit.ts";
import type { DocumentFacts } from "../operations/extracted-pages.ts";
import type { ConnectedContainer } from "../placement/connection.ts";
import { attempts, type Job, needsMoreRoom, type Places, roomForEngines } from "../placement/placement.ts";
import { type CountedTurns, createTurns, type Turns } from "../placement/turns.ts";
import type { FoundFile } from "../storage/file.ts";
import type { KeptBytes } from "../storage/kept-bytes.ts";
import type { Store } from "../storage/store.ts";
import { KeptPages } from "./kept-pages.ts";
import type { PictureCache } from "./picture-cache.ts";
import { SharedWork } from "./shared-work.ts";
import type { ShelvedPage } from "./shelved-page.ts";

export interface PagesService extends Places {
  readonly config: Config;
  readonly store: Store;
  readonly container: ConnectedContainer | undefined;
  readonly shared: SharedPages;
  /** Identifier of the client. */
  readonly client: string;
  readonly waiting: KeptBytes;
  /** See Service. */
  readonly overflowTurns: Turns;
  readonly cache: PictureCache | undefined;
  /** Prefix of all URLs, without a path. */
  readonly baseUrl: string;
  readonly log: Context["log"];
  readonly defer: Context["defer"];
  /** Lets work go on after the response, or after the client has left. */
  waitUntil(work: Promise<unknown>): void;
}

/** Whoever begins shared work may leave before it is done, so it has a limit of its own. */
const REMEMBERED_FAILURES = 512;
/** Failures that the same document would cause again. */
const LASTING: readonly FailureReason[] = ["password-protected", "not-a-pdf", "damaged", "unsupported", "too-complex"];

/** What the pictures of one process share. */
export class SharedPages {
  readonly pictureTurns: CountedTurns;
  readonly largePictureTurns: CountedTurns;
  readonly extractionTurns: CountedTurns;
  /** For extractions that nobody waits for. */
  readonly aheadTurns: Turns;
  readonly pictures = new SharedWork<Uint8Array>();
  readonly pages = new SharedWork<ShelvedPage>();
  readonly facts = new SharedWork<DocumentFacts>();
  readonly kept: KeptPages;
  /** Ids of documents whose pages are being extracted ahead. */
  readonly extracting = new Set<string>();
  readonly #failures = new Map<string, EngineFailure>();

  constructor(budgets: Budgets) {
    const { pictureJobs, pictureJobsWaiting } = budgets;
    this.kept = new KeptPages(roomForEngines(budgets));
    const turns = (waiting: number, leavesRoom = false) =>
      createTurns({ atOnce: pictureJobs, waiting, maxWaitMs: LIMITS.turnWaitMs, leavesRoom });
    this.pictureTurns = turns(pictureJobsWaiting);
    this.largePictureTurns = turns(LIMITS.receivingJobsWaiting, true);
    this.extractionTurns = turns(LIMITS.receivingJobsWaiting);
    this.aheadTurns = turns(LIMITS.receivingJobsWaiting);
  }

  /** Does work that fails at once if it failed before because of the document. @param key of document and work */
  async remembering<T>(key: string, work: () => Promise<T>): Promise<T> {
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
 * Runs a job where there is room for it, and once more if its container is lost.
 * @param take receives the outputs, possibly from the first one again
 */
export async function runJob(
  job: Job,
  inputs: readonly Input[],
  { service, signal }: { readonly service: PagesService; readonly signal: AbortSignal },
  take: (output: Output) => Promise<void>,
): Promise<void> {
  const late = new AbortController();
  using _limit = abortAfter(LIMITS.requestJobMs, late);
  const { log, defer, container } = service;
  const context = { signal: AbortSignal.any([signal, late.signal]), log, defer };
  const [first, ...others] = attempts(job, inputs, service);
  const carriedOut = (attempt: typeof first) =>
    onceMoreIfLost(
      async () => {
        for await (const output of attempt.run(context)) await take(output);
      },
      { container, signal: context.signal, log },
    );
  try {
    await carriedOut(first);
  } catch (error) {
    if (others.length === 0 || !needsMoreRoom(error)) throw error;
    log("job moved to container", { error: String(error) });
    await carriedOut(others[0]!);
  }
}
