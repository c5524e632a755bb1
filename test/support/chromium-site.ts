// Opens Chromium for the tests of one file, with a site of pages that it can visit. Provides checks that these tests
// share.

import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, expect } from "vitest";
import type { Chromium } from "../../container/engines/chromium/chromium.ts";
import { openScratch, print, processesOf, startChromium, textOf } from "./chromiums.ts";
import { eventually } from "./eventually.ts";
import { type Answer, type Site, startPages } from "./web.ts";

/** Set by {@link openChromium}, like {@link site}. */
export let chromium: Chromium;
export let site: Site;
/** The site's pages, by path. */
export const pages = new Map<string, Answer>();

type Settings = Parameters<typeof startChromium>[0];

/**
 * Registers the hooks. Must be called once, at the top of a test file.
 * @param settings returns Chromium's settings for the site's port. @default allows the site
 */
export function openChromium(
  settings: (port: number) => Settings = (port) => ({ web: { allow: `127.0.0.1:${port}` } }),
): void {
  openScratch();
  beforeAll(async () => {
    site = await startPages(pages);
    chromium = await startChromium(settings(site.port));
  });
  afterAll(async () => {
    await chromium?.close();
    await site?.[Symbol.asyncDispose]();
  });
}

/** Limits for hostile pages, which soon reach them. */
export const STRICT = {
  parseMs: 2_000,
  settleMs: 1_500,
  answerMs: 1_500,
  printMs: 4_000,
  rendererBytes: 600 * 2 ** 20,
  bytes: 2 ** 22,
};

/** Settings for hostile pages. They also allow ports at which no server listens, such as 8. */
export const strictSettings = (port: number): Settings => ({
  limits: STRICT,
  web: { allow: `127.0.0.1:${port} 127.0.0.2:* 127.0.0.1:8` },
});

export const works = async (browser = chromium) =>
  expect(textOf(await print(browser, "<p>it works"))).toContain("it works");

/** Waits until at most the renderers of the prepared pages are running. */
export async function nothingIsLeft(browser = chromium): Promise<void> {
  await eventually(async () => expect((await processesOf(browser.pid!, "renderer")).length).toBeLessThanOrEqual(3));
}

export const show =
  (text: string, type = "text/html") =>
  (_: IncomingMessage, response: ServerResponse) => {
    response.setHeader("Content-Type", type).end(text);
  };
