// `npm run bench:info`: compares the CPU time of `/pdf-info` with that of pdfinfo, pdffonts and pdfsig, which together
// answer about the same questions. The operation runs warm in this process, as in a long-lived isolate or thread.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readPdfInfo } from "../src/operations/read-pdf-info.ts";
import { textPdf } from "../test/fixtures/pdfs.ts";
import { corpusDir } from "../test/support/corpus.ts";
import { row } from "./measuring/measure.ts";
import { ran } from "./measuring/operation-time.ts";
import { endedChildrenMs } from "./measuring/processor-time.ts";

const ROUNDS = process.argv.includes("--quick") ? 5 : 25;
const CORPUS_FILES = ["pdf/pdf2image-memory-error-test-400p.pdf", "pdf/hello-world.pdf"];
type Queries = Parameters<typeof readPdfInfo.run>[1]["queries"];

const folder = mkdtempSync(join(tmpdir(), "bench-info-"));
try {
  const made = join(folder, "100-pages.pdf");
  writeFileSync(made, await textPdf(100));
  console.log(`Milliseconds of processor time, mean of ${ROUNDS} rounds.`);
  console.log(row(["", "page_count", "all", "pdfinfo", "with pdffonts, pdfsig"]));
  for (const file of [made, ...(corpusDir ? CORPUS_FILES.map((name) => join(corpusDir!, name)) : [])]) {
    const bytes = readFileSync(file);
    const times: number[][] = [[], [], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      times[0]!.push(await answered(bytes, ["page_count"]));
      times[1]!.push(await answered(bytes, ["all"]));
      times[2]!.push(ranProgram(file, "pdfinfo"));
      times[3]!.push(times[2]!.at(-1)! + ranProgram(file, "pdffonts") + ranProgram(file, "pdfsig", "-nocert"));
    }
    console.log(row([basename(file), ...times.map((own) => mean(own).toFixed(1))]));
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** A mean, because the times of other processes have a resolution of 10 ms. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function answered(bytes: Uint8Array, queries: Queries): Promise<number> {
  const [time] = await ran(readPdfInfo, bytes, { queries });
  return time;
}

function ranProgram(file: string, program: string, ...options: string[]): number {
  const before = endedChildrenMs();
  try {
    execFileSync(program, [...options, file], { stdio: "ignore" });
  } catch {
    // pdfsig exits with an error if a document has no signatures.
  }
  return endedChildrenMs() - before;
}
