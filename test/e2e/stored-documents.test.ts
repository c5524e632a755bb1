// Attacks the service's origin with stored documents, and with names and values that contain markup: a browser must not
// run any of it.
// Contract: docs/api.md#workbench, #stored-files
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { textPdf } from "../fixtures/pdfs.ts";
import { download, drop, openBrowser, operationOf, run, visit } from "../support/workbench.ts";

/** A script that writes to the browser's log, from any frame and under any policy. */
const TRACE = "console.log('it ran')";
const MARKUP = `<img src=x onerror="${TRACE}">`;
const HTML = `<!doctype html><title>t</title><script>${TRACE}</script>${MARKUP}`;
const XML = `<x xmlns="http://www.w3.org/1999/xhtml"><script>${TRACE}</script></x>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="${TRACE}"><script>${TRACE}</script></svg>`;

const { url } = inject("services").private;
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

async function store(name: string, text: string): Promise<string> {
  const headers = { "Content-Type": "application/octet-stream", "Content-Filename": encodeURIComponent(name) };
  const response = await fetch(`${url}/upload`, { method: "POST", headers, body: text });
  return ((await response.json()) as { files: { id: string }[] }).files[0]!.id;
}

/** Navigates to a URL. A download is not a failure. */
const open = (page: Page, address: string) => page.goto(address, { waitUntil: "load" }).catch(() => undefined);

/** @returns the log entries of scripts that ran */
async function traced(use: (page: Page) => Promise<void>): Promise<readonly string[]> {
  const context = await browser.newContext();
  const traces: string[] = [];
  try {
    const page = await context.newPage();
    page.on("console", (message) => {
      if (message.text() === "it ran") traces.push(message.location().url);
    });
    await use(page);
    return traces;
  } finally {
    await context.close();
  }
}

test("a trace is found if a script runs, also in a frame", async () => {
  const traces = await traced((page) => page.setContent(`<iframe srcdoc='${HTML.replaceAll("'", "&#39;")}'></iframe>`));
  expect(traces.length).toBeGreaterThan(0);
});

describe.each([
  ["page.html", HTML],
  ["page.xhtml", XML],
  ["drawing.svg", SVG],
  ["drawing.png", SVG],
  ["unknown", HTML],
  ["page.html\r\nContent-Type: text/html\r\n\r\n", HTML],
  [`${MARKUP}.html`, HTML],
])("a stored document %o", (name, text) => {
  test("runs at no address, in no frame", async () => {
    const id = await store(name, text);
    const paths = [
      ...["", "?format=file", "?format=info", "?format=url", "/pages/1.png"].map((rest) => `resource/${id}${rest}`),
      ...[`iiif/${id}%3A1/info.json`, `iiif/${id}%3A1/full/max/0/default.png`],
    ];
    const traces = await traced(async (page) => {
      await open(page, `${url}/resource/${id}?format=file`);
      // The service's own pages cannot be framed, so a page of another origin frames them.
      const frames = paths.map(
        (path) => `<iframe src="${url}/${path}"></iframe><object data="${url}/${path}"></object>`,
      );
      await page.setContent(frames.join(""), { waitUntil: "load" });
    });
    expect(traces).toEqual([]);
    for (const init of [{}, { headers: { Range: "bytes=0-200" } }, { method: "HEAD" }]) {
      const { headers } = await fetch(`${url}/resource/${id}?format=file`, init);
      expect(headers.get("Content-Security-Policy")).toContain("sandbox");
      expect(headers.get("Content-Disposition")).toMatch(/^attachment;/);
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    }
  });
});

test("an address that is markup is answered as JSON that no browser takes for a page", async () => {
  const traces = await traced(async (page) => {
    const markup = encodeURIComponent(MARKUP);
    for (const path of [markup, `docs/${markup}`, `resource/${markup}`, `resource/${markup}?format=${markup}`]) {
      await open(page, `${url}/${path}`);
    }
    // A form of another page sends markup, and the browser shows the response.
    await page.setContent(
      `<form method="post" action="${url}/png" enctype="multipart/form-data"><input name="pages" value='${MARKUP}'></form>`,
    );
    await Promise.all([page.waitForNavigation(), page.evaluate(() => document.forms[0]!.submit())]);
    expect(page.url()).toBe(`${url}/png`);
  });
  expect(traces).toEqual([]);
});

test("names and values that are markup are text in the workbench", () =>
  visit(browser, { refusals: [400] }, async (page) => {
    const name = "<img src=x onerror=alert(1)>.pdf";
    await drop(page, { name, bytes: await textPdf(1) });
    await operationOf(page, "/png").check({ force: true });
    await page.fill("#field-pages", MARKUP);
    await page.click(".run .primary");
    expect(await page.textContent("#field-pages-complaint")).toContain(MARKUP);
    expect(await page.textContent("[role=status]")).toContain(MARKUP);
    await operationOf(page, "/pdf").check({ force: true });
    // File names lose the characters that file systems forbid.
    await page.waitForSelector(".run .small:has-text('img src=x onerror=alert(1)')");
    await operationOf(page, "/png").check({ force: true });
    await page.fill("#field-pages", "1");
    await page.fill("#field-output", MARKUP);
    await run(page);
    expect(await page.locator("main img:not(.sheet img, .thumbnail)").count()).toBe(0);
    const made = await download(page, () => page.click(".output a"));
    expect(made.name).not.toMatch(/[<>"]/);
  }));
