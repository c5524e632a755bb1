// Recognizes the text of pages without text, and of pictures on other pages, several at a time, and adds it to the PDF. A
// page that fails stays as it is, if others succeed.

import { join } from "node:path";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { type NoticeSubject, namedNotices } from "../../src/document/contract/notice.ts";
import type { Output } from "../../src/document/contract/operation.ts";
import type { PageSelection } from "../../src/document/contract/pages.ts";
import { parsePages } from "../../src/document/contract/pages.ts";
import { sureLines } from "../../src/document/recognition/hocr.ts";
import { addRecognizedText, type RecognizedPage } from "../../src/operations/recognition-steps/add-recognized-text.ts";
import {
  type DrawnPage,
  drawUnreadPages,
  type FailedPage,
  type UnreadPages,
} from "../../src/operations/recognition-steps/draw-unread-pages.ts";
import { type RecognizeTextParams, recognizeText } from "../../src/operations/recognize-text.ts";
import { decodeResponse } from "../../src/service/placement/remote.ts";
import { recognizePage, type TurnedPicture } from "../engines/tesseract/recognize-page.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { drainOnReturn, readBytes, readText, writeToFile } from "../pdfa/outputs.ts";
import { threadJob } from "../processes/thread-job.ts";
import type { FileInput } from "../scratch/file-input.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { type Engines, type NativeJob, nativeOperation } from "./native.ts";

export const nativeRecognizeText = nativeOperation(
  recognizeText,
  { engine: "threads", timeoutMs: CONTAINER_LIMITS.longJobMs },
  async function* (job, params, engines) {
    yield* encodeOutputs(withFurther(recognize(job, params, engines), job), job.log);
  },
);

/** Passes further files, such as one to attach, to the next step. */
async function* withFurther(outputs: AsyncIterable<Output>, { inputs }: NativeJob): AsyncGenerator<Output> {
  yield* outputs;
  for (const further of inputs.slice(1)) {
    const { name, role } = further;
    yield {
      extension: "bin",
      type: "application/octet-stream",
      name,
      ...(role ? { role } : {}),
      body: further.stream(),
    };
  }
}

/** @throws OutOfRange if a page does not exist; the failure of the document, or of its only pages */
async function* recognize(job: NativeJob, params: RecognizeTextParams, engines: Engines): AsyncGenerator<Output> {
  const [input] = job.inputs;
  if (!input) throw new EngineFailure("unsupported", "no file");
  const recognition = new Recognition(input, params, job, engines);
  await recognition.run();
  const { pages, failed } = recognition;
  job.log("text recognized", { pages: pages.length, failed: failed.length });
  const notices = namedNotices("pages-not-recognized", failed);
  if (pages.length === 0) {
    yield { extension: "pdf", type: "application/pdf", body: input.stream(), notices: () => notices };
    return;
  }
  const body = new TextEncoder().encode(JSON.stringify(pages));
  const texts = await writeToFile(join(job.folder, "recognized.json"), body, job.signal);
  const { threads, heapLimitBytes } = engines;
  const frames = threads.run(threadJob(addRecognizedText, [input, texts], {}, heapLimitBytes), job.signal, job.log);
  for await (const output of decodeResponse(drainOnReturn(frames), job)) {
    yield { ...output, notices: () => [...(output.notices?.() ?? []), ...notices] };
  }
}

/** Ends without an error when the signal is aborted, if that causes the error. */
async function* untilAborted<T>(values: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  try {
    yield* values;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

type DrawnPicture = TurnedPicture<DrawnPage>;

const numberOf = (found: DrawnPicture | DrawnPage | FailedPage): number =>
  ("place" in found ? found.place : found).pageNumber;

class Recognition {
  readonly pages: RecognizedPage[] = [];
  readonly failed: NoticeSubject[] = [];
  readonly #input: FileInput;
  readonly #params: RecognizeTextParams;
  readonly #job: NativeJob;
  readonly #engines: Engines;
  /** Aborted when the time for recognition is over. The pages recognized until then are written. */
  readonly #timeUp = AbortSignal.timeout(CONTAINER_LIMITS.recognitionMs);
  /** Aborted when the job ends, too. */
  readonly #signal: AbortSignal;
  readonly #running = new Set<Promise<void>>();
  #firstFailure: unknown;

  constructor(input: FileInput, params: RecognizeTextParams, job: NativeJob, engines: Engines) {
    this.#input = input;
    this.#params = params;
    this.#job = job;
    this.#signal = AbortSignal.any([job.signal, this.#timeUp]);
    this.#engines = engines;
  }

  /** @throws the first failure, if no page succeeded and one has no text */
  async run(): Promise<void> {
    const left = new Set<number>();
    let withoutText: readonly number[] = [];
    let succeeded = 0;
    const { processes } = this.#engines.tesseract;
    const finish = async (number: number, work: () => Promise<RecognizedPage | undefined>) => {
      try {
        const page = await work();
        if (page) this.pages.push(page);
        succeeded++;
        left.delete(number);
      } catch (error) {
        this.#job.signal.throwIfAborted();
        this.#firstFailure ??= error;
        this.#job.log("page not recognized", { pageNumber: number, error: String(error) });
      }
    };
    for await (const found of untilAborted(this.#draw(this.#params.pages, 0), this.#timeUp)) {
      if ("withoutText" in found) {
        ({ withoutText } = found);
        for (const number of [...found.withoutText, ...found.withPictures]) left.add(number);
      } else {
        const work = finish(numberOf(found), () => this.#read(found));
        const tracked = work.finally(() => this.#running.delete(tracked));
        // Awaited below.
        tracked.catch(() => {});
        this.#running.add(tracked);
        // One more than processes, so that the next picture is ready when a process ends.
        if (this.#running.size > processes) await Promise.race(this.#running);
      }
    }
    await Promise.all(this.#running);
    this.#job.signal.throwIfAborted();
    if (succeeded === 0 && withoutText.some((number) => left.has(number)))
      throw this.#firstFailure ?? new EngineFailure("timed-out", "no page in time");
    this.failed.push(...[...left].sort((a, b) => a - b).map((number) => ({ name: String(number) })));
    this.pages.sort((one, other) => one.pageNumber - other.pageNumber);
  }

  async #read(found: DrawnPicture | DrawnPage | FailedPage): Promise<RecognizedPage | undefined> {
    if ("failure" in found) throw new EngineFailure(found.failure, "the page cannot be drawn");
    if (!("place" in found)) return undefined;
    const { pageNumber } = found.place;
    const redraw = async (turn: number) => {
      const selection = parsePages(String(pageNumber));
      for await (const picture of this.#draw(selection, turn)) if ("place" in picture) return picture;
      return undefined;
    };
    const { tesseract } = this.#engines;
    const { languages } = this.#params;
    const { lines: all, place } = await recognizePage(tesseract, found, languages, redraw, this.#signal);
    const lines = found.place.hasText ? sureLines(all) : all;
    return lines.length === 0 ? undefined : { pageNumber, lines, matrix: place.matrix };
  }

  /** Yields the lists of pages to read, and then the pages: drawn, blank or failed. */
  async *#draw(
    pages: PageSelection | undefined,
    turn: number,
  ): AsyncGenerator<UnreadPages | DrawnPicture | DrawnPage | FailedPage> {
    const signal = this.#signal;
    const { log } = this.#job;
    const { threads, heapLimitBytes } = this.#engines;
    const params = { turn, ...(pages ? { pages } : {}) };
    const frames = threads.run(threadJob(drawUnreadPages, [this.#input], params, heapLimitBytes), signal, log);
    let drawn: DrawnPage | undefined;
    for await (const { type, body } of decodeResponse(frames, { signal })) {
      if (type !== "application/json") {
        const { dpi, isSideways, hasText } = drawn!;
        yield { bytes: await readBytes(body), dpi, isSideways, isUpright: hasText, place: drawn! };
        continue;
      }
      const about = JSON.parse(await readText(body)) as UnreadPages | DrawnPage | FailedPage;
      drawn = "isBlank" in about && !about.isBlank ? about : undefined;
      if (!drawn) yield about;
    }
  }
}
