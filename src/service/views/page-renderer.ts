// Renders page images. Small images have their own permits, and identical requests share one rendering. Large images
// are streamed like the outputs of other jobs.

import { LIMITS } from "../../document/contract/limits.ts";
import type { Input, Output } from "../../document/contract/operation.ts";
import { type RenderPageParams, renderPage } from "../../operations/render-page.ts";
import { yieldToEventLoop } from "../../runtime/delay.ts";
import { Timing } from "../http/contract/timing.ts";
import type { Negotiation } from "../http/responses/negotiation.ts";
import { collectOutputs, type OutputResult } from "../http/responses/outputs.ts";
import type { Storing } from "../http/responses/overflow.ts";
import { edgeJob, needsMoreMemory, selectBackends } from "../placement/placement.ts";
import type { ExtractedPage } from "./extracted-page.ts";
import type { PageImageParams } from "./image-request.ts";
import { KEPT_STRIPS_BYTES, type PageKey } from "./open-pages.ts";
import { type PageServices, type PagesDocument, runPageJob } from "./pages-service.ts";

/** A page of a document, with the resources for rendering it. */
export interface RenderablePage {
  readonly document: PagesDocument;
  readonly number: number;
  readonly page: ExtractedPage;
}

/** Reports whether an image is small, so that it is rendered completely before it is sent. */
export const isSmall = ({ picture: { size } }: PageImageParams): boolean =>
  size.width * size.height <= LIMITS.wholePageImagePixels;

/**
 * Renders a small image.
 * @throws EngineFailure the failure that the page caused
 */
export async function renderSmall(
  { document, number, page }: RenderablePage,
  params: PageImageParams,
  service: PageServices,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { shared } = service;
  const key = `${document.file.id} ${number}`;
  return shared.withFailureCache(key, async () => {
    using _turn = await shared.pageImageSemaphore.for(service.client).acquire(signal);
    await yieldToEventLoop();
    signal.throwIfAborted();
    if (page.pdf && isDrawnHere(service)) {
      try {
        return await drawHere({ id: document.file.id, number }, page, params, service, signal);
      } catch (error) {
        if (!needsMoreMemory(error)) throw error;
      }
    }
    let bytes = new Uint8Array(0) as Uint8Array;
    const job = edgeJob(renderPage, jobParams(page, number, params));
    await runPageJob(job, [inputOf(document, page)], { service, signal }, async (output) => {
      bytes = await joined(output);
    });
    return bytes;
  });
}

/**
 * Renders an image in this process. If memory suffices, renders concurrently with the engine of another job; otherwise
 * waits for the engine permit.
 */
async function drawHere(
  name: PageKey,
  page: ExtractedPage,
  params: PageImageParams,
  { shared: { openPages }, engineSemaphore }: PageServices,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const draw = () => openPages.draw(name, page, { ...params, page: 1 }, { heapLimitBytes: LIMITS.pageImageHeapBytes });
  if (!openPages.hasEngineFor(name.id)) openPages.close();
  const needed = openPages.hasEngineFor(name.id) ? 0 : LIMITS.pageImageHeapBytes + KEPT_STRIPS_BYTES;
  if (openPages.hasMemory(needed)) return draw();
  using _turn = await engineSemaphore.acquire(signal);
  return await draw();
}

const isDrawnHere = ({ budgets, container }: PageServices) => budgets.preferredBackend === "edge" || !container;

/**
 * Renders a large image.
 * @returns the output for the response, and `close`, which releases the resources
 */
export async function renderLarge(
  { document, number, page }: RenderablePage,
  params: PageImageParams,
  service: PageServices,
  signal: AbortSignal,
): Promise<{ readonly delivery: OutputResult; readonly storing: Storing; close(): Promise<void> }> {
  const { store, bufferQuota, overflowSemaphore, shared, client, log, defer } = service;
  const resources = new DisposableStack();
  const outputs = store.batch("output", resources.use(bufferQuota.openReservation()));
  const close = async () => {
    resources.dispose();
    await outputs.discard();
  };
  try {
    resources.use(await shared.largePageImageSemaphore.for(client).acquire(signal));
    const job = edgeJob(renderPage, jobParams(page, number, params));
    const [first, ...others] = selectBackends(job, [inputOf(document, page)], service);
    const recipient = {
      ...{ wishes: FILE, name: `page-${number}`, isNumbered: false, store, outputs, signal },
      ...{ responseReservation: resources.use(bufferQuota.openReservation()), timing: new Timing(), caller: undefined },
      maxBytes: service.config.maxOutputBytes,
    };
    const context = { signal, log, defer };
    const delivery = await collectOutputs(first.run(context), recipient).catch((error: unknown) => {
      if (others.length === 0 || !needsMoreMemory(error)) throw error;
      return collectOutputs(others[0]!.run(context), recipient);
    });
    const made = () => resources.dispose();
    if (delivery.kind === "arrival") made();
    return { delivery, storing: { store, outputs, overflowSemaphore, signal, made }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const FILE: Negotiation = {
  ...{ formatForOne: () => "file", formatForMany: () => "file", mayReturnFile: true },
  ...{ storesFile: false, returnsId: false, fingerprint: "file" },
};

const jobParams = ({ pdf }: ExtractedPage, number: number, params: PageImageParams): RenderPageParams => ({
  ...params,
  page: pdf ? 1 : number,
});

function inputOf({ input }: PagesDocument, { pdf }: ExtractedPage): Input {
  if (!pdf) return input;
  return {
    name: "page.pdf",
    size: pdf.length,
    bytes: async () => pdf,
    async *stream() {
      yield pdf;
    },
  };
}

async function joined({ body, headerPatch }: Output): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk.slice());
  const bytes = new Uint8Array(Buffer.concat(chunks));
  if (headerPatch) bytes.set(headerPatch());
  return bytes;
}
