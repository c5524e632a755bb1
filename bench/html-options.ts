// `node scripts/bootstrap.mjs bench/html-options.ts`: prints 40 pages with headers, footers, waits, cookies, headers,
// fonts and files, and compares them with those that Playwright prints in the same browser with the same options. Reports
// pages, text, and the greatest perceptual distance of a page.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Browser, chromium as playwright } from "playwright-core";
import { Chromium } from "../container/engines/chromium/chromium.ts";
import { PROGRAMS } from "../container/engines/chromium/launch.ts";
import type { PrintOptions } from "../container/engines/chromium/page.ts";
import { WEB_RULES } from "../container/fonts/system-fonts.ts";
import { minimalEnvironment } from "../container/processes/process.ts";
import { Scratch } from "../container/scratch/scratch.ts";
import { sidesOf } from "../src/operations/to-pdf/html-to-pdf.ts";
import { parsePnm, perceptualDistance } from "../test/support/pictures.ts";
import { startSite } from "../test/support/web.ts";

const DPI = 40;
const LETTERS = "Sphinx of black quartz, judge my vow. ";
const FONT = join(
  dirname(createRequire(import.meta.url).resolve("@expo-google-fonts/anton/package.json")),
  "400Regular/Anton_400Regular.ttf",
);

const PAGES: Readonly<Record<string, string>> = {
  text: `<h1>Report</h1>${`<p>${LETTERS.repeat(12)}`.repeat(14)}`,
  table: `<table border=1>${Array.from({ length: 90 }, (_, row) => `<tr><td>${row}<td>${LETTERS}<td>${row * 3}`).join("")}</table>`,
  grid: `<div style="display: grid; grid-template-columns: 1fr 1fr; gap: 9px">${`<div style="background: linear-gradient(#fc8, #8cf); padding: 20px">${LETTERS}</div>`.repeat(24)}</div>`,
  files: `<link rel=stylesheet href=/style.css><h1>Files</h1><img src=/picture.svg><p>${LETTERS}`,
  font: `<style>@font-face { font-family: own; src: url(/font.ttf) } h1, p { font-family: own }</style><h1>Own</h1><p>${LETTERS.repeat(9)}`,
  late: `<p>early<script>setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<p id=late>late"), 600)</script>`,
  expression: `<p id=out><script>setTimeout(() => { out.textContent = "counted"; window.isReady = true }, 500)</script>`,
  media:
    "<style>@media print { .s { display: none } } @media screen { .p { display: none } }</style><h1 class=s>Screen</h1><h1 class=p>Print</h1>",
  cookie: "<p>COOKIE<p>HEADER<p>AGENT",
  module: `<p id=m><script type=module src=/main.mjs></script><iframe src=/frame style="width: 300px; height: 80px"></iframe>`,
};

const FOOTER = `<div style="font-size: 9px; width: 100%; text-align: center"><span class=pageNumber></span> of <span class=totalPages></span></div>`;
const HEADER = `<div style="font-size: 12px; margin-left: 40px; border-bottom: 1px solid #00f">Head: <b class=title></b></div>`;
const OPTIONS: readonly PrintOptions[] = [
  { paper: { width: 595, height: 842 }, margin: 72, scale: 1, header: HEADER, footer: FOOTER },
  { paper: { width: 792, height: 612 }, margin: 54, scale: 0.7, background: false, header: HEADER },
  { paper: { width: 612, height: 792 }, margin: 36, scale: 1.3, media: "screen" },
  { paper: { width: 420, height: 595 }, margin: 54, scale: 0.5, footer: FOOTER, media: "print" },
];
const WAITS: Readonly<Record<string, NonNullable<PrintOptions["visit"]>["waitFor"]>> = {
  late: { selector: "#late" },
  expression: { expression: "window.isReady" },
};
const VISIT = { headers: { "X-Name": "header" }, userAgent: "Printer/1.0" };

const folder = mkdtempSync(join(tmpdir(), "bench-html-options-"));
await using site = await startSite(({ url, headers }, response) => {
  const give = (type: string, body: string | Buffer): ServerResponse =>
    response.setHeader("Content-Type", type).end(body);
  if (url === "/style.css") return give("text/css", "h1 { color: #c00; font-size: 40px } p { columns: 2 }");
  if (url === "/picture.svg")
    return give(
      "image/svg+xml",
      '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="90"><circle cx="50" cy="45" r="40" fill="#080"/></svg>',
    );
  if (url === "/font.ttf") return give("font/ttf", readFileSync(FONT));
  if (url === "/main.mjs") return give("text/javascript", 'm.textContent = "from a module"');
  if (url === "/frame") return give("text/html", "<p>in a frame");
  const page = PAGES[url!.slice(1)];
  if (page === undefined) return response.writeHead(404).end();
  const body = page
    .replace("COOKIE", headers.cookie ?? "")
    .replace("HEADER", String(headers["x-name"]))
    .replace("AGENT", String(headers["user-agent"]));
  return give("text/html; charset=utf-8", `<!doctype html><title>${url}</title>${body}`);
});
await using scratch = await Scratch.open();
await using ours = await Chromium.start({ scratch, web: { allow: `127.0.0.1:${site.port}` }, log: () => {} });
const theirs = await playwright.launch({
  executablePath: PROGRAMS[0]!,
  args: ["--no-sandbox", "--font-render-hinting=none"],
  env: { ...minimalEnvironment(folder, WEB_RULES), TZ: "UTC" },
});
try {
  const results = [];
  for (const name of Object.keys(PAGES)) {
    for (const [index, options] of OPTIONS.entries()) results.push(await compare(name, index, options));
  }
  const same = results.filter(({ isSameText, pages }) => isSameText && pages[0] === pages[1]);
  const distances = results.map(({ distance }) => distance).toSorted((a, b) => a - b);
  console.log(
    `${results.length} pages with options; same text and number of pages: ${same.length}; ` +
      `perceptual distance: median ${distances[distances.length >> 1]!.toFixed(2)}, greatest ${distances.at(-1)!.toFixed(2)}`,
  );
} finally {
  await theirs.close();
  rmSync(folder, { recursive: true });
}

async function compare(name: string, index: number, options: PrintOptions) {
  const url = `${site.url}/${name}`;
  const [own, other] = [join(folder, "own.pdf"), join(folder, "other.pdf")];
  const waitFor = WAITS[name];
  const cookies = [{ name: "session", value: String(index), domain: "127.0.0.1", path: "/" }];
  const visit = { ...VISIT, cookies, ...(waitFor ? { waitFor } : {}) };
  await ours.printToPdf({ url }, own, { ...options, visit });
  await printWithPlaywright(theirs, { url, path: other, options, waitFor, cookies });
  const [left, right] = [pagesOf(own), pagesOf(other)];
  const distance = Math.max(...left.map((page, at) => (right[at] ? perceptualDistance(page, right[at], 2) : 255)));
  const isSameText = textOf(own) === textOf(other);
  const pages = [left.length, right.length] as const;
  if (!isSameText || pages[0] !== pages[1] || distance > 1) {
    console.log(
      `${name} ${index}: pages ${pages.join("/")}, text ${isSameText ? "same" : "differs"}, distance ${distance.toFixed(2)}`,
    );
  }
  return { pages, isSameText, distance };
}

interface Printed {
  readonly url: string;
  readonly path: string;
  readonly options: PrintOptions;
  readonly waitFor: (typeof WAITS)[string];
  readonly cookies: readonly {
    readonly name: string;
    readonly value: string;
    readonly domain: string;
    readonly path: string;
  }[];
}

async function printWithPlaywright(browser: Browser, { url, path, options, waitFor, cookies }: Printed): Promise<void> {
  const { paper, margin, header, footer, scale = 1, media = "print", background = true } = options;
  const context = await browser.newContext({
    ...{ userAgent: VISIT.userAgent, extraHTTPHeaders: VISIT.headers, viewport: { width: 1280, height: 1024 } },
  });
  await context.addCookies([...cookies]);
  const page = await context.newPage();
  await page.emulateMedia({ media });
  await page.goto(url, { waitUntil: "load" });
  if (waitFor && "selector" in waitFor) await page.waitForSelector(waitFor.selector);
  if (waitFor && "expression" in waitFor) await page.waitForFunction(waitFor.expression);
  const inches = (points: number) => `${points / 72}in`;
  const { top, right, bottom, left } = sidesOf(margin);
  await page.pdf({
    ...{ path, width: inches(paper.width), height: inches(paper.height), scale, printBackground: background },
    margin: { top: inches(top), right: inches(right), bottom: inches(bottom), left: inches(left) },
    ...{ displayHeaderFooter: header !== undefined || footer !== undefined },
    ...{ headerTemplate: header ?? "<span></span>", footerTemplate: footer ?? "<span></span>" },
  });
  await context.close();
}

function textOf(path: string): string {
  return execFileSync("pdftotext", ["-layout", path, "-"], { encoding: "utf8" });
}

function pagesOf(path: string) {
  const all = execFileSync("pdftoppm", ["-r", String(DPI), path], { maxBuffer: 2 ** 28 });
  const pages = [];
  for (let at = 0; at < all.length; ) {
    const [head, width, height] = /^P6\n(\d+) (\d+)\n255\n/.exec(all.toString("latin1", at, at + 40)) ?? [];
    if (head === undefined) throw new Error("pdftoppm wrote no picture");
    const end = at + head.length + Number(width) * Number(height) * 3;
    pages.push(parsePnm(all.subarray(at, end)));
    at = end;
  }
  return pages;
}
