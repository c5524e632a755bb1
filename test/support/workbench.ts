// Opens the workbench of a running service in a browser, and operates it as people do.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { expect, inject } from "vitest";
import { PROGRAMS } from "../../container/engines/chromium/launch.ts";

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Time limit that is enough for any machine, like the limit of eventually(). */
const PATIENCE_MS = 90_000;

export interface Given {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: PROGRAMS.find((path) => existsSync(path))!, args: ["--no-sandbox"] });

export interface Visit {
  readonly variant?: "private" | "keyed";
  readonly options?: BrowserContextOptions;
  /** Error statuses that the test expects from the service. The browser logs them. @default none */
  readonly refusals?: readonly number[];
  /** True if the test expects broken connections. The browser logs them too. @default false */
  readonly breaks?: boolean;
  /** URL of a service, without a final slash. @default the service that all tests share */
  readonly url?: string;
}

/**
 * Opens the page. Fails if the page logs anything (such as a policy violation), contacts another server, or stores a
 * cookie.
 */
export async function visit(
  browser: Browser,
  { variant = "private", options = { viewport: DESKTOP }, refusals = [], breaks = false, ...visit }: Visit,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const { url = inject("services")[variant].url } = visit;
  const complaints: string[] = [];
  try {
    const page = await context.newPage();
    page.on("console", (message) => {
      const status = Number(/responded with a status of (\d+)/.exec(message.text())?.[1]);
      const isMeant = refusals.includes(status) || (breaks && message.text().includes("net::ERR_FAILED"));
      if (!isMeant) complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${url}/`) && !request.url().startsWith("blob:")) complaints.push(request.url());
    });
    await page.goto(`${url}/`);
    await page.waitForSelector("#field-output");
    await use(page);
    expect(complaints).toEqual([]);
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    if (variant === "keyed") {
      const kept = await page.evaluate(() => JSON.stringify(sessionStorage));
      expect(kept).not.toContain(inject("services").keyed.key);
    }
  } finally {
    await context.close();
  }
}

/** Drops files from outside the browser on the page. */
export async function drop(page: Page, ...files: readonly Given[]): Promise<void> {
  const given = files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString("base64") }));
  const transfer = await page.evaluateHandle((given) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of given) {
      transfer.items.add(new File([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], name));
    }
    return transfer;
  }, given);
  await page.dispatchEvent(".drop", "drop", { dataTransfer: transfer });
  for (const { name } of files) await page.locator(".file .name", { hasText: name }).first().waitFor();
}

export const operationOf = (page: Page, path: string): Locator =>
  page.locator(`input[name=operation][value="${path}"]`);

/** Runs the operation, and waits until its result is shown. */
export async function run(page: Page): Promise<void> {
  await page.click(".run .primary");
  await page.waitForSelector("#stage-title:text-is('Result')", { timeout: 2 * PATIENCE_MS });
}

export async function download(page: Page, trigger: () => Promise<void>): Promise<Given> {
  const [download] = await Promise.all([page.waitForEvent("download"), trigger()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** Presses Tab until an element that matches the selector has the focus. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector), selector)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`The keyboard does not reach ${selector}.`);
}
