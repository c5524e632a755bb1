// `npm run bench:protection`: compares the CPU time of `/encrypted-pdf` and `/decrypted-pdf` with qpdf, pdfcpu and
// mutool, as new processes, and with qpdf's WebAssembly. The operations run warm in this process, as in a long-lived
// isolate or thread. Programs that are not installed are left out.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { QPDF_PATHS, runQpdf } from "../src/document/engines/qpdf/qpdf.ts";
import { decryptPdf } from "../src/operations/protection/decrypt-pdf.ts";
import { encryptPdf } from "../src/operations/protection/encrypt-pdf.ts";
import { textPdf } from "../test/fixtures/pdfs.ts";
import { book } from "./documents.ts";
import { row } from "./measuring/measure.ts";
import { ran } from "./measuring/operation-time.ts";
import { endedChildrenMs } from "./measuring/processor-time.ts";

const ROUNDS = process.argv.includes("--quick") ? 5 : 25;
const HEAP_LIMIT_BYTES = 512 * 2 ** 20;
const OPEN = "opens it";

/** Command lines that encrypt in.pdf. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  qpdf: ["qpdf", "--encrypt", OPEN, OPEN, "256", "--", "in.pdf", "out.pdf"],
  pdfcpu: ["pdfcpu", "encrypt", "--upw", OPEN, "--opw", OPEN, "in.pdf", "out.pdf"],
  mutool: ["mutool", "clean", "-E", "aes-256", "-U", OPEN, "-O", OPEN, "in.pdf", "out.pdf"],
};

const folder = mkdtempSync(join(tmpdir(), "bench-protection-"));
try {
  console.log(`Milliseconds of processor time, mean of ${ROUNDS} rounds; ratios are theirs / ours.`);
  const names = Object.keys(PEERS).filter(isInstalled);
  const all = [...names, "qpdf.wasm"];
  console.log(row(["", "encrypt", "decrypt", ...all, ...all.map((name) => `${name}/ours`)]));
  for (const [name, bytes] of [
    ["1 page", await textPdf(1)],
    ["100 pages", await textPdf(100)],
    ["10 MB", book(200, 10e6)],
  ] as const) {
    writeFileSync(join(folder, "in.pdf"), bytes);
    const times = [0, 0, ...all.map(() => 0)];
    for (let round = 0; round < ROUNDS; round++) {
      const [encrypting, encrypted] = await ran(encryptPdf, bytes, { newOpenPassword: OPEN });
      const [decrypting] = await ran(decryptPdf, encrypted, { currentOpenPassword: OPEN });
      const theirs = [...names.map((name) => ranProgram(PEERS[name]!)), ranWasm(bytes)];
      for (const [index, time] of [encrypting, decrypting, ...theirs].entries()) times[index]! += time / ROUNDS;
    }
    const ratios = times.slice(2).map((time) => (time / times[0]!).toFixed(2));
    console.log(row([name, ...times.map((time) => time.toFixed(1)), ...ratios]));
  }
} finally {
  rmSync(folder, { recursive: true });
}

function isInstalled(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function ranProgram([program, ...args]: readonly string[]): number {
  rmSync(join(folder, "out.pdf"), { force: true });
  const before = endedChildrenMs();
  execFileSync(program!, args, { cwd: folder, stdio: "ignore" });
  return endedChildrenMs() - before;
}

function ranWasm(input: Uint8Array): number {
  const started = process.cpuUsage();
  const { input: from, output: to } = QPDF_PATHS;
  runQpdf(["--no-warn", "--encrypt", OPEN, OPEN, "256", "--", from, to], { input, heapLimitBytes: HEAP_LIMIT_BYTES });
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}
