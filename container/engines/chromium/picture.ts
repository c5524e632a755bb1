// Takes a picture of a page: sets the window, loads the page, waits until it is complete, and captures it.

import { writeFile } from "node:fs/promises";
import { EngineFailure, OutOfRange } from "../../../src/document/contract/failure.ts";
import { LIMITS } from "../../../src/document/contract/limits.ts";
import type { PageVisit, WindowSize } from "../../../src/document/contract/parameters/web-page.ts";
import type { AddedFont } from "../../fonts/added-fonts.ts";
import type { Session } from "./pipe.ts";
import { QUESTIONS } from "./scripts/page-scripts.ts";
import { waiting } from "./scripts/waiting-scripts.ts";
import { addFontsToFrames } from "./visit/page-fonts.ts";
import { completed, type PageJob, visitPage } from "./visit/page-job.ts";
import type { LeasedPage, PageSetting } from "./visit/page-setting.ts";

export interface PictureOptions {
  readonly format: "png" | "jpg" | "webp";
  /** @default 75 */
  readonly quality?: number;
  readonly viewport: WindowSize;
  readonly fullPage: boolean;
  /** CSS selector of the element to show. @default the page */
  readonly selector?: string;
  readonly deviceScale: number;
  readonly media: "print" | "screen";
  readonly background: boolean;
  readonly visit: PageVisit;
  /** Fonts for this page. @default none */
  readonly fonts?: readonly AddedFont[];
}

export interface Picturing extends PageSetting {
  readonly outputPath: string;
  readonly options: PictureOptions;
}

/** A rectangle in CSS pixels of the page. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const DEFAULT_QUALITY = 75;

/** @throws EngineFailure, also `too-complex` for too many pixels; OutOfRange; BrowserLost, RendererLost, NetworkLost */
export async function takePicture(page: LeasedPage, picturing: Picturing): Promise<void> {
  const { outputPath, options, limits } = picturing;
  const { session } = page;
  const { fonts = [] } = options;
  showWindow(session, options);
  const data = await visitPage(
    page,
    { ...picturing, fonts, location: { ...picturing.location, isStill: false } },
    options.visit,
    (job) => capture(job, options),
  );
  const bytes = Buffer.from(data, "base64");
  if (bytes.length > limits.fileBytes) throw new EngineFailure("too-large", `a picture of ${bytes.length} bytes`);
  await writeFile(outputPath, bytes, { mode: 0o600 });
}

function showWindow(session: Session, { viewport, deviceScale, media, background }: PictureOptions): void {
  const { width, height } = viewport;
  void session.send("Emulation.setDeviceMetricsOverride", {
    ...{ width, height, screenWidth: width, screenHeight: height },
    ...{ deviceScaleFactor: deviceScale, mobile: false },
  });
  void session.send("Emulation.setEmulatedMedia", { media });
  if (!background) {
    void session.send("Emulation.setDefaultBackgroundColorOverride", { color: { r: 0, g: 0, b: 0, a: 0 } });
  }
}

/** @returns the picture in Base64 */
async function capture(job: PageJob, options: PictureOptions): Promise<string> {
  const { session, within, limits, page } = job;
  const contextId = await completed(job, async (timeoutMs) => {
    const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId: page.frameId });
    const expression = waiting({ questions: QUESTIONS, timeoutMs });
    await session.send("Runtime.evaluate", { expression, contextId: executionContextId, awaitPromise: true });
    return executionContextId;
  });
  if (options.fonts?.length) await within(limits.answerMs, addFontsToFrames(session), "a frame");
  const area = await within(limits.answerMs, areaOf(session, contextId, options), "a script");
  requireSize(area, options.deviceScale);
  job.check();
  const { format, quality = DEFAULT_QUALITY } = options;
  const taken = session.send("Page.captureScreenshot", {
    ...(format === "jpg" ? { format: "jpeg", quality } : { format, quality: 100 }),
    clip: { ...area, scale: 1 },
    captureBeyondViewport: true,
  });
  return (await within(limits.printMs, taken, "the picture")).data;
}

/** @throws EngineFailure `unmet-condition`, OutOfRange `selector` */
async function areaOf(session: Session, contextId: number, options: PictureOptions): Promise<Area> {
  const { viewport, selector, fullPage } = options;
  if (selector === undefined && !fullPage) return { x: 0, y: 0, ...viewport };
  const expression = `(${measured})(${JSON.stringify(selector ?? null)})`;
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    ...{ expression, contextId, returnByValue: true },
  });
  const area = exceptionDetails ? null : (result.value as Area | null);
  if (!area || area.width < 1 || area.height < 1) {
    throw new OutOfRange("selector", selector ?? "", "The page shows no such element.");
  }
  return area;
}

/** Returns the area of an element or of the page. Runs in the page. */
function measured(selector: string | null): Area | null {
  if (selector === null) {
    const { scrollWidth = innerWidth, scrollHeight = innerHeight } = document.scrollingElement ?? {};
    return { x: 0, y: 0, width: Math.max(innerWidth, scrollWidth), height: Math.max(innerHeight, scrollHeight) };
  }
  const box = document.querySelector(selector)?.getBoundingClientRect();
  if (!box) return null;
  const [left, top] = [Math.floor(box.left + scrollX), Math.floor(box.top + scrollY)];
  return {
    ...{ x: left, y: top },
    ...{ width: Math.ceil(box.right + scrollX) - left, height: Math.ceil(box.bottom + scrollY) - top },
  };
}

/** @throws EngineFailure `too-complex` */
function requireSize({ width, height }: Area, scale: number): void {
  const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
  const { pagePicturePixels, pagePictureSidePixels } = LIMITS;
  if (Math.max(across, down) <= pagePictureSidePixels && across * down <= pagePicturePixels) return;
  const limits = `at most ${pagePictureSidePixels} on a side, and ${pagePicturePixels} in all`;
  const why = `The picture would have ${across} × ${down} pixels: ${limits}.`;
  throw new EngineFailure("too-complex", why, { why });
}
