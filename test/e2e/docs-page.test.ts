// Tests the reference in a browser: with and without scripts, by keyboard, wide and narrow, light and dark.
// Contract: docs/api.md#reference
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { examine } from "../support/axe.ts";
import { privateClient } from "../support/client.ts";
import { DESKTOP, openBrowser, PHONE } from "../support/workbench.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

/**
 * Opens a page. Fails if the page logs anything, such as a violation of its policy, or sends a request to another
 * server.
 */
async function visit(options: BrowserContextOptions, path: string, look: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext(options);
  const { url } = privateClient();
  const complaints: string[] = [];
  try {
    const page = await context.newPage();
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${url}/`)) complaints.push(request.url());
    });
    await page.goto(url + path);
    await look(page);
    expect(complaints).toEqual([]);
    expect(await context.cookies()).toEqual([]);
  } finally {
    await context.close();
  }
}

const isInView = (page: Page, id: string) =>
  page.evaluate((id) => {
    const { top, bottom } = document.getElementById(id)!.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  }, id);

describe("the search", () => {
  test("finds parameters and errors by the keyboard alone", () =>
    visit({ viewport: DESKTOP }, "/docs", async (page) => {
      await page.keyboard.press("/");
      await page.keyboard.type("resolution png");
      await page.keyboard.press("ArrowDown");
      expect(await page.evaluate(() => document.activeElement!.textContent)).toMatch(/^resolution \/png/);
      await page.keyboard.press("Enter");
      expect(new URL(page.url()).hash).toBe("#png-resolution");
      expect(await isInView(page, "png-resolution")).toBe(true);
      await page.fill("#query", "no such file");
      expect(await page.textContent("#count")).toMatch(/^\d+ places? with some of the words$/);
      await page.fill("#query", "password protected");
      expect(await page.textContent("#results")).toContain("401");
      await page.keyboard.press("Escape");
      expect(await page.isVisible("#results")).toBe(false);
    }));

  const FIRST_RESULTS = [
    ["key", "Keys"],
    ["API keys", "Keys"],
    ["login", "Keys"],
    ["how big", "Limits"],
    ["size limit", "Limits"],
    ["What is the maximum file size?", "Limits"],
    ["password", "Password-protected inputs"],
    ["how long are files kept", "Lifetime of files"],
    ["merge", "/merged-pdf"],
    ["convert word to pdf", "/pdf"],
    ["rate limit", "Limits of a client"],
    ["retry", "Idempotency"],
    ["swagger", "API description"],
    ["ngrok", "Webhooks on your own machine"],
    ["getting started", "First request"],
    ["cors", "Web pages of other origins"],
    ["claude mcp", "Agents"],
    ["dpi", "Image endpoints"],
    ["resolution", "resolution /"],
  ] as const;

  test("leads to the section that people look for first", () =>
    visit({ viewport: DESKTOP }, "/docs", async (page) => {
      for (const [query, title] of FIRST_RESULTS) {
        await page.fill("#query", query);
        const first = await page
          .locator("#results a")
          .first()
          .evaluate((link) => link.firstChild!.textContent);
        expect([query, first!.slice(0, title.length)]).toEqual([query, title]);
      }
    }));

  test("says that nothing was found, and where all is listed", () =>
    visit({ viewport: DESKTOP }, "/docs", async (page) => {
      for (const query of ["xyzzy", "hologram", "barcode", "price"]) {
        await page.fill("#query", query);
        expect([query, await page.textContent("#count")]).toEqual([query, "0 places"]);
      }
      await page.keyboard.press("Enter");
      expect(new URL(page.url()).hash).toBe("#endpoints");
    }));
});

test("a page that the browser has kept works as before", () =>
  visit({ viewport: DESKTOP }, "/docs", async (page) => {
    await page.reload();
    await page.fill("#query", "xyzzy");
    expect(await page.textContent("#count")).toBe("0 places");
  }));

test("a link leads to the workbench, and from there back", () =>
  visit({ viewport: DESKTOP }, "/docs/pdfa", async (page) => {
    await page.click("header a:has-text('Try it')");
    await page.waitForSelector("#field-output");
    await page.click("a:has-text('Documentation')");
    await page.waitForSelector("#png-resolution");
  }));

test("without scripts, everything is there except the search", () =>
  visit({ viewport: DESKTOP, javaScriptEnabled: false }, "/docs#png-resolution", async (page) => {
    expect(await page.isVisible("#query")).toBe(false);
    expect(await page.isVisible("#png-resolution")).toBe(true);
    const example = page.locator("details[name='example-/png']", { hasText: "Python" });
    expect(await example.locator("pre").isVisible()).toBe(false);
    await example.locator("summary").click();
    expect(await example.locator("pre").textContent()).toContain("import requests");
  }));

test("at 390 px nothing is cut off, and the contents are closed", () =>
  visit({ viewport: PHONE }, "/docs", async (page) => {
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
    expect(await page.locator(".contents").getAttribute("open")).toBeNull();
    const cut = await page.evaluate(
      () => [...document.querySelectorAll(".parameters")].filter((table) => table.scrollWidth > innerWidth).length,
    );
    expect(cut).toBe(0);
    await page.click(".contents summary");
    await page.click(".contents a[href='#png']");
    expect(await isInView(page, "png")).toBe(true);
  }));

test("on paper there is only the text", () =>
  visit({ viewport: DESKTOP }, "/docs", async (page) => {
    await page.emulateMedia({ media: "print" });
    expect(await page.isVisible("header")).toBe(false);
    expect(await page.isVisible(".contents")).toBe(false);
    expect(await page.isVisible("#png")).toBe(true);
  }));

// Tests each color scheme and each width in a separate test, because axe needs long for the whole reference.
test.each([
  ["/docs", "light", DESKTOP],
  ["/docs", "dark", PHONE],
  ["/docs/compression", "dark", DESKTOP],
] as const)("axe finds nothing: %s, %s, %o", (path, colorScheme, viewport) =>
  visit({ viewport, colorScheme }, path, async (page) => {
    const color = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(color).toBe(colorScheme === "light" ? "rgb(253, 252, 250)" : "rgb(22, 24, 27)");
    await examine(page);
  }),
);
