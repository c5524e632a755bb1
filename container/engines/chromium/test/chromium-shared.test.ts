// Tests static documents that share a renderer (decision 83): which documents share one, that nothing of one
// document shows in the next, and that what proves not to be static is printed alone.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { openFileCount } from "../../../../test/faults/process-table.ts";
import { chromium, openChromium, pages, show, site } from "../../../../test/support/chromium-site.ts";
import {
  html,
  infoOf,
  LETTER,
  logged,
  printAs,
  processesOf,
  startChromium,
  textOf,
  wordsOf,
} from "../../../../test/support/chromiums.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { killRenderer } from "../renderers.ts";

openChromium();

/** Number of prepared pages. */
const READY = 3;
const OPTIONS = { paper: LETTER, margin: 72, ownPages: { size: true, margin: true } };
const printed = (text: string, sharedBy?: string) =>
  printAs(chromium, { ...html(text), isStill: true, ...(sharedBy === undefined ? {} : { sharedBy }) }, OPTIONS);
const picture = (path: string) => execFileSync("pdftoppm", ["-r", "40", path], { maxBuffer: 2 ** 28 });
const renderers = () => processesOf(chromium.pid!, "renderer");
const retries = () => logged.filter(({ message }) => message === "job retried").length;

/** A document that shows what earlier ones could have left. */
const PROBE = `<!doctype html><style>:visited { color: lime }</style><input name=i><textarea name=t></textarea><h1 class=x>Heading</h1><ol><li>one<li>two</ol><p id=a>Text <a href="https://a.example/">a</a>
<a href="/">b</a> <a href="#a">c</a><details><summary>more</summary>hidden</details><p style="font-family: left">own
<noscript>noscript</noscript><div style="page-break-before: always">second page</div>`;

/** Documents that try to leave something. Some would not pass the tokenizer. */
const LEAVERS = [
  `<title>Left</title><style>h1 { counter-increment: page 7; color: red } :root { zoom: 3 } @page { size: A6; margin: 0 }
   :visited { color: red } @layer x { * { color: red !important } } ol { counter-reset: list-item 40 }</style>
   <h1>x</h1><a href=/ id=a>x</a><ol><li>x</ol>`,
  `<html lang=ar dir=rtl><meta name=viewport content="width=200, initial-scale=5"><meta name=color-scheme content=dark>
   <style>@font-face { font-family: left; src: local("DejaVu Sans Mono") } p { font-family: left }
   @property --x { syntax: '*'; inherits: true } html { writing-mode: vertical-rl; scrollbar-width: none }</style><p>x`,
  `<!-- quirks --><meta name=referrer content=no-referrer><details open><summary>more</summary>shown</details>
   <input name=i value=left><textarea name=t>left</textarea><div style="height: 9000px">tall</div>
   <a id=a autofocus tabindex=0>y</a>`,
];

test("nothing of a document shows in the next one", async () => {
  const alone = await printed(PROBE);
  await printed("<p>first", "a");
  const retried = retries();
  for (const leaver of LEAVERS) {
    await printed(leaver, "a");
    const shared = await printed(PROBE, "a");
    expect(picture(shared), leaver).toEqual(picture(alone));
    expect(wordsOf(shared)).toEqual(wordsOf(alone));
    for (const fact of ["Title", "Pages", "Page size"]) expect(infoOf(shared)[fact]).toBe(infoOf(alone)[fact]);
  }
  expect(retries()).toBe(retried);
});

test("a client keeps its renderer, and no other client gets it", async () => {
  await using browser = await startChromium();
  const pids = () => processesOf(browser.pid!, "renderer");
  const documentOf = (sharedBy: string) => printAs(browser, { ...html("<p>x"), isStill: true, sharedBy }, OPTIONS);
  // A job that was slow leaves its renderer to no other, so the beginning is repeated on a busy machine.
  await eventually(async () => {
    await documentOf("a");
    expect(await pids()).toHaveLength(READY + 1);
  });
  const before = await pids();
  const opened = openFileCount(browser.pid!);
  for (let count = 0; count < 8; count++) await documentOf("a");
  expect(await pids()).toEqual(before);
  expect(openFileCount(browser.pid!)).toBeLessThan(opened + 5);
  await eventually(async () => {
    await documentOf("b");
    expect(await pids()).toHaveLength(READY + 2);
  });
});

test.each([
  ["an image elsewhere", () => `<img src="${site.url}/red.svg" width=200 height=200>`],
  ["a style sheet elsewhere", () => `<link rel=stylesheet href="${site.url}/red.css"><p>x`],
  ["a frame", () => `<style>iframe { background: red }</style><iframe></iframe>`],
  ["a refresh", () => `<meta http-equiv=refresh content="0; url=${site.url}/red.html"><p>x`],
  [
    "motion",
    () =>
      `<style>@keyframes k { from { background: red } to { background: red } } p { animation: k 9s both }</style><p>x`,
  ],
])("%s is printed alone, and ends the renderer", async (name, source) => {
  const red = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="200" height="200" fill="red"/></svg>';
  pages.set("/red.svg", show(red, "image/svg+xml"));
  pages.set("/red.css", show("p { background: red }", "text/css"));
  pages.set("/red.html", show("<p style='background: red'>x"));
  const before = retries();
  const path = await printed(source(), "d");
  expect(retries(), name).toBe(before + 1);
  expect(picture(path).includes(Buffer.from([255, 0, 0, 255, 0, 0])), name).toBe(true);
});

test("without shared renderers, each document has its own", async () => {
  await using browser = await startChromium({ sharesRenderers: false });
  const pids = () => processesOf(browser.pid!, "renderer");
  await eventually(async () => expect(await pids()).toHaveLength(READY));
  const before = await pids();
  await printAs(browser, { ...html("<p>x"), isStill: true, sharedBy: "a" }, OPTIONS);
  await eventually(async () => expect((await pids()).filter((pid) => before.includes(pid))).toHaveLength(READY - 1));
});

test("scripts do not run in a shared renderer", async () => {
  const write = "document.body.append('scripted')";
  for (const script of [`<script>${write}</script>`, `<body onload="${write}">`, `<svg onload="${write}">`]) {
    expect(textOf(await printed(`<body><p>text${script}`, "e"))).not.toContain("scripted");
  }
  expect(textOf(await printed(`<p>text<script>${write}</script>`))).toContain("scripted");
});

test("a job whose shared renderer is killed is printed alone, and an idle one is replaced", async () => {
  await printed("<p>x", "f");
  const before = retries();
  const job = printed(`<p>${"long ".repeat(60_000)}`, "f");
  await eventually(async () => {
    if (retries() === before) for (const pid of await renderers()) killRenderer(pid);
    expect(retries()).toBeGreaterThan(before);
  });
  expect(textOf(await job)).toContain("long");
  for (const pid of await renderers()) killRenderer(pid);
  expect(textOf(await printed("<p>after", "f"))).toContain("after");
});
