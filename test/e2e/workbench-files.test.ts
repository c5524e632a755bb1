// Chooses, orders and stores files in the workbench, as people do with a mouse, and tells them what to do with a key.
// Contract: docs/api.md#workbench
import { PDFDocument } from "pdf-lib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { textPdf } from "../fixtures/pdfs.ts";
import { pythonTools } from "../support/client-tools.ts";
import { codeOf, openCodeRunner } from "../support/shown-code.ts";
import { download, drop, type Given, openBrowser, operationOf, run, visit } from "../support/workbench.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const namesIn = (page: Page) => page.locator(".file .name").allTextContents();
const widthsOf = async (bytes: Uint8Array) =>
  (await PDFDocument.load(bytes)).getPages().map((page) => Math.round(page.getWidth()));

test("files are merged in the order of buttons, keys and the mouse, with their pages, by code as well", (context) =>
  visit(browser, {}, async (page) => {
    const files: Given[] = [
      { name: "a.pdf", bytes: await textPdf(1, [100, 100]) },
      { name: "b b.pdf", bytes: await textPdf(2, [200, 200]) },
      { name: "c.pdf", bytes: await textPdf(1, [300, 300]) },
      { name: "d.pdf", bytes: await textPdf(3, [400, 400]) },
    ];
    await drop(page, ...files);
    expect(await operationOf(page, "/merged-pdf").isChecked()).toBe(true);
    await page.click("button:has-text('Move c.pdf up')");
    await page.focus("button:has-text('Move a.pdf down')");
    await page.keyboard.press("Alt+ArrowDown");
    expect(await namesIn(page)).toEqual(["c.pdf", "a.pdf", "b b.pdf", "d.pdf"]);
    expect(await page.textContent("[role=status]")).toBe("a.pdf is now number 2 of 4.");
    await page.dragAndDrop(".file:has-text('d.pdf') .grip", ".file:has-text('a.pdf')");
    expect(await namesIn(page)).toEqual(["c.pdf", "d.pdf", "a.pdf", "b b.pdf"]);
    await page.fill("input[id^=pages-] >> nth=1", " 2 - 3 , 1 ");
    await page.fill("input[id^=pages-] >> nth=3", "LAST");
    await page.fill("input[id^=pages-] >> nth=2", "");
    await page.waitForSelector(".file:has-text('a.pdf') .complaint:has-text('is not within the acceptable range')");
    await page.fill("input[id^=pages-] >> nth=2", "odd");
    await run(page);
    const wanted = [300, 400, 400, 400, 100, 200];
    expect(await widthsOf((await download(page, () => page.click(".output a"))).bytes)).toEqual(wanted);
    await using runner = await openCodeRunner(files, await pythonTools(context));
    const made = await runner.run(await codeOf(page));
    expect(made.length).toBe(runner.languages.length);
    for (const { language, bytes } of made) expect([language, await widthsOf(bytes)]).toEqual([language, wanted]);
  }));

test("the first file suggests an operation, until one is chosen", () =>
  visit(browser, {}, async (page) => {
    const clear = async () => {
      while ((await page.locator(".file").count()) > 0) await page.click(".file button:has-text('Remove') >> nth=0");
    };
    await page.click("button:has-text('Sample PDF')");
    await page.waitForSelector(".file");
    expect(await operationOf(page, "/compressed-pdf").isChecked()).toBe(true);
    await clear();
    await page.click("button:has-text('Sample Word')");
    await page.waitForSelector(".file");
    expect(await operationOf(page, "/pdf").isChecked()).toBe(true);
    await operationOf(page, "/zip").check({ force: true });
    await clear();
    await page.click("button:has-text('Sample PDF')");
    await page.waitForSelector(".file");
    expect(await operationOf(page, "/zip").isChecked()).toBe(true);
  }));

test("a file that is dropped beside the target neither replaces the page nor is taken", () =>
  visit(browser, {}, async (page) => {
    const isPrevented = await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["x"], "beside.pdf"));
      const event = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer });
      document.querySelector("#stage")!.dispatchEvent(event);
      return event.defaultPrevented;
    });
    expect(isPrevented).toBe(true);
    expect(await page.locator(".file").count()).toBe(0);
  }));

test("a file waits for the right key, and is stored with it", () =>
  visit(browser, { variant: "keyed", refusals: [401] }, async (page) => {
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await page.click("button:has-text('Sample PDF')");
    await page.waitForSelector(".file:has-text('not stored yet')");
    expect(sent.some((url) => url.endsWith("/upload"))).toBe(false);
    await page.fill("#api-key", "00000000-0000-0000-0000-000000000000");
    await page.press("#api-key", "Tab");
    await page.waitForSelector(".field:has(#api-key) .problem:has-text('The provided key is not valid.')");
    expect(await page.textContent(".file .small")).toBe("not stored");
    await page.fill("#api-key", inject("services").keyed.key);
    await page.press("#api-key", "Tab");
    await page.waitForSelector(".file:has-text('3 pages · stored')");
    expect(await page.locator(".problem").count()).toBe(0);
    await page.reload();
    await page.waitForSelector("#api-key");
    expect(await page.inputValue("#api-key")).toBe("");
    expect(sent.some((url) => url.includes(inject("services").keyed.key))).toBe(false);
  }));

test("an address that leads to a private place is refused beside the files, and shown in code", () =>
  visit(browser, { refusals: [400] }, async (page) => {
    await page.fill("#address", "http://127.0.0.1:8443");
    await page.press("#address", "Enter");
    await page.waitForSelector(".file:has-text('fetched by the service')");
    await operationOf(page, "/png").check({ force: true });
    expect((await codeOf(page)).cli).toContain("http://127.0.0.1:8443/ ");
    await page.click(".run .primary");
    await page.waitForSelector("#files .problem:has-text('is not within the acceptable range for url')");
  }));

test("a default that someone sets is sent", () =>
  visit(browser, {}, async (page) => {
    await page.click("button:has-text('Sample HTML')");
    await page.waitForSelector(".file");
    expect(await page.textContent("#code-panel")).not.toContain("page_size");
    await page.click("label.choice:has(input[value=letter])");
    await page.waitForSelector("#code-panel:has-text('page_size=letter')");
  }));
