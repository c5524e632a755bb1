// The engines of `npm run bench:text`: this service over HTTP, and its peers. Each writes its text or Markdown of a PDF
// into a file.

import { execFile, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { exchange, multipart } from "../measuring/measure.ts";

export interface Engine {
  readonly name: string;
  readonly writes: "markdown" | "text";
  /** Reads PDFs in turn. Yields the milliseconds of each, or the reason why it could not be read. */
  read(jobs: readonly Job[]): AsyncIterable<number | string>;
}

interface Job {
  readonly pdf: string;
  readonly output: string;
}

const LONGEST_MS = 120_000;
const run = promisify(execFile);

/** @param url of a running service */
export const ownEngines = (url: string): readonly Engine[] => [
  { name: "/markdown", writes: "markdown", read: request(`${url}/markdown`, (answer) => answer.markdown) },
  { name: "/extracted-text", writes: "text", read: request(`${url}/extracted-text`, (answer) => answer.fullText) },
];

/** @param python the program with the peers of requirements.txt */
export const peerEngines = (python: string): readonly Engine[] => [
  ...["pymupdf4llm", "edgeparse", "opendataloader-pdf", "markitdown"].map((name) => byPython(python, name, "markdown")),
  byPython(python, "pdfplumber", "text"),
  { name: "pdftotext", writes: "text", read: pdftotext },
];

function request(url: string, textOf: (answer: Record<string, string>) => string | undefined): Engine["read"] {
  return async function* (jobs) {
    for (const { pdf, output } of jobs) {
      const body = multipart({}, [{ name: basename(pdf), bytes: readFileSync(pdf) }]);
      const started = performance.now();
      const answer = JSON.parse((await exchange(url, body)).toString()) as Record<string, string>;
      const milliseconds = performance.now() - started;
      const text = textOf(answer);
      writeFileSync(output, text ?? "");
      yield text === undefined ? `${answer.error}` : milliseconds;
    }
  };
}

async function* pdftotext(jobs: readonly Job[]): AsyncGenerator<number | string> {
  for (const { pdf, output } of jobs) {
    const started = performance.now();
    await run("pdftotext", [pdf, output], { timeout: LONGEST_MS });
    yield performance.now() - started;
  }
}

/**
 * Returns an engine that reads all PDFs in one process, so that loading it does not count. If the process ends or stops
 * at a PDF, another one reads the PDFs after it.
 */
function byPython(python: string, name: string, writes: Engine["writes"]): Engine {
  return {
    name,
    writes,
    async *read(jobs) {
      for (let count = 0; count < jobs.length; ) {
        for await (const line of linesOf(python, name, jobs.slice(count))) {
          count++;
          yield Number(line) || line;
        }
        if (count++ < jobs.length) yield "the process ended";
      }
    },
  };
}

/** Yields what a peer reports of each PDF. Ends early if it takes too long for one. */
async function* linesOf(python: string, name: string, jobs: readonly Job[]): AsyncGenerator<string> {
  const child = spawn(python, [`${import.meta.dirname}/peers.py`, name], { stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.on("error", () => {});
  child.stdin.end(jobs.map(({ pdf, output }) => `${JSON.stringify([pdf, output])}\n`).join(""));
  const kill = () => child.kill("SIGKILL");
  let timer = setTimeout(kill, LONGEST_MS);
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith("read ")) continue;
    clearTimeout(timer);
    timer = setTimeout(kill, LONGEST_MS);
    yield line.slice("read ".length);
  }
  clearTimeout(timer);
}
