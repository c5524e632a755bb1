// Prints one page to PDF: emulates a device, loads the page, waits until it is complete, and prints. Every step has a
// time limit.

import type { Protocol } from "devtools-protocol";
import type { PageVisit } from "../../../src/document/contract/parameters/web-page.ts";
import { type HtmlToPdfParams, type OwnPages, sidesOf } from "../../../src/operations/to-pdf/html-to-pdf.ts";
import type { AddedFont } from "../../fonts/added-fonts.ts";
import { type FontSubstitutions, NO_SUBSTITUTIONS } from "../../fonts/substitutions.ts";
import { DEVICES, type DeviceName, emulate } from "./devices.ts";
import { NotStatic } from "./errors.ts";
import { enlargePages, readTargetPages, savePdf } from "./output/pdf-output.ts";
import type { Session } from "./pipe.ts";
import { QUESTIONS } from "./scripts/page-scripts.ts";
import { detectMedium, type Findings, isSettled, type Paper, setPaper } from "./scripts/paper-scripts.ts";
import { waiting } from "./scripts/waiting-scripts.ts";
import { readStyleSheets } from "./style-sheets.ts";
import { addFontsToFrames } from "./visit/page-fonts.ts";
import { completed, type PageJob, visitPage } from "./visit/page-job.ts";
import { prepareReferences, showNumbers, type TableOfContents } from "./visit/page-references.ts";
import type { LeasedPage, PageSetting } from "./visit/page-setting.ts";
import { replacedFonts } from "./visit/replaced-fonts.ts";
import { printedTitles, type RunningTitles } from "./visit/running-titles.ts";

/** Options for printing a page. Lengths are in points. */
export interface PrintOptions extends RunningTitles {
  readonly paper: { readonly width: number; readonly height: number };
  readonly margin: HtmlToPdfParams["margin"];
  /** True for one sheet that is as long as the page. Only with a scale. @default false */
  readonly isOneSheet?: boolean;
  /** @default a desktop; no device for a document made for paper, whose CSS lengths stay unchanged */
  readonly layout?: DeviceName;
  /** The @page rules of a document made for paper that apply. @default none */
  readonly ownPages?: OwnPages;
  /**
   * Includes the structure and the outline in the PDF. Chromium derives the outline only from the structure. @default
   * false
   */
  readonly tagged?: boolean;
  /** Factor for CSS lengths, instead of fitting the page to the paper. @default fitted, unless made for paper */
  readonly scale?: number;
  /** @default print */
  readonly media?: "print" | "screen";
  /** @default true */
  readonly background?: boolean;
  /** @default none */
  readonly contents?: TableOfContents;
  /** Fonts for this page. @default none */
  readonly fonts?: readonly AddedFont[];
  /** @default a visit without cookies, headers, conditions and checks */
  readonly visit?: PageVisit;
}

const POINTS_PER_INCH = 72;
const CSS_PIXELS_PER_POINT = 96 / 72;

export interface Printing extends PageSetting {
  /** Path of the PDF, which is written only when it is complete. */
  readonly outputPath: string;
  readonly options: PrintOptions;
}

/**
 * Prints a page to a file.
 * @returns the fonts that the browser replaced, if the job has fonts of its own
 * @throws EngineFailure; BrowserLost, RendererLost, NetworkLost; NavigationBlocked
 */
export async function printPage(page: LeasedPage, printing: Printing): Promise<FontSubstitutions> {
  const { outputPath, options, limits, version, signal } = printing;
  const { session } = page;
  // Pages are created with the desktop emulated.
  if (options.layout && options.layout !== "desktop") emulate(session, options.layout, version);
  const { fonts = [], visit } = options;
  return await visitPage(page, { ...printing, fonts }, visit, async (job) => {
    const { enlargement, replaced } = await print(job, options, outputPath);
    if (enlargement > 1) {
      await enlargePages(outputPath, enlargement, options.paper, { timeoutMs: limits.printMs, signal });
    }
    return replaced;
  });
}

/** Maximum number of times that a page is printed, because page numbers of links can move their targets. */
const MAX_PASSES = 3;

interface Printed {
  /** The factor by which the pages must be enlarged. */
  readonly enlargement: number;
  readonly replaced: FontSubstitutions;
}

async function print(job: PageJob, options: PrintOptions, outputPath: string): Promise<Printed> {
  const { session, within, limits, location, signal } = job;
  const { findings, contextId } = await completed(job, (timeoutMs) => prepare(job, options, timeoutMs));
  const { enlargement } = sheetOf(options, findings);
  const world = { session, contextId };
  const hasFonts = options.fonts !== undefined && options.fonts.length > 0;
  if (hasFonts) await within(limits.answerMs, addFontsToFrames(session), "a frame");
  const replaced = hasFonts ? await within(limits.answerMs, replacedFonts(world), "a script") : NO_SUBSTITUTIONS;
  const { left, right } = sidesOf(options.margin);
  const { sides = { left: `${left / enlargement}pt`, right: `${right / enlargement}pt` } } = findings;
  const templates = { ...world, hasUrl: !location.isUpload, zoom: 1 / enlargement, sides };
  const titles = await within(limits.answerMs, printedTitles(options, templates), "a template");
  const hasNumbers = await within(limits.answerMs, prepareReferences(world, options.contents), "a script");
  job.check();
  const length = options.isOneSheet ? await within(limits.answerMs, lengthOf(options, world), "a script") : undefined;
  const sheet = length === undefined ? options : { ...options, paper: { ...options.paper, height: length } };
  for (let pass = 1; ; pass++) {
    const printed = session.send("Page.printToPDF", { ...requestOf(sheet, findings), ...titles });
    const { stream } = await within(limits.printMs, printed, "printing");
    await within(limits.printMs, savePdf(session, stream!, outputPath, limits.fileBytes), "taking the PDF");
    if (!hasNumbers || pass === MAX_PASSES) return { enlargement, replaced };
    const numbers = await readTargetPages(outputPath, { timeoutMs: limits.printMs, signal });
    if (!(await within(limits.answerMs, showNumbers(world, numbers), "a script"))) return { enlargement, replaced };
  }
}

/**
 * Prepares a page for paper. Many pages are complete once they are loaded; others must be shown, and then checked
 * repeatedly.
 */
async function prepare(
  { page, location }: PageJob,
  options: PrintOptions,
  timeoutMs: number,
): Promise<{ readonly findings: Findings; readonly contextId: number }> {
  const { session, frameId } = page;
  const { size, margin } = sheetOf(options, { purpose: "screen", overflow: 1 });
  const { media = "print" } = options;
  void session.send("Emulation.setEmulatedMedia", { media });
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", {
    ...{ frameId },
    // Without a name, each document of a shared page would add one more world.
    worldName: "pagewright",
  });
  const ownPages = options.ownPages ?? { size: false, margin: false };
  const isForScreens = options.layout !== undefined || media === "screen";
  const paper = { size, margin, ...(isForScreens ? {} : { ownPages }), questions: QUESTIONS };
  const set = async (more: Partial<Paper>) => {
    const told = JSON.stringify({ ...paper, ...more } satisfies Paper);
    const expression = `(${setPaper})(${told}, ${isSettled}, ${detectMedium})`;
    const { result } = await session.send("Runtime.evaluate", { expression, contextId, returnByValue: true });
    return result.value as ReturnType<typeof setPaper>;
  };
  let found = await set({});
  // An error of the script shows as another object.
  if (location.isStatic && !Object.hasOwn(Object(found), "purpose")) throw new NotStatic(`its page is ${found}`);
  if (found === "restless") {
    await page.show();
    const expression = waiting({ questions: QUESTIONS, timeoutMs });
    await session.send("Runtime.evaluate", { expression, contextId, awaitPromise: true });
    found = await set({ isWaitedFor: true });
  }
  if (found === "hidden") found = await set({ isWaitedFor: true, sheets: await readStyleSheets(session) });
  return { contextId, findings: typeof found === "string" ? { purpose: "screen", overflow: 1 } : found };
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

function sheetOf(options: PrintOptions, { purpose, overflow }: Findings): Sheet {
  const { paper, layout = "desktop", scale: wanted } = options;
  const { top, right, bottom, left } = sidesOf(options.margin);
  const asItIs = { enlargement: 1, size: "auto", margin: "revert" };
  if (wanted !== undefined) return { ...asItIs, scale: wanted };
  if (purpose === "paper") return { ...asItIs, scale: 1 };
  const printable = (paper.width - left - right) * CSS_PIXELS_PER_POINT;
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
    margin: [top, right, bottom, left].map(points).join(" "),
  };
}

/** The longest sheet in points that PDF readers accept (ISO 32000-1, annex C). */
const MAX_LENGTH = 14_400;

/** Removes the page breaks of a document. Returns its height in CSS pixels. Runs in the page. */
function measured(): number {
  const styles = new CSSStyleSheet();
  styles.replaceSync("* { break-before: auto !important; break-after: auto !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, styles];
  return Math.ceil(document.documentElement?.getBoundingClientRect().height ?? 0);
}

/** Returns the height in points of a sheet that contains the whole page. Changes the size of the window. */
async function lengthOf(
  { paper, margin, scale = 1 }: PrintOptions,
  { session, contextId }: { readonly session: Session; readonly contextId: number },
): Promise<number> {
  const { top, right, bottom, left } = sidesOf(margin);
  const width = Math.max(1, Math.floor(((paper.width - left - right) * CSS_PIXELS_PER_POINT) / scale));
  void session.send("Emulation.setDeviceMetricsOverride", { width, height: 1, deviceScaleFactor: 1, mobile: false });
  const expression = `(${measured})()`;
  const { result } = await session.send("Runtime.evaluate", { expression, contextId, returnByValue: true });
  // One pixel more, because rounded lengths of the content could need a second sheet.
  const height = ((Number(result.value) + 1) * scale) / CSS_PIXELS_PER_POINT;
  return Math.min(MAX_LENGTH, Math.ceil(height + top + bottom));
}

function requestOf(options: PrintOptions, findings: Findings): Protocol.Page.PrintToPDFRequest {
  const { scale, enlargement } = sheetOf(options, findings);
  const tagged = options.tagged === true;
  const inches = (points: number) => points / enlargement / POINTS_PER_INCH;
  // Rounds to the nearest point, because the browser would round up.
  const wholePoints = (points: number) => Math.round(points / enlargement) / POINTS_PER_INCH;
  const { top, right, bottom, left } = sidesOf(options.margin);
  return {
    paperWidth: wholePoints(options.paper.width),
    paperHeight: wholePoints(options.paper.height),
    marginTop: inches(top),
    marginBottom: inches(bottom),
    marginLeft: inches(left),
    marginRight: inches(right),
    scale,
    printBackground: options.background ?? true,
    preferCSSPageSize: findings.purpose === "paper",
    generateTaggedPDF: tagged,
    generateDocumentOutline: tagged,
    transferMode: "ReturnAsStream",
  };
}
