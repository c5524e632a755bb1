// Prints one page to PDF: emulates a device, loads the page, waits until it is complete, and prints. Every step has a
// time limit.

import type { Protocol } from "devtools-protocol";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import type { OwnPages } from "../../../src/operations/to-pdf/html-to-pdf.ts";
import { DEVICES, type DeviceName, emulate } from "./devices.ts";
import { Loading } from "./loading.ts";
import type { ProxySession } from "./network/web-proxy.ts";
import { enlargePages, savePdf } from "./output.ts";
import { ProtocolError, type Session } from "./pipe.ts";
import { QUESTIONS } from "./scripts/page-scripts.ts";
import { detectMedium, type Findings, isSettled, type Paper, setPaper } from "./scripts/paper-scripts.ts";
import { waiting } from "./scripts/waiting-scripts.ts";
import { readStyleSheets } from "./style-sheets.ts";

/** A blank page in a separate context, for one job. */
export interface LeasedPage extends AsyncDisposable {
  readonly session: Session;
  /** ID of the page's main frame. */
  readonly frameId: string;
  /**
   * Makes the page visible. A page starts hidden: it is not rendered and has no animation frames. @throws ProtocolError
   */
  show(): Promise<void>;
  /** Rejects when the page or browser cannot continue: EngineFailure, {@link RendererLost}, {@link BrowserLost}. */
  readonly failed: Promise<never>;
  /** Grants the page access to the web. Without a visit, its requests get no response. */
  visit(visit: ProxySession): void;
  /** Lowers the priority of the page's processes from now on. */
  lower(): void;
}

/** Options for printing a page. Lengths are in points. */
export interface PrintOptions {
  readonly paper: { readonly width: number; readonly height: number };
  readonly margin: number;
  /** @default a desktop; no device for a document made for paper, whose CSS lengths stay unchanged */
  readonly layout?: DeviceName;
  /** The @page rules of a document made for paper that apply. @default none */
  readonly ownPages?: OwnPages;
  /**
   * Includes the structure and the outline in the PDF. Chromium derives the outline only from the structure. @default
   * false
   */
  readonly tagged?: boolean;
}

export interface PageLimits {
  /** Time limit for loading and parsing the document. */
  readonly parseMs: number;
  /** Time limit for images, fonts and scripts after that. Resources that arrive later are missing from the PDF. */
  readonly settleMs: number;
  /** Time limit for a response of the page. A page whose script does not respond is aborted. */
  readonly answerMs: number;
  /** Time limit for printing. */
  readonly printMs: number;
  /** Maximum size of the PDF. */
  readonly fileBytes: number;
}

const POINTS_PER_INCH = 72;
const CSS_PIXELS_PER_POINT = 96 / 72;

/** The page's URL. */
export interface PageLocation {
  readonly url: string;
  /** True if the page seems to have no script and no content that loads only when visible: it need not be shown. */
  readonly isStill: boolean;
}

export interface Printing {
  readonly location: PageLocation;
  /** Path of the PDF, which is written only when it is complete. */
  readonly outputPath: string;
  readonly options: PrintOptions;
  readonly limits: PageLimits;
  /** Version of the browser. */
  readonly version: string;
  readonly signal: AbortSignal;
  /** Reports whether a visit to a host was refused. */
  isRefused(url: string): boolean;
}

/** Prints a page to a file. @throws EngineFailure; BrowserLost, RendererLost, NetworkLost; NavigationBlocked */
export async function printPage(page: LeasedPage, printing: Printing): Promise<void> {
  const { location, outputPath, options, limits, version, isRefused, signal } = printing;
  const { url, isStill } = location;
  const { session, failed } = page;
  const within = <T>(timeoutMs: number, work: Promise<T>, what: string) => inTime(timeoutMs, work, failed, what);
  // Pages are created with the desktop emulated.
  if (options.layout && options.layout !== "desktop") emulate(session, options.layout, version);
  if (!isStill) await within(limits.answerMs, page.show(), "a blank page");
  const { stream, enlargement } = await loadAndPrint({ page, session, url, options, limits, isRefused, within });
  await within(limits.printMs, savePdf(session, stream, outputPath, limits.fileBytes), "taking the PDF");
  if (enlargement > 1) {
    await enlargePages(outputPath, enlargement, options.paper, { timeoutMs: limits.printMs, signal });
  }
}

interface Job {
  readonly page: LeasedPage;
  readonly session: Session;
  readonly url: string;
  readonly options: PrintOptions;
  readonly limits: PageLimits;
  readonly isRefused: (url: string) => boolean;
  readonly within: Within;
}

/** @returns the PDF's stream handle, and the factor by which its pages must be enlarged */
async function loadAndPrint(job: Job): Promise<{ readonly stream: string; readonly enlargement: number }> {
  const { session, url, options, limits, within } = job;
  using loading = new Loading(session, job.page.frameId, job.isRefused);
  const parsed = async () => {
    await loading.navigate(url);
    await loading.parsed();
  };
  await within(limits.parseMs, Promise.race([parsed(), loading.failed]), "loading");
  return await retryOnNavigation(limits.parseMs, loading, within, async () => {
    const findings = await settle(job, loading);
    const printed = session.send("Page.printToPDF", requestOf(options, findings));
    const { stream } = await within(limits.printMs, printed, "printing");
    return { stream: stream!, enlargement: sheetOf(options, findings).enlargement };
  });
}

/** Maximum attempts for a page that navigates to another URL during the work. Each attempt continues at the new URL. */
const ATTEMPTS = 5;

async function retryOnNavigation<T>(
  parseMs: number,
  loading: Loading,
  within: Within,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      if (attempt === ATTEMPTS) throw new EngineFailure("unreachable", `the page keeps navigating: ${error.message}`);
      await within(parseMs, Promise.race([loading.parsed(), loading.failed]), "loading");
    }
  }
}

type Within = <T>(timeoutMs: number, work: Promise<T>, what: string) => Promise<T>;

/** Waits until the page looks complete. After the time limit, continues without the missing resources. */
async function settle(job: Job, loading: Loading): Promise<Findings> {
  const { session, within } = job;
  const { settleMs, answerMs } = job.limits;
  const deadline = performance.now() + settleMs;
  const loaded = async () => {
    await within(
      Math.max(1, deadline - performance.now()),
      Promise.race([loading.loaded(), loading.failed]),
      "settling",
    );
  };
  const stopWaiting = (error: unknown) => {
    if (!(error instanceof EngineFailure) || error.reason !== "timed-out") throw error;
    void session.send("Page.stopLoading");
  };
  await loaded().catch(stopWaiting);
  const timeoutMs = Math.max(100, deadline - performance.now());
  const findings = await within(timeoutMs + answerMs, prepare(job, timeoutMs), "a script");
  await loaded().catch(stopWaiting);
  return findings;
}

/**
 * Prepares a page for paper. Many pages are complete once they are loaded; others must be shown, and then checked
 * repeatedly.
 */
async function prepare({ page, options }: Job, timeoutMs: number): Promise<Findings> {
  const { session, frameId } = page;
  const { size, margin } = sheetOf(options, { purpose: "screen", overflow: 1 });
  void session.send("Emulation.setEmulatedMedia", { media: "print" });
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", { frameId });
  const ownPages = options.ownPages ?? { size: false, margin: false };
  const paper = { size, margin, ...(options.layout ? {} : { ownPages }), questions: QUESTIONS };
  const set = async (more: Partial<Paper>) => {
    const told = JSON.stringify({ ...paper, ...more } satisfies Paper);
    const expression = `(${setPaper})(${told}, ${isSettled}, ${detectMedium})`;
    const { result } = await session.send("Runtime.evaluate", { expression, contextId, returnByValue: true });
    return result.value as ReturnType<typeof setPaper>;
  };
  let found = await set({});
  if (found === "restless") {
    await page.show();
    const expression = waiting({ questions: QUESTIONS, timeoutMs });
    await session.send("Runtime.evaluate", { expression, contextId, awaitPromise: true });
    found = await set({ isWaitedFor: true });
  }
  if (found === "hidden") found = await set({ isWaitedFor: true, sheets: await readStyleSheets(session) });
  return typeof found === "string" ? { purpose: "screen", overflow: 1 } : found;
}

/** Scales that the browser accepts. */
const MIN_SCALE = 0.1;
const MAX_SCALE = 2;
/** Maximum ratio of content width to paper width that the browser shrinks to fit; wider content is clipped. */
const FITTED_OVERFLOW = 1.5;

/**
 * Scale and size of a sheet. Either the layout width fills the space between the margins, or CSS lengths stay
 * unchanged.
 */
interface Sheet {
  readonly scale: number;
  /**
   * Ratio of the requested paper size to the size that the browser prints. The PDF's pages are enlarged by this factor
   * afterwards.
   */
  readonly enlargement: number;
  /** CSS values for the page's size and margin. */
  readonly size: string;
  readonly margin: string;
}

function sheetOf({ paper, margin, layout = "desktop" }: PrintOptions, { purpose, overflow }: Findings): Sheet {
  const asItIs = { enlargement: 1, size: "auto", margin: "revert" };
  if (purpose === "paper") return { ...asItIs, scale: 1 };
  const printable = (paper.width - 2 * margin) * CSS_PIXELS_PER_POINT;
  const usual = printable / DEVICES[layout].width;
  const fitted = overflow > FITTED_OVERFLOW ? usual / overflow : usual;
  // Content that would need a smaller scale is intentionally off-screen.
  const scale = fitted >= MIN_SCALE ? fitted : usual;
  if (scale > MAX_SCALE) return { ...asItIs, scale: MAX_SCALE, enlargement: scale / MAX_SCALE };
  if (scale >= MIN_SCALE) return { ...asItIs, scale };
  // The browser shrinks a page whose declared size exceeds the paper. This allows smaller scales than the minimum of
  // the scale option.
  const points = (length: number) => `${(length * MIN_SCALE) / scale}pt`;
  return {
    scale: MIN_SCALE,
    enlargement: 1,
    size: `${points(paper.width)} ${points(paper.height)}`,
    margin: points(margin),
  };
}

function requestOf(options: PrintOptions, findings: Findings): Protocol.Page.PrintToPDFRequest {
  const { scale, enlargement } = sheetOf(options, findings);
  const tagged = options.tagged === true;
  const inches = (points: number) => points / enlargement / POINTS_PER_INCH;
  // Rounds to the nearest point, because the browser would round up.
  const wholePoints = (points: number) => Math.round(points / enlargement) / POINTS_PER_INCH;
  const margin = inches(options.margin);
  return {
    paperWidth: wholePoints(options.paper.width),
    paperHeight: wholePoints(options.paper.height),
    marginTop: margin,
    marginBottom: margin,
    marginLeft: margin,
    marginRight: margin,
    scale,
    printBackground: true,
    preferCSSPageSize: findings.purpose === "paper",
    generateTaggedPDF: tagged,
    generateDocumentOutline: tagged,
    transferMode: "ReturnAsStream",
  };
}

async function inTime<T>(timeoutMs: number, work: Promise<T>, failed: Promise<never>, what: string): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new EngineFailure("timed-out", `${what} took more than ${timeoutMs} ms`)),
    timeoutMs,
  );
  // Prevents unhandled rejections of a promise that lost the race.
  work.catch(() => {});
  return Promise.race([failed, work, timeout]).finally(() => clearTimeout(timer));
}
