// Chooses, orders and stores files in the workbench, by mouse and by keyboard, and with a key.
// Contract: docs/api.md#workbench
import { PDFDocument } from "pdf-lib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { encrypted, textPdf } from "../fixtures/pdfs.ts";
import { examine } from "../support/axe.ts";
import { pythonTools } from "../support/client-tools.ts";
import { eventually } from "../support/eventually.ts";
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
    // Rows change their height until their files are stored, and would move away from the mouse.
    await page.locator(".file .small", { hasText: "stored until" }).nth(3).waitFor();
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

test("a PDF that needs a password is opened with it, and no code shows it", () =>
  visit(browser, { refusals: [401] }, async (page) => {
    const password = "correct horse";
    await drop(page, { name: "locked.pdf", bytes: encrypted(await textPdf(1), password, "battery staple") });
    await page.waitForSelector(".file:has-text('needs a password')");
    await operationOf(page, "/rotated-pdf").check({ force: true });
    await page.click(".run .primary");
    await page.waitForSelector("#field-current_open_password-complaint:has-text('is required')");
    await page.fill("#field-current_open_password", "wrong");
    await page.click(".run .primary");
    const field = ".field:has(#field-current_open_password)";
    await page.waitForSelector(`${field}:has-text('is password protected')`);
    await page.fill("#field-current_open_password", password);
    await page.waitForSelector(`${field}:not(:has-text('is password protected'))`);
    for (const code of Object.values(await codeOf(page))) expect(code).not.toContain(password);
    await run(page);
    const { bytes } = await download(page, () => page.click(".output a"));
    expect((await PDFDocument.load(bytes)).getPage(0).getRotation().angle).toBe(90);
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
    await page.waitForSelector(".file:has-text('waits for your key')");
    // Before the key is entered, the page shows the key field above the files.
    expect(await page.locator(".steps h2").first().textContent()).toBe("Enter your key");
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
    // A URL can contain the key, which the page removes from the URL.
    const { url, key } = inject("services").keyed;
    await page.goto(`${url}/#a=1&key=${encodeURIComponent(key)}`);
    await page.waitForFunction((key) => document.querySelector<HTMLInputElement>("#api-key")?.value === key, key);
    expect(page.url()).toBe(`${url}/#a=1`);
    await page.click("button:has-text('Sample PDF')");
    await page.waitForSelector(".file:has-text('3 pages · stored')");
    expect(sent.some((url) => url.includes(key))).toBe(false);
  }));

test("an address is checked when it is added, and shown in code", () =>
  visit(browser, { refusals: [400] }, async (page) => {
    await page.fill("#address", "nonsense");
    await page.press("#address", "Enter");
    await page.waitForSelector("#address-complaint:has-text('nonsense is not within the acceptable range for url.')");
    expect(await page.locator(".file").count()).toBe(0);
    await examine(page);
    await page.fill("#address", "http://127.0.0.1:8443");
    await page.press("#address", "Enter");
    await page.waitForSelector(".file.bad:has-text('It leads to a place that is not public')");
    expect(await page.textContent("#address-complaint")).toBe("");
    await operationOf(page, "/png").check({ force: true });
    expect((await codeOf(page)).cli).toContain("http://127.0.0.1:8443/ ");
    expect(await page.isDisabled(".run .primary")).toBe(true);
    expect(await page.textContent(".run .small")).toBe("Remove http://127.0.0.1:8443 first.");
  }));

test("files that the service cannot read or store are told when they are dropped, and removed at once", () =>
  visit(browser, { refusals: [413] }, async (page) => {
    const limit = "The file exceeds the maximum size of 100 MB.";
    await page.route("**/upload", (route) =>
      route.request().headers()["content-filename"] === "huge.pdf"
        ? route.fulfill({ status: 413, json: { error: limit } })
        : route.continue(),
    );
    const good = { name: "good.pdf", bytes: await textPdf(1) };
    await drop(page, good, { name: "setup.pdf", bytes: Buffer.from("MZ\x90\0\x03\0\xff\xff", "latin1") });
    await drop(page, { name: "nothing.pdf", bytes: Buffer.alloc(0) }, { ...good, name: "huge.pdf" });
    const told = (name: string, sentence: string) =>
      page.waitForSelector(`.file.bad:has-text('${name}') .complaint:text-is('${sentence}')`);
    await told("setup.pdf", "The file is not a document that the service reads: it is of no known type.");
    await told("nothing.pdf", "The file is empty.");
    await told("huge.pdf", limit);
    expect(await page.locator(".file.bad").count()).toBe(3);
    expect(await page.locator("#files .problem").count()).toBe(0);
    expect(await page.isDisabled(".run .primary")).toBe(true);
    expect(await page.textContent(".run .small")).toBe("Remove 3 files first.");
    await examine(page);
    // `/zip` accepts every file that can be stored.
    await operationOf(page, "/zip").check({ force: true });
    expect(await page.textContent(".run .small")).toBe("Remove huge.pdf first.");
    await operationOf(page, "/merged-pdf").check({ force: true });
    await page.click("button:has-text('Remove the 3 files that cannot be used')");
    expect(await page.textContent("[role=status]")).toBe("3 files were removed.");
    expect(await namesIn(page)).toEqual(["good.pdf"]);
    await run(page);
  }));

test("many files have pictures and stay within reach, sorted, reversed and moved by the keyboard", () =>
  visit(browser, {}, async (page) => {
    const bytes = await textPdf(1);
    const numbers = [10, 2, 1, 12, 3, 11, 5, 4, 9, 6, 8, 7];
    await drop(page, ...numbers.map((number) => ({ name: `scan ${number}.pdf`, bytes })));
    const order = async () => (await namesIn(page)).map((name) => Number(/\d+/.exec(name)![0]));
    const [up, down] = [
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
    ];
    await page.click("button:has-text('Sort by name')");
    expect(await order()).toEqual(up);
    await page.click("button:has-text('Reverse')");
    expect(await order()).toEqual(down);
    expect(await page.textContent("[role=status]")).toBe("The order is reversed. scan 12.pdf is first.");
    // Rows grow when their previews and properties arrive; the list must scroll only once, with the move.
    await page.locator("img.thumbnail").nth(11).waitFor();
    await page.focus("button:has-text('Move scan 3.pdf to the top')");
    await page.keyboard.press("Enter");
    expect((await order())[0]).toBe(3);
    expect(await page.textContent("[role=status]")).toBe("scan 3.pdf is now number 1 of 12.");
    // The focus and the visible row must not change.
    await page.keyboard.press("Alt+End");
    expect((await order()).at(-1)).toBe(3);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Move scan 3.pdf to the top");
    expect(await page.locator(".file:has-text('scan 3.pdf')").isVisible()).toBe(true);
    // The list scrolls only after the move has been painted.
    await eventually(async () => {
      const [list, row] = await Promise.all(
        [".files", ".file:last-child"].map(async (selector) => (await page.locator(selector).boundingBox())!),
      );
      expect(list!.height).toBeLessThan(600);
      expect(row!.y + row!.height).toBeLessThanOrEqual(list!.y + list!.height + 1);
    });
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>("img.thumbnail")].some(({ naturalWidth }) => naturalWidth === 96),
    );
    expect(await page.inputValue("#field-output")).toBe("merged");
    await drop(page, { name: "scan 3.docx", bytes: Buffer.from("PK\x03\x04") });
    await page.waitForSelector("span.thumbnail:text-is('DOCX')");
    await examine(page);
  }));

test("a default that someone sets is sent", () =>
  visit(browser, {}, async (page) => {
    await page.click("button:has-text('Sample HTML')");
    await page.waitForSelector(".file");
    expect(await page.textContent("#code-panel")).not.toContain("page_size");
    await page.click("label.choice:has(input[value=letter])");
    await page.waitForSelector("#code-panel:has-text('page_size=letter')");
  }));
