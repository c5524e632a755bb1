// Opens Chromium for the tests of one file, as the container runs it. Inspects the PDFs that it makes.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll } from "vitest";
import { Chromium, type ChromiumSettings, type PageSource } from "../../container/engines/chromium/chromium.ts";
import type { PrintOptions } from "../../container/engines/chromium/page.ts";
import { Scratch } from "../../container/scratch/scratch.ts";
import { parentOf, processTree } from "./processes.ts";
import { rejectScratchPaths } from "./scratch-paths.ts";

/** Set by {@link openScratch}, like {@link folder}. */
export let scratch: Scratch;
let folder: string;
export const logged: { message: string; details: Record<string, unknown> | undefined }[] = [];

/** Registers the hooks. Must be called once, at the top of a test file. */
export function openScratch(): void {
  beforeAll(async () => {
    scratch = await Scratch.open();
    folder = await mkdtemp(join(tmpdir(), "chromium-test-"));
  });
  afterAll(async () => {
    await scratch?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
}

export function startChromium(settings: Omit<ChromiumSettings, "scratch" | "log"> = {}): Promise<Chromium> {
  return Chromium.start({ ...settings, scratch, log: (message, details) => logged.push({ message, details }) });
}

export const LETTER = { width: 612, height: 792 };

export const html = (text: string | Buffer, type = "text/html; charset=utf-8"): PageSource => ({
  document: { type, stream: () => Readable.from([Buffer.from(text)]) },
});

let made = 0;

/** Prints a source. @returns the path of the PDF */
export async function print(
  chromium: Chromium,
  source: PageSource | string,
  options: Partial<PrintOptions> = {},
  signal?: AbortSignal,
): Promise<string> {
  return printAs(chromium, source, { paper: LETTER, margin: 72, layout: "desktop", ...options }, signal);
}

/** Prints a source like {@link print}, but with no layout unless the options have one. */
export async function printAs(
  chromium: Chromium,
  source: PageSource | string,
  options: PrintOptions,
  signal?: AbortSignal,
): Promise<string> {
  const path = join(folder, `${made++}.pdf`);
  const what = typeof source === "string" ? html(source) : source;
  await chromium.printToPdf(what, path, options, signal);
  rejectScratchPaths(readFileSync(path));
  return path;
}

export const textOf = (path: string) => execFileSync("pdftotext", ["-layout", path, "-"], { encoding: "utf8" });

export function infoOf(path: string): Record<string, string> {
  const lines = execFileSync("pdfinfo", [path], { encoding: "utf8" }).matchAll(/^([^:]+):\s*(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
}

/** Returns the words of the first page with their positions, in points from its upper left corner. */
export function wordsOf(path: string): { text: string; left: number; top: number; right: number; bottom: number }[] {
  const boxes = execFileSync("pdftotext", ["-bbox", "-l", "1", path, "-"], { encoding: "utf8" });
  return [...boxes.matchAll(/xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)</g)].map(
    ([, left, top, right, bottom, text]) => ({
      text: text!,
      left: Number(left),
      top: Number(top),
      right: Number(right),
      bottom: Number(bottom),
    }),
  );
}

/** Returns the processes of a kind, as Chromium's command lines name it. */
export async function processesOf(pid: number, kind: string): Promise<number[]> {
  const found: number[] = [];
  for (const member of processTree(pid)) {
    const line = await readFile(`/proc/${member}/cmdline`, "latin1").catch(() => "");
    if (line.includes(`--type=${kind}`)) found.push(member);
  }
  return found;
}

export const CHROMIUM_PROCESSES = [
  "browser",
  "plain zygote",
  "outer zygote",
  "inner zygote",
  "gpu-process",
  "network",
  "renderer",
] as const;
export type ChromiumProcess = (typeof CHROMIUM_PROCESSES)[number];

/**
 * Returns the IDs of one kind of a browser's processes. Sandboxed renderers are children of the inner zygote, which is
 * a child of the outer one.
 */
export function chromiumProcesses(pid: number, kind: ChromiumProcess): number[] {
  return processTree(pid).filter((member) => kindOf(member, pid) === kind);
}

function kindOf(member: number, browser: number): string {
  if (member === browser) return "browser";
  const line = readCommand(member);
  if (line.includes("NetworkService")) return "network";
  const kind = /--type=([a-z-]+)/.exec(line)?.[1] ?? "";
  if (kind !== "zygote") return kind;
  if (line.includes("--no-zygote-sandbox")) return "plain zygote";
  return parentOf(member) === browser ? "outer zygote" : "inner zygote";
}

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

/** Describes the result of a print: its page count, or the reason for its failure. */
export const reasonOf = (printed: Promise<string>) =>
  printed.then(
    (path) => `${infoOf(path).Pages} pages`,
    (error: { reason?: string; parameter?: string; message: string }) =>
      error.reason ?? error.parameter ?? error.message,
  );
