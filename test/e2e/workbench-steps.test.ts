// Tests the list of steps in the workbench: arranging it by keyboard and mouse, its run, its errors, and its links.
// Contract: docs/api.md#workbench
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textPdf } from "../fixtures/pdfs.ts";
import { examine } from "../support/axe.ts";
import { EXAMPLE_IMAGE } from "../support/examples.ts";
import { DESKTOP, drop, type Given, openBrowser, operationOf, PHONE, run, tabTo, visit } from "../support/workbench.ts";

let browser: Browser;
let report: Given;

beforeAll(async () => {
  browser = await openBrowser();
  report = { name: "report.pdf", bytes: await textPdf(3) };
});
afterAll(() => browser?.close());

async function arrange(page: Page, ...titles: readonly string[]): Promise<void> {
  await operationOf(page, "/steps").check({ force: true });
  for (const [index, title] of titles.entries()) {
    if (index > 0) await page.click(".adding summary");
    await page.click(`.adding button:text-is("${title}")`);
  }
}

const orderOf = (page: Page) => page.locator(".step-row .head .name").allTextContents();

test("the keyboard alone arranges steps, and they run in that order", () =>
  visit(browser, {}, async (page) => {
    await drop(page, report);
    await operationOf(page, "/steps").check({ force: true });
    await page.focus(".adding button[value='/png']");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await tabTo(page, ".adding button[value='/rotated-pdf']");
    await page.keyboard.press("Space");
    expect(await orderOf(page)).toEqual(["1. PNG", "2. Rotate pages"]);
    expect(await page.textContent("#step-2-rotated-pdf-complaint")).toContain("Step 1 makes a PNG image;");
    await page.focus("#step-2-rotated-pdf");
    await page.keyboard.press("Alt+ArrowUp");
    expect(await orderOf(page)).toEqual(["1. Rotate pages", "2. PNG"]);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("step-2-rotated-pdf");
    expect(await page.textContent("[role=status]")).toBe("Rotate pages is now step 1 of 2.");
    await tabTo(page, "#step-1-png");
    await page.keyboard.press("Enter");
    await page.fill("#field-1-resolution", "40");
    await tabTo(page, ".run .primary");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".output:nth-of-type(3):has-text('report_steps_3.png')");
  }));

test("the step that runs is shown, and can be canceled", () =>
  visit(browser, {}, async (page) => {
    await drop(page, { name: "book.pdf", bytes: await textPdf(60) });
    await arrange(page, "Rotate pages", "PNG");
    await page.fill("#field-2-resolution", "1200");
    await page.click(".run .primary");
    await page.waitForSelector("#progress-label:text-is('Step 2 of 2, PNG…')");
    await page.waitForSelector("progress[max='2'][value='1']");
    await page.click("text=Cancel");
    await page.waitForSelector("[role=status]:text-is('The job was canceled.')", { state: "attached" });
  }));

test("steps are moved by mouse, and have files and comparable results", () =>
  visit(browser, {}, async (page) => {
    await drop(page, report);
    await arrange(page, "Add an image", "Compress");
    // A drag ends if the page must be scrolled to its target.
    await page.locator("#step-1-pdf-with-added-image").scrollIntoViewIfNeeded();
    await page.dragAndDrop("#step-2-compressed-pdf", "#step-1-pdf-with-added-image");
    expect(await orderOf(page)).toEqual(["1. Compress", "2. Add an image"]);
    await page.click(".run .primary");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("field-1-image_file");
    const image = { name: "logo.png", mimeType: "image/png", buffer: Buffer.from(EXAMPLE_IMAGE.base64, "base64") };
    await page.setInputFiles("#field-1-image_file", image);
    await run(page);
    await page.waitForSelector(".sheets figure:nth-of-type(2) img");
    expect(await page.textContent(".sizes")).toContain("Before");
    await page.click("button:has-text('Remove step 2, Add an image')");
    expect(await page.textContent("#code-panel")).not.toContain("logo.png");
  }));

test("an error of the service is at the field of its step, also if the step was closed", () =>
  visit(browser, { refusals: [400] }, async (page) => {
    await drop(page, report);
    await arrange(page, "Rotate pages", "PNG", "Zip");
    await page.click("#step-2-png");
    await page.fill("#field-2-pages", "9");
    await page.click("#step-2-png");
    await page.click(".run .primary");
    const field = page.locator(".field", { has: page.locator("#field-2-pages") });
    await field.locator(".problem:has-text('The error is in step 2, png.')").waitFor();
    await page.fill("#field-2-pages", "1");
    expect(await page.locator(".problem").count()).toBe(0);
    expect(await page.isVisible("#field-2-pages")).toBe(true);
  }));

test("a list of steps survives a reload and travels in a link, without its passwords", () =>
  visit(
    browser,
    { options: { viewport: DESKTOP, permissions: ["clipboard-read", "clipboard-write"] } },
    async (page) => {
      await arrange(page, "Encrypt", "Rotate pages");
      await page.click("label.choice:has(#field-2-angle-1)");
      await page.click("#step-1-encrypted-pdf");
      await page.fill("#field-1-new_open_password", "correct horse");
      await page.waitForSelector('#code:has-text("steps=$STEPS")');
      expect(await page.textContent("#code")).toContain('"new_open_password":"…"');
      await page.click("button:has-text('Copy a link to these steps')");
      const link = await page.evaluate(() => navigator.clipboard.readText());
      expect(decodeURIComponent(new URL(link).hash)).toBe(
        '#steps=[{"encrypted-pdf":{}},{"rotated-pdf":{"angle":"180"}}]',
      );
      await page.reload();
      await page.waitForSelector("#step-2-rotated-pdf");
      await page.click(".brand");
      await page.waitForSelector(".step-row", { state: "detached" });
      await page.evaluate((link) => location.assign(link), link);
      await page.waitForSelector("#step-2-rotated-pdf");
      await page.click("#step-2-rotated-pdf");
      expect(await page.isChecked("#field-2-angle-1")).toBe(true);
      await page.click("#step-1-encrypted-pdf");
      expect(await page.inputValue("#field-1-new_open_password")).toBe("");
      expect(new URL(page.url()).hash).toBe("");
    },
  ));

test.each([DESKTOP, PHONE])("axe finds nothing at $width pixels, and nothing is cut off", (viewport) =>
  visit(browser, { options: { viewport, colorScheme: "dark" } }, async (page) => {
    await arrange(page);
    await examine(page);
    await page.click(".adding button:text-is('JPEG')");
    await page.click(".adding summary");
    await page.click(".adding button:text-is('Add a watermark')");
    await examine(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
  }),
);
