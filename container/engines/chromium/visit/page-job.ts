// Visits a page for one job: loads it, waits until it is complete, and repeats the work if the page navigates. Every
// step has a time limit.

import { EngineFailure } from "../../../../src/document/contract/failure.ts";
import type { PageVisit } from "../../../../src/document/contract/parameters/web-page.ts";
import { Loading } from "../loading.ts";
import { ProtocolError, type Session } from "../pipe.ts";
import { PageFaults } from "./page-faults.ts";
import { addFonts } from "./page-fonts.ts";
import { introduce } from "./page-identity.ts";
import type { LeasedPage, PageSetting } from "./page-setting.ts";
import { meetCondition } from "./wait-condition.ts";

/** Limits the time of a step, and rejects as soon as the page is lost. */
type Within = <T>(timeoutMs: number, work: Promise<T>, what: string) => Promise<T>;

/** A loaded page. */
export interface PageJob extends PageSetting {
  readonly page: LeasedPage;
  readonly session: Session;
  readonly loading: Loading;
  readonly visit: PageVisit;
  readonly within: Within;
  /** @throws EngineFailure `faulty-page` for the first fault that the client does not accept */
  check(): void;
}

/** Maximum attempts for a page that navigates to another URL during the work. Each attempt continues at the new URL. */
const ATTEMPTS = 5;

/**
 * Loads a page and works on it.
 * @throws EngineFailure; OutOfRange for a condition, a cookie or a font; BrowserLost, RendererLost, NetworkLost;
 *   NavigationBlocked
 */
export async function visitPage<T>(
  page: LeasedPage,
  setting: PageSetting,
  visit: PageVisit = {},
  work: (job: PageJob) => Promise<T>,
): Promise<T> {
  const { location, limits, isRefused, fonts = [] } = setting;
  const { isStill } = location;
  const { session, failed } = page;
  const within: Within = (timeoutMs, step, what) => inTime(timeoutMs, step, failed, what);
  if (!isStill || visit.waitFor) await within(limits.answerMs, page.show(), "a blank page");
  using loading = new Loading(session, page.frameId, isRefused);
  const faults = new PageFaults(session, page.frameId, visit.failOn);
  await within(limits.answerMs, introduce(session, location, visit), "a blank page");
  await within(limits.parseMs, addFonts(session, fonts), "a font");
  const parsed = async () => {
    await loading.navigate(location.url);
    await loading.parsed();
  };
  await within(limits.parseMs, Promise.race([parsed(), loading.failed]), "loading");
  const job: PageJob = { ...setting, page, session, loading, visit, within, check: () => faults.check() };
  return await retryOnNavigation(job, work);
}

async function retryOnNavigation<T>(job: PageJob, work: (job: PageJob) => Promise<T>): Promise<T> {
  const { loading, within, limits } = job;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(job);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      if (attempt === ATTEMPTS) throw new EngineFailure("unreachable", `the page keeps navigating: ${error.message}`);
      await within(limits.parseMs, Promise.race([loading.parsed(), loading.failed]), "loading");
    }
  }
}

/**
 * Waits until the page looks complete. After the time limit, continues without the missing resources.
 * @param prepare shows the page and waits for its content
 */
export async function completed<T>(job: PageJob, prepare: (timeoutMs: number) => Promise<T>): Promise<T> {
  const { session, within, loading, page, visit } = job;
  const { settleMs, conditionMs, answerMs } = job.limits;
  let deadline = performance.now() + settleMs;
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
  if (visit.waitFor) {
    const since = performance.now();
    const waiting = { session, frameId: page.frameId, timeoutMs: conditionMs, within };
    await Promise.race([meetCondition(visit.waitFor, waiting), loading.failed]);
    deadline += performance.now() - since;
  }
  const timeoutMs = Math.max(100, deadline - performance.now());
  const prepared = await within(timeoutMs + answerMs, prepare(timeoutMs), "a script");
  await loaded().catch(stopWaiting);
  return prepared;
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
