// Processes several files in the workbench, downloads the outputs as one archive, and opens the results again after a
// reload and by a link.
// Contract: docs/api.md#workbench
import { unzipSync } from "fflate";
import { PDFDocument } from "pdf-lib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { detectMediaType } from "../../src/document/contract/media-type.ts";
import { textPdf } from "../fixtures/pdfs.ts";
import { examine } from "../support/axe.ts";
import { pythonTools } from "../support/client-tools.ts";
import { codeOf, openCodeRunner } from "../support/shown-code.ts";
import { download, drop, type Given, openBrowser, operationOf, PHONE, run, visit } from "../support/workbench.ts";

let browser: Browser;
let report: Given;

const html: Given = {
  name: "page.html",
  bytes: Buffer.from("<!doctype html><h1>One</h1><h1 style='break-before: page'>Two</h1>"),
};
const broken: Given = { name: "broken.pdf", bytes: Buffer.from("no PDF") };

beforeAll(async () => {
  browser = await openBrowser();
  report = { name: "report.pdf", bytes: await textPdf(3) };
});
afterAll(() => browser?.close());

const focused = (page: Page) => page.evaluate(() => document.activeElement?.id ?? document.activeElement?.tagName);
const entriesOf = (bytes: Uint8Array) => Object.entries(unzipSync(bytes));

/** Records all texts of the progress from now on. */
const watchProgress = (page: Page) =>
  page.evaluate(() => {
    const seen = new Set<string>();
    Object.assign(globalThis, { seen });
    new MutationObserver(() => seen.add(document.querySelector("#progress-label")?.textContent ?? "")).observe(
      document.body,
      { subtree: true, childList: true, characterData: true },
    );
  });
const seenProgress = (page: Page) => page.evaluate(() => [...(globalThis as unknown as { seen: Set<string> }).seen]);

test("each file has its result or its error, and the results come as one archive, after a reload and by a link", () =>
  visit(browser, { options: { viewport: PHONE, colorScheme: "dark" }, refusals: [400, 404] }, async (page) => {
    await drop(page, report, broken, html, report);
    await page.waitForSelector(".file:has-text('stored until') >> nth=3");
    await operationOf(page, "/png").check({ force: true });
    await page.fill("#field-resolution", "20");
    await page.waitForSelector(".run:has-text('page.html is converted to PDF first.')");
    expect(await page.locator("input[name=chosen]").count()).toBe(0);
    await watchProgress(page);
    await run(page);
    expect(await focused(page)).toBe("stage-title");
    expect(await seenProgress(page)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Working: \d of 4 files…$/)]),
    );

    const results = page.locator(".results > li");
    expect(await results.locator("h3").allTextContents()).toEqual([
      "report.pdf",
      "broken.pdf",
      "page.html",
      "report.pdf",
    ]);
    expect(await results.nth(1).textContent()).toContain("The input file is damaged or is not a PDF.");
    expect(await results.nth(2).textContent()).toContain("Converted to PDF first: page.html.");
    expect(await page.textContent(".sizes")).toContain("3 of 4 files");
    expect(await page.textContent(".sizes")).not.toContain("Change");
    const names = [
      "report_1",
      "report_2",
      "report_3",
      "page_1",
      "page_2",
      "report (2)_1",
      "report (2)_2",
      "report (2)_3",
    ];
    expect(await page.locator(".output .name").allTextContents()).toEqual(names.map((name) => `${name}.png`));
    await examine(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);

    const archive = await download(page, () => page.click("text=Download all as ZIP"));
    expect(archive.name).toBe("png_files.zip");
    const entries = entriesOf(archive.bytes);
    expect(entries.map(([name]) => name)).toEqual(names.map((name) => `${name}.png`));
    for (const [name, bytes] of entries) expect(detectMediaType(bytes, name)).toBe("image/png");
    const again = await download(page, () => page.click("text=Download all as ZIP"));
    expect(again.bytes).toEqual(archive.bytes);

    await page.reload();
    await page.waitForSelector("#stage-title:text-is('Result')");
    expect(await page.locator(".file .name").allTextContents()).toEqual([
      "report.pdf",
      "broken.pdf",
      "page.html",
      "report.pdf",
    ]);
    expect(await page.textContent(".file .small")).toMatch(/3 pages · stored until /);
    expect(await page.locator(".output").count()).toBe(8);
    expect(await page.textContent(".sizes")).toContain("Kept until");

    const link = (await page.locator(".results > li").nth(2).locator(".link a").getAttribute("href"))!;
    expect(new URL(link).search).toBe("");
    const asked: string[] = [];
    await visit(browser, {}, async (other) => {
      other.on("request", (request) => asked.push(request.url()));
      await other.goto(link);
      await other.reload();
      await other.waitForSelector("#stage-title:text-is('Result')");
      expect(await other.locator(".output .name").allTextContents()).toEqual(["page_1.png", "page_2.png"]);
      expect(new URL(other.url()).hash).toBe("");
    });
    expect(asked.filter((url) => url.includes("result="))).toEqual([]);

    const address = (await page.getAttribute(".output a", "href"))!;
    await page.click("text=Delete all now");
    await page.waitForSelector("text=Nothing of it is stored any more.");
    expect((await fetch(address)).status).toBe(404);
    await page.reload();
    await page.waitForSelector(".file");
    expect(await page.textContent("#stage-title")).toBe("Preview");
    await page.goto(link);
    await page.waitForSelector("#stage .problem:has-text('The files of this link are no longer stored.')");
  }));

test("many outputs are a short list, until all are asked for", () =>
  visit(browser, {}, async (page) => {
    await drop(page, { name: "book.pdf", bytes: await textPdf(40) });
    await operationOf(page, "/split-pdf").check({ force: true });
    await run(page);
    expect(await page.locator(".output").count()).toBe(6);
    await page.click("text=Show all 40");
    expect(await page.locator(".output").count()).toBe(40);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Show fewer");
    const { name, bytes } = await download(page, () => page.click("text=Download all as ZIP"));
    expect([name, entriesOf(bytes).length]).toEqual(["book_split-pdf.zip", 40]);
    await page.click(".output button:has-text('Delete now') >> nth=0");
    await page.waitForSelector(".output.idle");
    const { bytes: rest } = await download(page, () => page.click("text=Download all as ZIP"));
    expect(entriesOf(rest).map(([name]) => name)).not.toContain("book_split-pdf_1.pdf");
  }));

test("a document is merged as it is, by one request, in the code as well", (context) =>
  visit(browser, {}, async (page) => {
    await drop(page, report, html);
    await operationOf(page, "/merged-pdf").check({ force: true });
    await page.fill("input[id^=pages-] >> nth=0", "3");
    await page.fill("input[id^=pages-] >> nth=1", "2");
    const countPages = async (bytes: Uint8Array) => (await PDFDocument.load(bytes)).getPageCount();
    await using runner = await openCodeRunner([report, html], await pythonTools(context));
    const made = await runner.run(await codeOf(page));
    const merged = made.filter(({ name }) => name === "merged.pdf");
    expect(merged.map(({ language }) => language)).toEqual(runner.languages);
    for (const { language, bytes } of merged) expect([language, await countPages(bytes)]).toEqual([language, 2]);
    await run(page);
    expect(await page.textContent("#stage")).not.toContain("Converted to PDF first");
    expect(await countPages((await download(page, () => page.click(".output a"))).bytes)).toBe(2);
  }));

test("the code of a batch is for the file on show, and the command for all", (context) =>
  visit(browser, {}, async (page) => {
    const second = { name: "second.pdf", bytes: await textPdf(1) };
    await drop(page, report, second, html);
    await operationOf(page, "/compressed-pdf").check({ force: true });
    await page.selectOption(".picker select", { label: "page.html" });
    await using runner = await openCodeRunner([report, second, html], await pythonTools(context));
    const made = await runner.run(await codeOf(page));
    const namesOf = (language: string) =>
      made.flatMap((one) => (one.language === language ? [one.name] : [])).toSorted();
    expect(namesOf("cli")).toEqual(["page.pdf", "report_compress.pdf", "second_compress.pdf"]);
    expect(namesOf("curl")).toEqual(["page.pdf", "page_compressed-pdf.pdf"]);
    expect(await page.textContent("#code")).toContain("For all 3 files.");
  }));

test("a canceled batch ends at once, and keeps what is done", () =>
  visit(browser, {}, async (page) => {
    const script = "<script>for (const end = Date.now() + 25_000; Date.now() < end; );</script>";
    const slow = { name: "slow.html", bytes: new TextEncoder().encode(script) };
    await drop(page, { name: "quick.pdf", bytes: await textPdf(1) }, slow, slow, slow, slow);
    await operationOf(page, "/png").check({ force: true });
    await page.click(".run .primary");
    await page.waitForSelector("#progress-label:text-is('Working: 1 of 5 files…')");
    await page.click("text=Cancel");
    await page.waitForSelector("[role=status]:has-text('1 of 5 files are done, 4 were canceled.')");
    expect(await page.locator("progress").count()).toBe(0);
    expect(await page.locator(".output .name").allTextContents()).toEqual(["quick_1.png"]);
  }));

test("a key is not kept, and is asked for to delete what was made before a reload", () =>
  visit(browser, { variant: "keyed", refusals: [401] }, async (page) => {
    const { key } = inject("services").keyed;
    await page.fill("#api-key", key);
    await page.press("#api-key", "Tab");
    await drop(page, report);
    await operationOf(page, "/linearized-pdf").check({ force: true });
    await run(page);
    await page.reload();
    await page.waitForSelector(".output");
    await page.click("text=Delete now");
    await page.waitForSelector(".field:has(#api-key) .problem");
    await page.fill("#api-key", key);
    await page.click("text=Delete now");
    await page.waitForSelector(".output.idle");
  }));

test("without storage, the page works until it is loaded again", () =>
  visit(browser, {}, async (page) => {
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, "sessionStorage", {
        get() {
          throw new DOMException("The storage is forbidden.", "SecurityError");
        },
      });
    });
    await page.reload();
    await drop(page, report);
    await run(page);
    expect(await page.locator(".output").count()).toBe(1);
  }));
