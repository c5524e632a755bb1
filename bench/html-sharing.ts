// `node scripts/bootstrap.mjs bench/html-sharing.ts <count> <folder>…`: prints static documents alone and in a shared
// renderer (decision 83), and compares them. The documents are the HTML files of the folders without their scripts and
// references, each with a style of its own. Equal bytes, apart from dates, are equal texts, boxes and pixels; other
// files are compared as pictures and as words with their boxes. Reports the memory of the browser's processes.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Chromium, type PageSource } from "../container/engines/chromium/chromium.ts";
import { charsetOf } from "../container/operations/html-encoding.ts";
import { isStaticPage } from "../container/operations/static-page.ts";
import { pssBytes } from "../container/processes/proc.ts";
import { Scratch } from "../container/scratch/scratch.ts";
import { processTree } from "../test/support/processes.ts";

const CLIENTS = 2;
const MEMORY_EVERY = 500;
const DPI = 40;

/** What is removed from a document that is not static. */
const ACTIVE = [
  /<(script|noscript|iframe|object|svg|form|template|button|select|textarea|audio|video|math)\b[\s\S]*?<\/\1\s*>/gi,
  /<\/?(?:script|link|base|input|embed|frame|frameset|rustdoc-[a-z]+|meta[^>]*(?:http-equiv|property))\b[^>]*>/gi,
  /<(?:img|source|track)\b[^>]*>/gi,
  /\s(?:on[a-z]+|data-[^\s=>]*|srcset|background|tabindex|open|loading|disabled)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+))?(?=[\s>])/gi,
  /<style\b[\s\S]*?<\/style>/gi,
];
/** Styles that could outlast their document. */
const STYLES = [
  "",
  "@page { size: A5 landscape; margin: 1cm }",
  "@page { margin: 3cm 1cm; @bottom-center { content: counter(page) ' of ' counter(pages) } }",
  "body { counter-reset: h 7 } h2 { counter-increment: h } h2::before { content: counter(h) '. ' }",
  ":root { --a: 2em; zoom: 1.4 } h1 { font-size: calc(3 * var(--a)) } :visited { color: red }",
  "@layer a, b; @layer b { p { columns: 2; hyphens: auto } } a:visited { background: yellow }",
  "@media print { body { font: 9pt serif; color: #036 } table { border-collapse: collapse }  td { border: 1px solid } }",
  "body { display: grid; grid-template-columns: 1fr 2fr; gap: 1em; direction: rtl } html { writing-mode: vertical-rl }",
  "html { background: linear-gradient(#fee, #eef); color-scheme: dark; font-family: monospace } pre { white-space: pre-wrap }",
];

const [count = "1000", ...folders] = process.argv.slice(2);
const files = folders
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
  .filter((name) => /\.html?$/.test(name));
const step = Math.max(1, Math.floor(files.length / (2 * Number(count))));
const folder = mkdtempSync(join(tmpdir(), "bench-html-sharing-"));
await using scratch = await Scratch.open();
let retries = 0;
const log = (message: string, details?: Record<string, unknown>) => {
  if (message !== "job retried") return;
  retries++;
  console.log(message, details?.error);
};
const chromium = await Chromium.start({ scratch, log });
const counts = { static: 0, equal: 0, alike: 0, different: 0 };
let next = 0;
try {
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => compareAll(`client-${client}`)));
} finally {
  console.log({ ...counts, retries, memory: await memoryMb() });
  await chromium.close();
  rmSync(folder, { recursive: true });
}

async function compareAll(client: string): Promise<void> {
  while (counts.static < Number(count) && next * step < files.length) {
    const index = next++;
    const html = documentOf(files[index * step]!, index);
    const charset = charsetOf(html);
    if (!isStaticPage(html, charset)) continue;
    if (++counts.static % MEMORY_EVERY === 0) console.log({ ...counts, retries, memory: await memoryMb() });
    const document = { type: `text/html; charset=${charset}`, stream: () => Readable.from([html]) };
    const paths = [`${client}-alone.pdf`, `${client}-shared.pdf`].map((name) => join(folder, name)) as [string, string];
    try {
      await print({ document, isStill: true }, paths[0], index);
    } catch {
      continue;
    }
    await print({ document, isStill: true, sharedBy: client }, paths[1], index);
    const result = compare(...paths);
    counts[result]++;
    if (result !== "equal") console.log(result, files[index * step], STYLES[index % STYLES.length]);
  }
}

function documentOf(file: string, index: number): Buffer {
  const whole = readFileSync(file, "latin1");
  const passive = ACTIVE.reduce((text, pattern) => text.replace(pattern, ""), whole);
  const style = `<style>${STYLES[index % STYLES.length]}</style>`;
  const styled = /<head[^>]*>/i.test(passive) ? passive.replace(/<head[^>]*>/i, `$&${style}`) : `${style}${passive}`;
  return Buffer.from(styled, "latin1");
}

async function print(source: PageSource, path: string, index: number): Promise<void> {
  const isMadeForPaper = index % 2 === 0;
  const more = isMadeForPaper ? { ownPages: { size: true, margin: true } } : { layout: "desktop" as const };
  await chromium.printToPdf(source, path, { paper: { width: 612, height: 792 }, margin: 72, ...more });
}

function compare(alone: string, shared: string): Exclude<keyof typeof counts, "static"> {
  const withoutDates = (path: string) => readFileSync(path, "latin1").replace(/\(D:\d{14}[^)]*\)/g, "");
  if (withoutDates(alone) === withoutDates(shared)) return "equal";
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { maxBuffer: 2 ** 30, encoding: "latin1" });
  const look = (path: string) => run("pdftotext", "-bbox", path, "-") + run("pdftoppm", "-r", String(DPI), path);
  return look(alone) === look(shared) ? "alike" : "different";
}

async function memoryMb(): Promise<number> {
  const sizes = await Promise.all(processTree(chromium.pid!).map(pssBytes));
  return Math.round(sizes.reduce((sum, bytes) => sum + bytes, 0) / 2 ** 20);
}
