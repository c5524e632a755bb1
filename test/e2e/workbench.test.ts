// Tests the workbench in a browser, from the dropped file to the downloaded result, in both variants, and runs the
// generated code.
// Contract: docs/api.md#workbench
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { detectMediaType } from "../../src/document/contract/media-type.ts";
import type { OperationList } from "../../src/service/http/contract/operation-list.ts";
import { invoiceXml } from "../fixtures/invoices.ts";
import { zip } from "../fixtures/office.ts";
import { fieldPdf } from "../fixtures/pdfs.ts";
import { unembeddablePdf } from "../fixtures/unembeddable-pdf.ts";
import { examine } from "../support/axe.ts";
import { pythonTools } from "../support/client-tools.ts";
import { EXAMPLE_IMAGE, EXAMPLE_SECRETS, exampleFiles } from "../support/examples.ts";
import { codeOf, openCodeRunner } from "../support/shown-code.ts";
import {
  DESKTOP,
  download,
  drop,
  type Given,
  openBrowser,
  operationOf,
  PHONE,
  run,
  tabTo,
  visit,
} from "../support/workbench.ts";

const list = (await (await fetch(`${inject("services").keyed.url}/operations.json`)).json()) as OperationList;
/** Operations that return files. The first is `/pdf`, which makes a PDF of an HTML page. */
const operations = list.operations.filter(({ output }) => !output.data);
const TYPED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "/png": { resolution: "40", pages: "2,1" },
  "/jpg": { resolution: "40", jpeg_quality: "50" },
  "/tif": { resolution: "40" },
  "/gif": { resolution: "40" },
  "/bmp": { resolution: "40" },
  "/webp": { resolution: "40" },
  "/avif": { resolution: "40" },
  "/html": { output: "saved", content: `<p>It's "$5" \\ ✓</p>` },
};
/** Returns the example values of required passwords, which the forms lack. */
const passwordsOf = ({ parameters, example }: (typeof operations)[number]) =>
  Object.fromEntries(
    parameters.flatMap(({ name, required, control }) =>
      required && control === "password" ? [[name, String(example[name])]] : [],
    ),
  );
const KEYED_ONLY = operations.filter(({ variants }) => !variants.includes("private")).map(({ path }) => path);
/** The secret files of examples. */
const secrets = Object.entries(EXAMPLE_SECRETS).map(([name, text]) => ({
  ...{ name, bytes: Buffer.from(text, name.endsWith(".p12") ? "base64" : "utf8") },
}));
/** File names that need quoting in a shell and escaping in strings. */
const REPORT = "it's a report, $1.pdf";
const PAGE = "page.html";

let browser: Browser;
let report: Given;
const logo = { name: EXAMPLE_IMAGE.name, bytes: Buffer.from(EXAMPLE_IMAGE.base64, "base64") };
const archive: Given = { name: "archive.zip", bytes: zip({ "made.bin": "Contents" }) };
const invoice: Given = { name: "invoice.xml", bytes: Buffer.from(invoiceXml("xrechnung")) };
const html: Given = { name: PAGE, bytes: Buffer.from("<!doctype html><h1>Hello</h1>") };

beforeAll(async () => {
  browser = await openBrowser();
  report = { name: REPORT, bytes: await fieldPdf(3, [300, 200]) };
});
afterAll(() => browser?.close());

async function enterKey(page: Page): Promise<void> {
  await page.fill("#api-key", inject("services").keyed.key);
  await page.press("#api-key", "Tab");
}

describe.each(["private", "keyed"] as const)("in the %s variant", { timeout: 900_000 }, (variant) => {
  const available = operations.filter(({ path }) => variant === "keyed" || !KEYED_ONLY.includes(path));

  test("each operation makes its file of a dropped one, and its code the same in each language", async (context) => {
    await using runner = await openCodeRunner(
      [report, html, logo, archive, invoice, ...secrets],
      await pythonTools(context),
    );
    await visit(browser, { variant }, async (page) => {
      if (variant === "keyed") await enterKey(page);
      await drop(page, html);
      for (const operation of available) {
        const { path, output } = operation;
        const { type, archives } = output;
        const passwords = passwordsOf(operation);
        const values = { ...passwords, ...TYPED[path] };
        const other = { "/unzip": archive, "/zugferd-pdf": invoice, "/validated-zugferd": invoice }[path];
        if (other) {
          await page.click(`button:has-text("Remove ${REPORT}")`);
          await drop(page, other);
        }
        await operationOf(page, path).check({ force: true });
        if (path === "/steps") {
          await page.click(".adding button:text-is('Rotate pages')");
          await page.click(".adding summary");
          await page.click(".adding button:text-is('Split')");
        }
        for (const [name, value] of Object.entries(values)) await page.fill(`#field-${name}`, value);
        for (const { name: field, control } of operation.parameters.filter(({ name }) => name in operation.example)) {
          const secret = control === "file" && secrets.find(({ name }) => name === operation.example[field]);
          if (!secret) continue;
          const { name, bytes } = secret;
          await page.setInputFiles(`#field-${field}`, { name, mimeType: "", buffer: Buffer.from(bytes) });
        }
        for (const [field, { name, bytes }] of Object.entries(exampleFiles(operation, logo, report))) {
          const mimeType = name.endsWith(".pdf") ? "application/pdf" : "image/png";
          await page.setInputFiles(`#field-${field}`, { name, mimeType, buffer: Buffer.from(bytes) });
        }
        await run(page);
        const { name, bytes } = await download(page, () => page.click(".output a >> nth=0"));
        expect([path, detectMediaType(bytes.subarray(0, 4096), name)]).toEqual([path, type]);
        const variables = Object.entries(passwords).map(([field, password]) => [field.toUpperCase(), password]);
        const made = await runner.run(await codeOf(page), Object.fromEntries(variables));
        for (const { language, name, bytes } of made) {
          // The generated code requests an archive if there can be several files.
          const wanted = archives ? "application/zip" : type;
          expect([path, language, detectMediaType(bytes.subarray(0, 4096), name)]).toEqual([path, language, wanted]);
        }
        const languages = new Set(made.map(({ language }) => language));
        expect([path, languages.size]).toEqual([path, runner.languages.length]);
        const taken = path === "/pdf" ? PAGE : other?.name;
        if (taken === undefined) continue;
        await page.click(`button:has-text("Remove ${taken}")`);
        await drop(page, report);
      }
    });
  });
});

test("operations of the keyed variant are shown, and cannot be chosen elsewhere", () =>
  visit(browser, {}, async (page) => {
    for (const path of KEYED_ONLY) {
      expect(await operationOf(page, path).isDisabled()).toBe(true);
      expect(await page.locator("label", { has: operationOf(page, path) }).textContent()).toContain("keyed variant");
    }
    expect(await page.locator("#api-key").count()).toBe(0);
  }));

test("page selections are checked while they are typed, and errors are at their field with the request", () =>
  visit(browser, { refusals: [400] }, async (page) => {
    await drop(page, html);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await operationOf(page, "/png").check({ force: true });
    await page.fill("#field-pages", "2-x");
    const reason = 'Pages are written as numbers and ranges, such as "1-3,7".';
    const sentence = `2-x is not within the acceptable range for pages. ${reason}`;
    expect(await page.textContent("#field-pages-complaint")).toBe(sentence);
    await page.fill("#field-output", "");
    expect(await page.textContent("#field-output-complaint")).toBe("");
    await page.click(".run .primary");
    await page.waitForSelector("#field-output-complaint:has-text(\"The 'output' field is required.\")");
    expect(await page.textContent("[role=status]")).toBe(`The 'output' field is required. ${sentence}`);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("field-output");
    expect(asked).not.toContain("/png");
    await examine(page);
    await operationOf(page, "/pdf").check({ force: true });
    await page.fill("#field-page_margin", "5in");
    const field = page.locator(".field", { has: page.locator("#field-page_margin") });
    await page.click(".run .primary");
    await field.locator(".problem").waitFor();
    expect(await field.locator(".problem p").first().textContent()).toBe(
      "5in is not within the acceptable range for page_margin.",
    );
    expect(await field.locator(".problem .small").textContent()).toMatch(/^Status 400 · request [0-9a-f-]{36}$/);
    expect(await page.getAttribute("#field-page_margin", "aria-invalid")).toBe("true");
    await examine(page);
    await page.fill("#field-page_margin", "1in");
    expect(await page.locator(".problem").count()).toBe(0);
  }));

test("several words are chosen by check boxes", () =>
  visit(browser, {}, async (page) => {
    await operationOf(page, "/pdf-info").check({ force: true });
    await page.check("label:has(span:text-is('author')) input", { force: true });
    await page.uncheck("label:has(span:text-is('page_count')) input", { force: true });
    await page.waitForSelector("#code-panel:has-text('queries=title,author')");
    await operationOf(page, "/restricted-pdf").check({ force: true });
    await page.check("label:has(span:text-is('print_high')) input", { force: true });
    await page.waitForSelector("#code-panel:has-text('restrictions[]=print_high')");
    await examine(page);
  }));

test("code of a request that is not complete is not offered for copying", () =>
  visit(browser, {}, async (page) => {
    await operationOf(page, "/html").check({ force: true });
    await page.waitForSelector("#code .complaint:has-text('The request is not complete: Content is empty.')");
    expect(await page.locator("#code button:has-text('Copy')").count()).toBe(0);
    await page.fill("#field-content", "<p>Hello</p>");
    await page.waitForSelector("#code button:has-text('Copy')");
    expect(await page.locator("#code .complaint").count()).toBe(0);
  }));

test("a compression profile begins with an example, and is edited by controls and as text", () =>
  visit(browser, {}, async (page) => {
    await drop(page, report);
    await operationOf(page, "/compressed-pdf").check({ force: true });
    await page.click("label.choice:has(input[value=custom])");
    const profile = async () => JSON.parse(await page.inputValue("#field-profile"));
    expect(await profile()).toHaveProperty("images.color.downsample.target-dpi", 150);
    await page.click("button:has-text('Drop everything not seen')");
    expect(await profile()).not.toHaveProperty("images");
    expect(await page.getAttribute("button:has-text('Drop everything not seen')", "aria-pressed")).toBe("true");
    await page.click("summary:has-text('Userdata')");
    await page.uncheck("#field-profile-userdata-discard-file-attachments");
    expect(await profile()).not.toHaveProperty("userdata.discard-file-attachments");
    await page.click("summary:has-text('Images')");
    await page.fill("#field-profile-images-color-downsample-trigger-dpi", "10000");
    const wrong = "10000 is not within the acceptable range for images.color.downsample.trigger-dpi.";
    const missing = "The 'images.color.downsample.target-dpi' field is required.";
    expect(await page.textContent("#field-profile-images-color-downsample-trigger-dpi-complaint")).toBe(wrong);
    expect(await page.textContent("#field-profile-images-color-downsample-target-dpi-complaint")).toBe(missing);
    expect(await page.textContent("#field-profile-complaint")).toBe(wrong);
    await examine(page);
    await page.click(".run .primary");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("field-profile");
    await page.fill("#field-profile-images-color-downsample-trigger-dpi", "225");
    await page.fill("#field-profile-images-color-downsample-target-dpi", "150");
    await page.selectOption("#field-profile-images-color-recompress-type", "jpeg");
    expect((await profile()).images).toEqual({
      color: { downsample: { "trigger-dpi": 225, "target-dpi": 150 }, recompress: { type: "jpeg" } },
    });
    const text = await page.inputValue("#field-profile");
    await page.fill("#field-profile", "{");
    await page.waitForSelector("#field-profile-complaint:has-text('is not a JSON file')");
    expect(await page.locator(".setting").count()).toBe(0);
    await page.fill("#field-profile", text.replace("{", '{ "font": {},'));
    await page.waitForSelector(".profile .small:has-text('does not know font')");
    await run(page);
    expect(await page.locator(".output").count()).toBe(1);
  }));

test("the rules that a document would break as PDF/A are listed", () =>
  visit(browser, {}, async (page) => {
    await drop(page, { name: "fonts.pdf", bytes: unembeddablePdf() });
    await operationOf(page, "/pdfa").check({ force: true });
    await page.click(".run .primary");
    const problem = page.locator("#files .problem");
    await problem.waitFor();
    expect(await problem.locator("p").first().textContent()).toBe("The input file cannot be converted to PDF/A-2b.");
    expect(await problem.locator("li").allTextContents()).toEqual([
      expect.stringMatching(/^rule 6(\.\d+)+ \(test \d+\) is broken on page 2$/),
    ]);
    expect(await problem.locator(".small").textContent()).toMatch(/^Status 422 · request [0-9a-f-]{36}$/);
  }));

test("a wrong key is refused at its field", () =>
  visit(browser, { variant: "keyed", refusals: [401] }, async (page) => {
    await page.fill("#api-key", "00000000-0000-0000-0000-000000000000");
    await operationOf(page, "/html").check({ force: true });
    await page.fill("#field-content", "<p>Hello</p>");
    await page.click(".run .primary");
    const field = page.locator(".field", { has: page.locator("#api-key") });
    await field.locator(".problem").waitFor();
    expect(await field.locator(".problem").textContent()).toContain("The provided key is not valid.");
    expect(await page.textContent("#code-panel")).toContain('"Api-Key: $API_KEY"');
  }));

test("a result is the next input, and can be deleted", () =>
  visit(browser, { refusals: [404] }, async (page) => {
    await page.click("button:has-text('Sample HTML')");
    await operationOf(page, "/pdf").check({ force: true });
    await run(page);
    await page.waitForSelector(".sheet img");
    await page.click("button:has-text('Use as input')");
    await page.waitForSelector(".file:has-text('harbor.pdf')");
    expect(await page.locator(".file").count()).toBe(1);
    await operationOf(page, "/compressed-pdf").check({ force: true });
    await run(page);
    await page.waitForSelector(".sheets figure:nth-of-type(2) img");
    const address = await page.getAttribute(".output a", "href");
    expect((await fetch(address!)).status).toBe(200);
    await page.click("button:has-text('Delete now')");
    await page.waitForSelector(".output:has-text('deleted')");
    expect((await fetch(address!)).status).toBe(404);
  }));

test("the keyboard alone leads from a sample to a downloaded file", () =>
  visit(browser, {}, async (page) => {
    await tabTo(page, "button.chip");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".file");
    await tabTo(page, "input[name=operation]");
    await page.keyboard.press("ArrowRight");
    expect(await operationOf(page, "/pdfa").isChecked()).toBe(true);
    await page.keyboard.press("ArrowLeft");
    expect(await operationOf(page, "/compressed-pdf").isChecked()).toBe(true);
    await tabTo(page, ".run .primary");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#stage-title:text-is('Result')");
    await tabTo(page, ".output a");
    const { name } = await download(page, () => page.keyboard.press("Enter"));
    expect(name).toBe("field-notes_compressed-pdf.pdf");
    await page.waitForSelector("#split");
    await tabTo(page, "#split");
    await page.keyboard.press("ArrowRight");
    expect(await page.getAttribute("#split", "aria-valuetext")).toBe("51% before, 49% after");
  }));

test("a page can be enlarged, with a viewer that is loaded then", () =>
  visit(browser, {}, async (page) => {
    const loaded: string[] = [];
    page.on("response", (response) => loaded.push(new URL(response.url()).pathname));
    await page.click("button:has-text('Sample PDF')");
    await page.waitForSelector(".sheet img");
    expect(loaded.some((path) => path.includes("zoom-viewer"))).toBe(false);
    await page.click("button:has-text('Zoom')");
    await page.waitForSelector(".viewer canvas");
    expect(loaded.some((path) => path.includes("zoom-viewer"))).toBe(true);
    await examine(page);
    await page.keyboard.press("Escape");
    await page.waitForSelector(".zoom", { state: "detached" });
  }));

test("a page that is still being drawn has its place, and the steps are numbered without a gap", () =>
  visit(browser, {}, async (page) => {
    await page.route("**/pages/1.png*", () => {});
    await page.click("button:has-text('Sample PDF')");
    const { width, height } = (await page.locator(".sheet img").boundingBox())!;
    expect(height / width).toBeCloseTo(297 / 210, 1);
    expect(await page.locator(".step").allTextContents()).toEqual(["1", "2", "3"]);
    await operationOf(page, "/html").check({ force: true });
    expect(await page.locator(".step").allTextContents()).toEqual(["1", "2"]);
  }));

describe.each([
  ["wide and light", DESKTOP, "light"],
  ["wide and dark", DESKTOP, "dark"],
  ["narrow and dark", PHONE, "dark"],
] as const)("%s", (_, viewport, colorScheme) => {
  test("axe finds nothing, and nothing is cut off", () =>
    visit(browser, { options: { viewport, colorScheme } }, async (page) => {
      const check = async () => {
        await examine(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
      };
      const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      expect(ground).toBe(colorScheme === "light" ? "rgb(241, 238, 231)" : "rgb(22, 21, 19)");
      await check();
      await drop(page, report, { ...report, name: "second.pdf" });
      await page.waitForSelector(".sheet img");
      await operationOf(page, "/merged-pdf").check({ force: true });
      await check();
      await operationOf(page, "/split-pdf").check({ force: true });
      await page.click("button:has-text('Add a selection')");
      await check();
      await operationOf(page, "/compressed-pdf").check({ force: true });
      await run(page);
      await page.waitForSelector(".sheets figure:nth-of-type(2) img");
      await check();
    }));
});
