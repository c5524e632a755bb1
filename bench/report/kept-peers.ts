// Peers of the report that stay open: pypdfium2 in a Python process, unoserver, and a page of puppeteer. They are
// installed into a temporary folder. The report prints the reason if one cannot be installed or started.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { freePort } from "../../test/support/processes.ts";
import { runProgram } from "../measuring/competitors.ts";

/** A peer that stays open. @template T what it does for a task */
export interface Kept<T extends readonly unknown[]> {
  readonly pid: number;
  readonly version: string;
  work(...task: T): Promise<unknown>;
  stop(): void;
}

const FOLDER = join(tmpdir(), "pagewright-bench-report");
const PYTHON = join(FOLDER, "peers/bin/python");
const OFFICE = "/usr/lib/libreoffice/program/soffice";
const PUPPETEER = "25.16.0";
const STARTS_WITHIN_MS = 30_000;

/** @throws Error if there is no connection, or no Python */
export async function installKept(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  // Debian's Python, for which Debian has the package python3-uno.
  const system = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  if (!existsSync(PYTHON)) await runProgram([system, "-m", "venv", "--system-site-packages", "peers"], FOLDER);
  const requirements = join(import.meta.dirname, "requirements.txt");
  await runProgram([PYTHON, "-m", "pip", "install", "-q", "-r", requirements], FOLDER);
  const install = ["npm", "install", "--no-audit", "--no-fund", "--prefix", FOLDER, `puppeteer-core@${PUPPETEER}`];
  await runProgram(install, FOLDER);
}

/** Renders pages: path, first and last page, dpi, format, path of the outputs with `%d` for the page. */
export async function startPdfium(): Promise<Kept<[...range: (string | number)[]]>> {
  const version = await versionOf("pypdfium2");
  const child = spawn(PYTHON, [join(import.meta.dirname, "pdfium.py")], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    ...keptProcess(child, `pypdfium2 ${version}`),
    async work(...range) {
      child.stdin.write(`${JSON.stringify(range)}\n`);
      if ((await lines.next()).done) throw new Error("pypdfium2 ended.");
    },
  };
}

/**
 * Converts a file into a PDF with unoserver, without a process for each document. Needs Debian's packages python3-uno
 * and libreoffice-writer: the service's LibreOffice lacks what documents in windows need.
 */
export async function startUnoserver(): Promise<Kept<[file: string, pdf: string]>> {
  await runProgram([PYTHON, "-c", "import uno"], FOLDER).catch(() => {
    throw new Error("the packages python3-uno and libreoffice-writer are not installed");
  });
  const [port, unoPort] = [await freePort(), await freePort()];
  const ports = ["--port", String(port), "--uno-port", String(unoPort)];
  const child = spawn(PYTHON, ["-m", "unoserver.server", ...ports, "--executable", OFFICE], { stdio: "ignore" });
  const call = async (method: string, ...given: readonly (string | undefined)[]) => {
    const values = given.map((value) => (value === undefined ? "<nil/>" : `<string>${value}</string>`));
    const params = values.map((value) => `<param><value>${value}</value></param>`).join("");
    const body = `<?xml version="1.0"?><methodCall><methodName>${method}</methodName><params>${params}</params></methodCall>`;
    const answer = await (await fetch(`http://127.0.0.1:${port}/RPC2`, { method: "POST", body })).text();
    if (answer.includes("<fault>")) throw new Error(answer.replaceAll(/<[^>]*>|\s+/g, " ").slice(0, 200));
  };
  const until = performance.now() + STARTS_WITHIN_MS;
  while (
    !(await call("info").then(
      () => true,
      () => false,
    ))
  ) {
    if (performance.now() > until || child.exitCode !== null) throw new Error("unoserver does not start");
    await sleep(100);
  }
  return {
    ...keptProcess(child, `unoserver ${await versionOf("unoserver")}`),
    work: (file, pdf) => call("convert", file, undefined, pdf, "pdf"),
  };
}

/** The parts of puppeteer that are used. */
interface Puppeteer {
  launch(options: object): Promise<{
    process(): ChildProcess;
    newPage(): Promise<{ setContent(html: string): Promise<void>; pdf(): Promise<Uint8Array> }>;
  }>;
}

/** Prints HTML in one page that stays open. */
export async function startPuppeteer(executablePath: string): Promise<Kept<[html: string]>> {
  const folder = join(FOLDER, "node_modules/puppeteer-core");
  const entry = pathToFileURL(join(folder, "lib/puppeteer/puppeteer-core.js")).href;
  const { default: puppeteer } = (await import(entry)) as { default: Puppeteer };
  const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  const page = await browser.newPage();
  /** The page prints one document at a time. */
  let last = Promise.resolve();
  return {
    ...keptProcess(browser.process(), `puppeteer-core ${PUPPETEER}`),
    work(html) {
      last = last.then(async () => {
        await page.setContent(html);
        await page.pdf();
      });
      return last;
    },
  };
}

const keptProcess = (child: ChildProcess, version: string) => ({
  ...{ pid: child.pid!, version },
  stop: () => void child.kill(),
});

const versionOf = async (name: string): Promise<string> => {
  const code = `from importlib.metadata import version; print(version("${name}"))`;
  const child = spawn(PYTHON, ["-c", code], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  return String(line).trim();
};
