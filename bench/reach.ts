// `npm run bench:reach [-- file.pdf …]`: runs real documents through the operations. Counts for each executable line of
// src/document how many documents ran it. Prints the lines that no document ran, by room and file. Delete such a line,
// or state at the top of its file which documents need it. Without arguments, uses the corpus (`CORPUS_DIR`).
import { readdirSync, readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

// Must start before any function of the measured modules runs.
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const { corpusDir } = await import("../test/support/corpus.ts");
const { attempts } = await import("./reach-attempts.ts");

const SOURCES = join(import.meta.dirname, "../src/document");
const given = process.argv.slice(2);
const folder = corpusDir && join(corpusDir, "pdf");
const documents = given.length > 0 || !folder ? given : readdirSync(folder).map((name) => join(folder, name));

/** The lines of one file: their numbers and offsets, and the number of documents that ran each. */
interface Source {
  readonly lines: readonly { readonly number: number; readonly at: number }[];
  readonly hasFunction: Set<number>;
  readonly reached: Map<number, number>;
}
const sources = new Map<string, Source>();

await count(false);
let previous: Uint8Array | undefined;
for (const [index, path] of documents.entries()) {
  const bytes = new Uint8Array(readFileSync(path));
  const outcomes = [];
  for (const [name, run] of Object.entries(attempts)) {
    outcomes.push(
      await run(bytes, previous ?? bytes).then(
        () => name,
        (error) => `${name}: ${String(error)}`,
      ),
    );
  }
  await count(true);
  console.error(`${index + 1}/${documents.length} ${path}: ${outcomes.join(", ")}`);
  previous = bytes;
}
report();

/** Adds the lines that ran since the last call. Resets V8's counters. */
async function count(counts: boolean): Promise<void> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  for (const { url, functions } of result) {
    if (!url.startsWith("file:") || !fileURLToPath(url).startsWith(`${SOURCES}/`)) continue;
    const path = relative(SOURCES, fileURLToPath(url));
    const source = sources.get(path) ?? readSource(path);
    sources.set(path, source);
    // The first range of a module is the module itself. Each range precedes the ranges inside it.
    const ranges = functions.flatMap(({ ranges }) => ranges).filter(({ startOffset }) => startOffset > 0);
    ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
    for (const { number, at } of source.lines) {
      const innermost = ranges.findLast((range) => contains(range, at));
      if (!innermost) continue;
      source.hasFunction.add(number);
      if (counts && innermost.count > 0) source.reached.set(number, (source.reached.get(number) ?? 0) + 1);
    }
  }
}

function contains({ startOffset, endOffset }: Profiler.CoverageRange, at: number): boolean {
  return startOffset < at && at < endOffset;
}

/**
 * Finds the lines with code. Skips comments and lines that contain only brackets. Node removes types without moving
 * other code, so offsets stay valid.
 */
function readSource(path: string): Source {
  const text = readFileSync(join(SOURCES, path), "utf8");
  const lines: { number: number; at: number }[] = [];
  let start = 0;
  let inComment = false;
  for (const [index, line] of text.split("\n").entries()) {
    const code = line.trim();
    inComment ||= code.startsWith("/*");
    const isCode = !inComment && /[\p{L}\d]/u.test(code) && !code.startsWith("//") && !/^\} else \{$/.test(code);
    if (isCode) lines.push({ number: index + 1, at: start + line.search(/[\p{L}\d]/u) });
    if (code.endsWith("*/")) inComment = false;
    start += line.length + 1;
  }
  return { lines, hasFunction: new Set(), reached: new Map() };
}

function report(): void {
  const rooms = Map.groupBy([...sources].toSorted(), ([path]) => path.split("/").slice(0, -1).join("/"));
  for (const [room, files] of rooms) {
    const figures = files.map(([path, { hasFunction, reached }]) => {
      const missed = [...hasFunction].filter((number) => !reached.has(number)).toSorted((a, b) => a - b);
      return { path, total: hasFunction.size, missed };
    });
    const [total, missed] = [sum(figures, ({ total }) => total), sum(figures, ({ missed }) => missed.length)];
    console.log(`\n${room}: ${missed} of ${total} lines in no document`);
    for (const { path, total, missed } of figures) {
      if (missed.length > 0) console.log(`  ${path}: ${missed.length} of ${total}: ${spans(missed)}`);
    }
  }
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}

/** Formats numbers as ranges, for example `3-5, 9`. */
function spans(numbers: readonly number[]): string {
  const ends: [first: number, last: number][] = [];
  for (const number of numbers) {
    const end = ends.at(-1);
    if (end && number <= end[1] + 1) end[1] = number;
    else ends.push([number, number]);
  }
  return ends.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(", ");
}
