// Draws pictures of pages: small ones in turns of their own, and shared by all who ask for them; large ones like the
// outputs of other jobs.

import { LIMITS } from "../core/limits.ts";
import type { Input, Output } from "../core/operation.ts";
import { letOthersRun } from "../core/pause.ts";
import { type Delivery, deliver } from "../http/delivery.ts";
import type { Wishes } from "../http/negotiation.ts";
import type { Storing } from "../http/overflow.ts";
import { Timing } from "../http/timing.ts";
import { type DrawPageParams, drawPage } from "../operations/draw-page.ts";
import { attempts, edge, needsMoreRoom } from "../placement/placement.ts";
import { KEPT_STRIPS_BYTES, type PageName } from "./kept-pages.ts";
import { type PagesDocument, type PagesService, runJob } from "./pages-service.ts";
import type { PictureParams } from "./picture-request.ts";
import type { ShelvedPage } from "./shelved-page.ts";

/** A page of a document, with everything to draw it. */
export interface DrawnPage {
  readonly document: PagesDocument;
  readonly number: number;
  readonly page: ShelvedPage;
}

/** Reports whether a picture is complete before it is sent. */
export const isSmall = ({ picture: { size } }: PictureParams): boolean =>
  size.width * size.height <= LIMITS.wholePicturePixels;

/** Draws a small picture. @throws EngineFailure the failure that the page caused */
export async function drawSmall(
  { document, number, page }: DrawnPage,
  params: PictureParams,
  service: PagesService,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { shared } = service;
  const key = `${document.file.id} ${number}`;
  return shared.remembering(key, async () => {
    using _turn = await shared.pictureTurns.for(service.client).take(signal);
    await letOthersRun();
    signal.throwIfAborted();
    if (page.pdf && isDrawnHere(service)) {
      try {
        return await drawHere({ id: document.file.id, number }, page, params, service, signal);
      } catch (error) {
        if (!needsMoreRoom(error)) throw error;
      }
    }
    let bytes = new Uint8Array(0) as Uint8Array;
    const job = edge(drawPage, jobParams(page, number, params));
    await runJob(job, [inputOf(document, page)], { service, signal }, async (output) => {
      bytes = await joined(output);
    });
    return bytes;
  });
}

/** Draws beside an engine that is at work, if there is memory for both, or else in a turn of engines. */
async function drawHere(
  name: PageName,
  page: ShelvedPage,
  params: PictureParams,
  { shared: { kept }, engineTurns }: PagesService,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const draw = () => kept.draw(name, page, { ...params, page: 1 }, { heapLimitBytes: LIMITS.pictureHeapBytes });
  if (!kept.holds(name.id)) kept.close();
  const needed = kept.holds(name.id) ? 0 : LIMITS.pictureHeapBytes + KEPT_STRIPS_BYTES;
  if (kept.hasRoom(needed)) return draw();
  using _turn = await engineTurns.take(signal);
  return await draw();
}

const isDrawnHere = ({ budgets, container }: PagesService) => budgets.engines === "edge" || !container;

/**
 * Draws a large picture.
 * @returns what to answer with, and what to do afterwards
 */
export async function drawLarge(
  { document, number, page }: DrawnPage,
  params: PictureParams,
  service: PagesService,
  signal: AbortSignal,
): Promise<{ readonly delivery: Delivery; readonly storing: Storing; close(): Promise<void> }> {
  const { store, waiting, overflowTurns, shared, client, log, defer } = service;
  const resources = new DisposableStack();
  const outputs = store.batch("output", resources.use(waiting.open()));
  const close = async () => {
    resources.dispose();
    await outputs.discard();
  };
  try {
    resources.use(await shared.largePictureTurns.for(client).take(signal));
    const job = edge(drawPage, jobParams(page, number, params));
    const [first, ...others] = attempts(job, [inputOf(document, page)], service);
    const recipient = {
      ...{ wishes: FILE, name: `page-${number}`, isNumbered: false, store, outputs, signal },
      ...{ holding: resources.use(waiting.open()), timing: new Timing(), caller: undefined },
      maxBytes: service.config.maxOutputBytes,
    };
    const context = { signal, log, defer };
    const delivery = await deliver(first.run(context), recipient).catch((error: unknown) => {
      if (others.length === 0 || !needsMoreRoom(error)) throw error;
      return deliver(others[0]!.run(context), recipient);
    });
    const made = () => resources.dispose();
    if (delivery.kind === "arrival") made();
    return { delivery, storing: { store, outputs, overflowTurns, signal, made }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const FILE: Wishes = {
  ...{ one: () => "file", several: () => "file", mayBeFile: true },
  ...{ stores: false, tellsId: false, summary: "file" },
};

const jobParams = ({ pdf }: ShelvedPage, number: number, params: PictureParams): DrawPageParams => ({
  ...params,
  page: pdf ? 1 : number,
});

function inputOf({ input }: PagesDocument, { pdf }: ShelvedPage): Input {
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

async function joined({ body, head }: Output): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk.slice());
  const bytes = new Uint8Array(Buffer.concat(chunks));
  if (head) bytes.set(head());
  return bytes;
}
