// Tests jobs in the workbench: their progress, cancellation at each step, and bad connections.
// Contract: docs/api.md#workbench, #asynchronous-jobs
import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { textPdf } from "../fixtures/pdfs.ts";
import { eventually } from "../support/eventually.ts";
import { drop, type Given, openBrowser, operationOf, run, visit } from "../support/workbench.ts";

const STATUS = "**/request-status/*";
let browser: Browser;
let deck: Given;

beforeAll(async () => {
  browser = await openBrowser();
  deck = { name: "deck.pdf", bytes: await textPdf(20) };
});
afterAll(() => browser?.close());

/** Prepares a job that draws many large pages, or a few small ones. */
async function prepare(page: Page, { file = deck, resolution = "1200" } = {}): Promise<void> {
  await drop(page, file);
  await operationOf(page, "/png").check({ force: true });
  await page.fill("#field-resolution", resolution);
}

const announced = (page: Page, text: string) => page.waitForSelector(`[role=status]:text-is("${text}")`);

/** Expects that the page is in the same state as before the job, and that the job can still run. */
async function canRunAgain(page: Page): Promise<void> {
  expect(await page.locator(".problem").count()).toBe(0);
  expect(await page.locator(".file").count()).toBe(1);
  await page.fill("#field-resolution", "12");
  await page.fill("#field-pages", "1");
  await run(page);
  expect(await page.locator(".output").count()).toBe(1);
}

/** Expects that the service no longer has the job. */
const isGone = (id: string) =>
  eventually(async () => {
    const { status } = await fetch(`${inject("services").private.url}/request-status/${id}`);
    expect(status).toBe(404);
  });

const idIn = (request: Request) => new URL(request.url()).pathname.split("/").at(-1)!;

test("the pages that are done are counted", () =>
  visit(browser, {}, async (page) => {
    // Takes long enough for several progress reports, one per second.
    await prepare(page, { file: { name: "book.pdf", bytes: await textPdf(60) }, resolution: "800" });
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      new MutationObserver(() => {
        const label = document.querySelector("#progress-label")?.textContent;
        if (label) seen.push(`${label} ${document.querySelector("progress[aria-labelledby]")?.getAttribute("max")}`);
      }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    });
    await run(page);
    const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
    expect(seen.some((text) => /^Working: \d+ of 60 pages… 60$/.test(text))).toBe(true);
    expect(await page.textContent(".sizes")).toContain("60 files");
  }));

test("data are shown as the result", () =>
  visit(browser, {}, async (page) => {
    await drop(page, { name: "a.pdf", bytes: await textPdf(3) });
    await operationOf(page, "/pdf-info").check({ force: true });
    await page.check("label:has(span:text-is('tagged')) input", { force: true });
    await page.uncheck("label:has(span:text-is('title')) input", { force: true });
    await run(page);
    expect(await page.locator(".data > div").allTextContents()).toEqual([
      ...["TaggedNo", "Page count3", "All queries processedYes"],
    ]);
    expect(await page.locator(".output").count()).toBe(0);
  }));

test("a job that runs can be canceled, and run again", () =>
  visit(browser, {}, async (page) => {
    await prepare(page);
    const asked = page.waitForRequest(STATUS);
    await page.click(".run .primary");
    const id = idIn(await asked);
    await page.click("text=Cancel");
    await announced(page, "The job was canceled.");
    await isGone(id);
    await canRunAgain(page);
  }));

test("a job that is canceled while it is accepted does not run", () =>
  visit(browser, {}, async (page) => {
    await prepare(page);
    const accepted = Promise.withResolvers<string>();
    const released = Promise.withResolvers<void>();
    await page.route("**/png", async (route) => {
      const response = await route.fetch();
      accepted.resolve(((await response.json()) as { requestId: string }).requestId);
      await released.promise;
      await route.fulfill({ response });
    });
    await page.click(".run .primary");
    const id = await accepted.promise;
    await page.click("text=Cancel");
    await announced(page, "The job was canceled.");
    released.resolve();
    await isGone(id);
    await page.unroute("**/png");
    await canRunAgain(page);
  }));

test("an upload shows how much is sent, and can be canceled", () =>
  visit(browser, {}, async (page) => {
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 100_000 };
    await network.send("Network.emulateNetworkConditions", slow);
    // Bytes after the end of a PDF have no effect.
    await drop(page, { name: "slow.pdf", bytes: Buffer.concat([deck.bytes, Buffer.alloc(4_000_000)]) });
    await operationOf(page, "/png").check({ force: true });
    await page.waitForFunction(() => Number(document.querySelector("progress.upload")?.getAttribute("value")) > 0);
    await page.click(".run .primary");
    await page.waitForSelector("#progress-label:text-is('Sending 1 file…')");
    await page.click("text=Cancel");
    await announced(page, "The job was canceled.");
    expect(await page.locator("progress").count()).toBe(0);
    expect(await page.textContent(".file .small")).toContain("not stored yet");
    await network.send("Network.emulateNetworkConditions", { ...slow, uploadThroughput: -1 });
    await canRunAgain(page);
  }));

test("an upload ends when its file is removed", () =>
  visit(browser, {}, async (page) => {
    await page.route("**/upload", () => {});
    const [ended] = await Promise.all([
      page.waitForEvent("requestfailed", (request) => request.url().endsWith("/upload")),
      drop(page, deck).then(() => page.click("button:has-text('Remove deck.pdf')")),
    ]);
    expect(ended.failure()?.errorText).toBe("net::ERR_ABORTED");
    expect(await page.locator(".file").count()).toBe(0);
    expect(await page.isDisabled(".run .primary")).toBe(true);
  }));

test("questions about a job that get no answer are asked again", () =>
  visit(browser, { breaks: true, refusals: [503] }, async (page) => {
    await prepare(page, { resolution: "12" });
    let asked = 0;
    await page.route(STATUS, (route) => {
      asked++;
      if (asked === 1) return route.abort();
      return asked === 2 ? route.fulfill({ status: 503, body: "a proxy" }) : route.continue();
    });
    await run(page);
    expect(asked).toBeGreaterThan(2);
    expect(await page.textContent(".sizes")).toContain("20 files");
  }));

test("but not forever, and not about a job that is gone", () =>
  visit(browser, { breaks: true, refusals: [404] }, async (page) => {
    await page.clock.install();
    await prepare(page, { resolution: "12" });
    let asked = 0;
    await page.route(STATUS, (route) => {
      asked++;
      return route.abort();
    });
    await page.click(".run .primary");
    while ((await page.locator(".run .problem").count()) === 0) await page.clock.runFor(1000);
    expect(await page.textContent(".run .problem")).toContain("The connection to the service was lost.");
    expect(asked).toBe(6);
    await page.unroute(STATUS);
    await page.route(STATUS, async (route) => {
      await fetch(route.request().url(), { method: "DELETE" });
      await route.continue();
    });
    await page.click(".run .primary");
    await page.waitForSelector(".run .problem:has-text('That request does not exist.')");
  }));
